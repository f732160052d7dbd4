// What is kept of one conversation: its messages as they were when the last answer was done, and the question that came since.
import { createHash } from "node:crypto";
import type { AiMessage } from "../../../ai/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import type { ConversationKey, Store, StoredConversation } from "../../store/index.ts";

export interface History {
  /** As they were found. */
  readonly messages: readonly AiMessage[];
  /** Throws where the conversation cannot take another message. */
  checkRoom(): void;
  /** Writes a question before its answer is there: the hub may end in between. An answer that it replaces stays kept until then. */
  keepQuestion(messages: readonly AiMessage[]): void;
  /** Writes what is different from what was kept. Never rejects: what could not be written is tried again with the next. */
  keep(messages: readonly AiMessage[]): Promise<void>;
}

export interface HistoryOptions {
  readonly store: Store;
  readonly key: ConversationKey;
  readonly origin: string | undefined;
  readonly found: StoredConversation | undefined;
  readonly limits: Pick<Limits, "conversationMessages">;
  readonly onError: (error: unknown) => void;
}

export function createHistory({ store, key, origin, found, limits, onError }: HistoryOptions): History {
  const messages = (found?.messages ?? []) as unknown as readonly AiMessage[];
  let kept = messages.map(digestOf);
  let problem: PagewireError | undefined;
  let writing = Promise.resolve();

  async function write(latest: readonly AiMessage[], isWhole: boolean): Promise<void> {
    const digests = latest.map(digestOf);
    const same = digests.findIndex((digest, at) => digest !== kept[at]);
    const keep = same < 0 ? digests.length : same;
    if (keep < kept.length && !isWhole) return;
    if (keep === kept.length && keep === digests.length) return void (problem = undefined);
    const added = latest.slice(keep) as unknown as readonly JsonObject[];
    try {
      await store.write(key, { keep, messages: added, origin });
      [kept, problem] = [digests, undefined];
    } catch (error) {
      onError(error);
      if (!PagewireError.isInstance(error)) return;
      if (error.code === "conversation-full") problem = error;
      // It was removed meanwhile: what there is begins it anew.
      if (error.code === "conversation-not-found" && keep > 0) {
        kept = [];
        await write(latest, isWhole);
      }
    }
  }

  return {
    messages,
    keepQuestion(latest) {
      writing = writing.then(() => write(latest, false));
    },
    checkRoom() {
      if (problem) throw problem;
      const { conversationMessages: most } = limits;
      if (kept.length < most) return;
      throw new PagewireError(
        "conversation-full",
        `This conversation has reached the limit conversationMessages of ${most}. Begin a new one, or cut it back.`,
      );
    },
    keep(latest) {
      writing = writing.then(() => write(latest, true));
      return writing;
    },
  };
}

function digestOf(message: AiMessage): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("base64");
}
