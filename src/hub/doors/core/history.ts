// The stored form of one conversation: its messages as of the last finished answer, and the question asked since. A
// failed write is retried until it succeeds, even if the conversation goes idle.
import { createHash } from "node:crypto";
import type { AiMessage, AiNotSaved } from "../../../ai/index.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import { reasonWords } from "../../store/index.ts";
import type { ConversationKey, Later, Store, StoredConversation } from "../../store/index.ts";
import type { Note } from "../../common/log.ts";

export interface History {
  readonly key: ConversationKey;
  readonly origin: string | undefined;
  /** The messages as loaded, or the current ones if they are not saved yet. */
  readonly messages: readonly AiMessage[];
  /** Why the last change is not saved; null if it is. */
  readonly notSaved: AiNotSaved | null;
  /** Called when `notSaved` changes. */
  onChange: () => void;
  /** Throws if the conversation is full. */
  checkRoom(): void;
  /**
   * Saves a question before it is answered, in case the hub stops in between. The answer that it replaces stays stored
   * until then. Never rejects.
   */
  keepQuestion(messages: readonly AiMessage[]): Promise<void>;
  /** Saves the difference to the stored messages. Never rejects: a failed write is retried. */
  keep(messages: readonly AiMessage[]): Promise<void>;
  /** Marks the conversation as over: if it is deleted now, it is not created again. */
  close(): void;
  /** Drops unsaved messages. */
  giveUp(): void;
}

export interface HistoryOptions {
  readonly store: Pick<Store, "write" | "health">;
  readonly later: Later;
  readonly key: ConversationKey;
  readonly origin: string | undefined;
  readonly found: StoredConversation | undefined;
  readonly limits: Pick<Limits, "conversationMessages">;
  readonly onNotSaved: () => void;
  /** Called when a change is refused because another hub has the conversation. */
  readonly onElsewhere: () => void;
}

interface Wanted {
  readonly messages: readonly AiMessage[];
  /** Whether stored messages missing from this list are deleted. */
  readonly isWhole: boolean;
}

export function createHistory(options: HistoryOptions): History {
  const { store, later, key, origin, found, limits, onNotSaved, onElsewhere } = options;
  const foundMessages = (found?.messages ?? []) as unknown as readonly AiMessage[];
  let kept = foundMessages.map(digestOf);
  let notSaved: AiNotSaved | null = null;
  /** The messages to be written. */
  let wanted: Wanted | undefined;
  let writing = Promise.resolve();
  let isClosed = false;

  function become(problem: AiNotSaved | null): void {
    if (problem?.message === notSaved?.message) return;
    if (!notSaved) onNotSaved();
    notSaved = problem;
    history.onChange();
  }

  async function write({ messages, isWhole }: Wanted): Promise<void> {
    const digests = messages.map(digestOf);
    const same = digests.findIndex((digest, at) => digest !== kept[at]);
    const keep = same < 0 ? digests.length : same;
    if (keep < kept.length && !isWhole) return;
    if (keep === kept.length && keep === digests.length) return;
    try {
      await store.write(key, { keep, messages: messages.slice(keep) as unknown as readonly JsonObject[], origin });
      kept = digests;
    } catch (error) {
      // It was deleted in the meantime: create it again from the messages in memory.
      if (codeOf(error) !== "conversation-not-found" || keep === 0) throw error;
      kept = [];
      if (!isClosed) await write({ messages, isWhole });
    }
  }

  /** Rejects if a retry makes sense. */
  async function writeWanted(): Promise<void> {
    const trying = wanted;
    if (!trying) return;
    try {
      await write(trying);
    } catch (error) {
      if (codeOf(error) === "going-away") {
        isClosed = true;
        history.giveUp();
        return onElsewhere();
      }
      if (wanted !== trying) wanted = orWhole(wanted, trying);
      const isFull = codeOf(error) === "conversation-full";
      become(isFull ? { code: "conversation-full", message: messageOf(error) } : notSavedNow(store));
      if (!isFull) throw error;
      return;
    }
    if (wanted === trying) wanted = undefined;
    become(null);
  }

  function tryAgain(): Promise<void> {
    const tried = writing.then(writeWanted);
    writing = tried.catch(() => {});
    return tried;
  }

  async function want(next: Wanted): Promise<void> {
    wanted = notSaved ? orWhole(next, wanted) : next;
    await tryAgain().catch(() => later.add(tryAgain));
  }

  const history: History = {
    key,
    origin,
    get messages() {
      return wanted?.messages ?? foundMessages;
    },
    get notSaved() {
      return notSaved;
    },
    onChange: () => {},
    keepQuestion: (messages) => want({ messages, isWhole: false }),
    checkRoom() {
      if (notSaved?.code === "conversation-full") throw new PagewireError("conversation-full", notSaved.message);
      const { conversationMessages: max } = limits;
      if (kept.length < max) return;
      throw new PagewireError(
        "conversation-full",
        `This conversation has reached the limit conversationMessages of ${max}. Begin a new one, or cut it back.`,
      );
    },
    keep: (messages) => want({ messages, isWhole: true }),
    close() {
      isClosed = true;
    },
    giveUp() {
      wanted = undefined;
      become(null);
    },
  };
  return history;
}

function notSavedNow(store: HistoryOptions["store"]): AiNotSaved {
  const message = `This conversation is not being saved${reasonWords(store.health().reason)}. It will be tried again.`;
  return { code: "not-saved", message };
}

/** Keeps the deletion that a failed earlier write asked for. */
function orWhole<Next extends Wanted | undefined>(next: Next, earlier: Wanted | undefined): Next {
  return next && earlier?.isWhole ? { ...next, isWhole: true } : next;
}

function codeOf(error: unknown): string | undefined {
  return PagewireError.isInstance(error) ? error.code : undefined;
}

function digestOf(message: AiMessage): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("base64");
}

/** Conversations that have no client and are not saved yet. They can be reopened from here until they are saved. */
export interface UnsavedHistories {
  /** Undefined if there is no such conversation here. */
  take(key: ConversationKey, origin: string | undefined): History | undefined;
  /** Adds a conversation, unless it is saved. `left` is called once it is not here any more. */
  put(history: History, left: () => void): void;
}

/** The max total length in characters; the oldest history is evicted, and its retries stop. */
const mostCharacters = 64 * 1024 * 1024;

export function createUnsavedHistories(note: Note): UnsavedHistories {
  const kept = new Map<string, { readonly history: History; readonly size: number; readonly left: () => void }>();
  let size = 0;

  function remove(id: string): void {
    const one = kept.get(id);
    if (!one) return;
    size -= one.size;
    kept.delete(id);
    one.left();
  }

  return {
    take({ principal, id }, origin) {
      const history = kept.get(id)?.history;
      if (history?.key.principal !== principal || history.origin !== origin) return undefined;
      remove(id);
      return history;
    },
    put(history, left) {
      if (!history.notSaved) return left();
      const { id } = history.key;
      const one = { history, left, size: JSON.stringify(history.messages).length };
      kept.set(id, one);
      size += one.size;
      history.onChange = () => {
        if (!history.notSaved) remove(id);
      };
      for (const [oldest, { history: lost }] of kept) {
        if (size <= mostCharacters || oldest === id) break;
        lost.giveUp();
        remove(oldest);
        note("error", "conversation-lost");
      }
    },
  };
}
