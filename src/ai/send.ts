// What a send does to the conversation: adds to it, and where no answer comes of it, undoes what it did.
import { converse } from "./converse.ts";
import { noCalls } from "./core-state.ts";
import type { CoreValues } from "./core-state.ts";
import { isHttpError } from "./answer.ts";
import type { Entry } from "./messages.ts";
import type { Run } from "./run.ts";
import type { AiHttpError, AiMessage } from "./types.ts";

export interface SendNeeds extends Pick<Run, "desk" | "state" | "options" | "loadProvider"> {
  readonly message: Entry;
  /** Where in the conversation the message goes; what was there makes room. */
  readonly at: number;
}

export interface Send {
  /** Resolves with the answer's text; with null where it ends without one. Never rejects. */
  start(): Promise<string | null>;
  /** Ends it without an answer. */
  end(): void;
  /** Makes the conversation these messages, and ends where what it answers is not among them. False where it is not on. */
  replace(messages: Entry[]): boolean;
}

export function createSend({ message, at, ...needs }: SendNeeds): Send {
  const { desk, state, options } = needs;
  const { values, update } = state;
  const controller = new AbortController();
  const added = new Set([message.id]);
  let isOver = false;
  let removed: readonly AiMessage[] = [];
  /** There once it has begun. */
  let resolve: ((text: string | null) => void) | undefined;

  const run: Run = {
    ...needs,
    signal: controller.signal,
    added,
    add(...messages) {
      controller.signal.throwIfAborted();
      for (const { id } of messages) added.add(id);
      update({ streaming: false, messages: [...values.messages, ...messages] });
    },
    undo: () => ({ messages: [...values.messages.filter(({ id = "" }) => !added.has(id)), ...removed] }),
  };

  function finish(changes: Partial<CoreValues>, text: string | null): void {
    if (isOver) return;
    isOver = true;
    // Another has been sent before it could begin: what can be seen is that one's.
    if (!resolve) return;
    desk.waiting.clear();
    options.signal?.removeEventListener("abort", end);
    update({ streaming: false, ...changes, loading: false });
    controller.abort();
    resolve(text);
  }

  /** What has come by now is shown first; a listener may end it then. */
  function giveUp(changes: Partial<CoreValues> = {}): void {
    if (resolve && !isOver) update({});
    if (!isOver) finish({ ...run.undo(), ...changes }, null);
  }

  const end = () => giveUp();

  return {
    end,
    start() {
      if (isOver) return Promise.resolve(null);
      removed = values.messages.slice(at);
      const answer = new Promise<string | null>((settle) => (resolve = settle));
      options.signal?.addEventListener("abort", end);
      const messages = [...values.messages.slice(0, at), message];
      update({ loading: true, streaming: false, error: null, usage: null, object: null, toolCalls: noCalls, messages });
      if (options.signal?.aborted) end();
      // A listener may have ended it, too.
      if (!isOver) {
        converse(run).then(
          (last) => finish({ messages: [...values.messages, last] }, last.content),
          (failure: unknown) => giveUp({ error: toError(failure) }),
        );
      }
      return answer;
    },
    replace(messages) {
      // So that none that hears of it then finds this half done.
      update({});
      if (isOver || !resolve) return false;
      removed = [];
      if (messages.some(({ id }) => id === message.id)) update({ messages });
      else giveUp({ messages });
      return true;
    },
  };
}

type Coded = Error & { readonly code?: unknown };

function toError(cause: unknown): AiHttpError | Error {
  if (isHttpError(cause)) return cause;
  const error: Coded = cause instanceof Error ? cause : new Error("A non-error was thrown.", { cause });
  // JSON has nothing of an error: a server that sends its core's values would send {}.
  const value = () => ({ name: error.name, message: error.message, code: error.code });
  Reflect.defineProperty(error, "toJSON", { value });
  return error;
}
