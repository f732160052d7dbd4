// The calls of a client, in the order in which they were made: those that wait to be sent, and those that wait to be
// answered. Each ends once.
import type { Clock } from "../../link/index.ts";
import type { ClientMessage, ClientTransport } from "./messages.ts";
import { remoteError } from "./remote-error.ts";

/** Options of one call. */
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
  /** The transport that it was last given to. */
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
  /** Receives a call that its caller cancelled. */
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

/** The error of a cancelled call. */
export function abortedError(signal: AbortSignal | undefined): Error {
  return remoteError("WC_BINDABLE_ABORTED", "The call was aborted.", { name: "AbortError", cause: signal?.reason });
}

/** An unguessable id; `randomUUID` is missing in insecure contexts. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
