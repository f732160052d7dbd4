// The calls of a client, in the order in which they were made: those that wait to be sent, and those that wait to be
// answered. Each ends once.
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import { copyJson } from "./copy-json.ts";
import type { BindableLogger, ClientMessage, ClientTransport, ServerMessage } from "./messages.ts";
import { remoteError, reviveError } from "./remote-error.ts";

export interface RemoteCoreProxyOptions {
  /** Calls that may be unanswered at one time. 1024 when left out. */
  readonly maxPendingInvocations?: number;
  /** Calls that may wait for the server's first answer. 1024 when left out. */
  readonly maxPreSyncQueue?: number;
  /** `eager` does not let `set` and `invoke` wait for it: an earlier `setWithAck` may then come after them. */
  readonly preSyncBehavior?: "queue" | "eager";
  /** Milliseconds that a call without a timeout of its own waits for its answer; 0 for ever. 30 000 when left out. */
  readonly timeoutMs?: number;
  /** Milliseconds between signs of life, with a server that knows them; 0 for none. 15 000 when left out. */
  readonly heartbeat?: number;
  readonly logger?: BindableLogger;
  readonly clock?: Clock;
}

export interface AckOptions {
  /** Milliseconds to wait for the answer; 0 waits for ever. */
  readonly timeoutMs?: number;
  /** Aborting ends the call at once, and cancels it at servers that support that. */
  readonly signal?: AbortSignal;
}

export type CallMessage = Extract<ClientMessage, { type: "set" | "cmd" | "cancel" }>;

export type Outcome = { readonly value?: unknown } | { readonly error: unknown };

export interface Call {
  /** Without its id. */
  readonly message: CallMessage;
  readonly id: string;
  /** The last transport that it was sent over. */
  sentOn?: ClientTransport;
  settle(outcome: Outcome): void;
}

export interface ClientCalls extends Iterable<Call> {
  readonly size: number;
  /** How many were not sent yet. */
  readonly waiting: number;
  get(id: string): Call | undefined;
  /** Adds a call without a reply. */
  add(message: CallMessage, settled?: Call["settle"]): Call;
  /** Adds a call with a reply. */
  ask(message: CallMessage, options: AckOptions): { readonly call: Call; readonly answer: Promise<unknown> };
  remove(call: Call): void;
  /** Ends all, or those that match, in their order. */
  fail(error: unknown, which?: (call: Call) => boolean): void;
}

export interface ClientCallsOptions {
  readonly clock: Clock;
  /** Receives a call that its caller cancelled or that timed out. */
  readonly givenUp: (call: Call) => void;
}

export function createClientCalls({ clock, givenUp }: ClientCallsOptions): ClientCalls {
  const calls = new Map<string, Call>();

  function add(message: CallMessage, settled: Call["settle"] = () => {}): Call {
    const call: Call = {
      message,
      id: newId(),
      settle(outcome) {
        calls.delete(call.id);
        settled(outcome);
      },
    };
    calls.set(call.id, call);
    return call;
  }

  return {
    [Symbol.iterator]: () => calls.values(),
    get size() {
      return calls.size;
    },
    get waiting() {
      return [...calls.values()].filter(({ sentOn }) => !sentOn).length;
    },
    get: (id) => calls.get(id),
    add,
    ask(message, { timeoutMs = 0, signal }) {
      const call = add(message, (outcome) => {
        stopTimer();
        signal?.removeEventListener("abort", abort);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
      const giveUp = (error: Error) => {
        call.settle({ error });
        givenUp(call);
      };
      const late = `There was no answer within ${timeoutMs} ms.`;
      const stopTimer =
        timeoutMs > 0
          ? clock.after(timeoutMs, () => giveUp(remoteError("WC_BINDABLE_TIMEOUT", late, { name: "TimeoutError" })))
          : () => {};
      const abort = () => giveUp(abortedError(signal));
      signal?.addEventListener("abort", abort);
      let resolve: (value: unknown) => void = () => {};
      let reject: (error: unknown) => void = () => {};
      const answer = new Promise<unknown>((...settlers) => ([resolve, reject] = settlers));
      return { call, answer };
    },
    remove: ({ id }) => void calls.delete(id),
    fail(error, which = () => true) {
      for (const call of [...calls.values()]) if (which(call)) call.settle({ error });
    },
  };
}

/** A call's outcome from the server's reply; a malformed reply is an error. */
export function readOutcome(answer: Extract<ServerMessage, { type: "return" | "throw" }>): Outcome {
  try {
    if (answer.type === "return") return { value: copyJson(answer.value) };
    // The thrown value may be no Error, such as a response's status.
    const error = reviveError(answer.error) ?? copyJson(answer.error);
    if (error === undefined) throw new TypeError("it names no error");
    return { error };
  } catch (error) {
    const text = `The answer to a call cannot be read: ${messageOf(error)}.`;
    return { error: remoteError("WC_BINDABLE_PROTOCOL_ERROR", text) };
  }
}

/** The error of a cancelled call. */
export function abortedError(signal: AbortSignal | undefined): Error {
  return remoteError("WC_BINDABLE_ABORTED", "The call was aborted.", { name: "AbortError", cause: signal?.reason });
}

/** An unguessable id; `randomUUID` is missing in insecure contexts. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
