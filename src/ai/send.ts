// Applies a send to the conversation: adds its messages, and undoes that where there is no answer.
import { noCalls } from "./core-state.ts";
import type { CoreValues } from "./core-state.ts";
import { isHttpError, createAnswer } from "./answer.ts";
import { assistantMessage } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { Run, Ask } from "./run.ts";
import type { AiHttpError, AiMessage } from "./types.ts";
import { ask } from "./ask.ts";
import { loaded } from "./lazy-parts.ts";

export interface SendNeeds extends Pick<Run, "desk" | "state" | "options" | "loadProvider"> {
  readonly message: Entry;
  /** The message's index in the conversation; messages from there on are replaced. */
  readonly at: number;
}

export interface Send {
  /** Resolves with the answer's text; with null where it ends without one. Never rejects. */
  start(): Promise<string | null>;
  /** Ends it without an answer. */
  end(): void;
  /**
   * Replaces the conversation's messages; ends if the message to answer is not among them. False if it is not active.
   */
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
    // Another send started before this one could: the visible state belongs to that one.
    if (!resolve) return;
    desk.waiting.clear();
    options.signal?.removeEventListener("abort", end);
    update({ streaming: false, ...changes, loading: false });
    controller.abort();
    resolve(text);
  }

  /** Pending values are shown first; a listener may end it then. */
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
          (last) => finish({ messages: [...values.messages, last] }, run.answer?.content ?? null),
          (failure: unknown) => giveUp({ error: toError(failure) }),
        );
      }
      return answer;
    },
    replace(messages) {
      // So that no listener sees a half-updated state.
      update({});
      if (isOver || !resolve) return false;
      removed = [];
      if (messages.some(({ id }) => id === message.id)) update({ messages });
      else giveUp({ messages });
      return true;
    },
  };
}

type Coded = Error & Partial<AiHttpError> & { readonly code?: unknown };

function toError(cause: unknown): AiHttpError | Error {
  const isError = cause instanceof Error;
  if (!isError && isHttpError(cause)) return cause;
  const error: Coded = isError ? cause : new Error("A non-error was thrown.", { cause });
  // JSON has nothing of an error: a server that sends its core's values would send {}.
  const { name, message, code, status, retryAfter } = error;
  const value = () => ({ name, message, code, status, retryAfter });
  Reflect.defineProperty(error, "toJSON", { value });
  return error;
}

/** Returns the final message; throws if there is none. */
async function converse(run: Run): Promise<Entry> {
  const { options, state, signal } = run;
  const { tools, mcp, retries, responseSchema, onFailure, prices, getApiKey, maxToolRoundtrips } = options;
  const { messages } = state.values;
  const provider = await run.loadProvider();

  const askOnce: Ask = async ({ show, ...asked }) => {
    signal.throwIfAborted();
    const answer = (run.answer = createAnswer());
    const view = () => {
      const { content, reasoning, usage } = answer;
      return { content, reasoning, usage, ...show?.(answer) };
    };
    await ask(answer, {
      ...asked,
      provider,
      signal,
      onStream: () => state.update({ content: "", reasoning: "", streaming: true }),
      onMore: () => state.later(view),
    });
    signal.throwIfAborted();
    state.later(view);
    return answer;
  };

  const isSimple =
    !(tools || mcp || retries || responseSchema || onFailure || prices || getApiKey) &&
    !messages.some(({ toolCalls, from, content }) => toolCalls || from || typeof content !== "string");
  const answer = isSimple ? await askOnce({ messages, options }) : undefined;
  if (answer && (answer.deltas.length === 0 || maxToolRoundtrips === 0)) return assistantMessage(answer);
  const { elaborate } = await loaded(import("./elaborate.ts"));
  return await elaborate(run, { provider, ask: askOnce, first: answer });
}
