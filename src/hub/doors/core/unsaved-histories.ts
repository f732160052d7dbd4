// Conversations that have no client and are not saved yet. They can be reopened from here until they are saved.
import type { Note } from "../../common/log.ts";
import type { ConversationKey } from "../../store/index.ts";
import type { History } from "./history.ts";

export interface UnsavedHistories {
  /** Undefined if there is no such conversation here. */
  take(key: ConversationKey, origin: string | undefined): History | undefined;
  /** Adds a conversation, unless it is saved. */
  put(history: History): void;
}

/** The max total length in characters; the oldest history is evicted, and its retries stop. */
const mostCharacters = 64 * 1024 * 1024;

export function createUnsavedHistories(note: Note): UnsavedHistories {
  const kept = new Map<string, { readonly history: History; readonly size: number }>();
  let size = 0;

  function remove(id: string): void {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  }

  return {
    take({ principal, id }, origin) {
      const history = kept.get(id)?.history;
      if (history?.key.principal !== principal || history.origin !== origin) return undefined;
      remove(id);
      return history;
    },
    put(history) {
      if (!history.notSaved) return;
      const { id } = history.key;
      const one = { history, size: JSON.stringify(history.messages).length };
      kept.set(id, one);
      size += one.size;
      history.onChange = () => {
        if (!history.notSaved) remove(id);
      };
      for (const [oldest, { history: gone }] of kept) {
        if (size <= mostCharacters || oldest === id) break;
        gone.giveUp();
        remove(oldest);
        note("error", "conversation-lost");
      }
    },
  };
}
