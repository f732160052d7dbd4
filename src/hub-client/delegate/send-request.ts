// One request to the hub, with an end to its patience. Whatever fails has a name, and says whether the action may have run.
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import { DelegateError } from "./delegate.ts";
import type { DelegateFetch, DelegateResponse } from "./delegate-fetch.ts";

export interface Sent {
  readonly fetch: DelegateFetch;
  readonly clock: Clock;
  readonly url: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** Where there is one, it is posted. */
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds that the hub may be silent. */
  readonly patience: number;
}

/** Sends a request and has its answer read; `heard` is to be called with every sign of life. */
export async function sendRequest<Value>(
  sent: Sent,
  read: (response: DelegateResponse, heard: () => void) => Promise<Value>,
): Promise<Value> {
  const { fetch, clock, url, path, headers, body, signal, patience } = sent;
  if (signal?.aborted === true) throw cancelled(signal, "no");
  const cut = new AbortController();
  const abort = () => cut.abort(cancelled(signal, "maybe"));
  signal?.addEventListener("abort", abort);
  const wait = () => clock.after(patience, () => cut.abort(late(patience)));
  let stopWaiting = wait();
  const heard = () => {
    stopWaiting();
    stopWaiting = wait();
  };
  try {
    const method = body === undefined ? "GET" : "POST";
    const request = { method, headers, signal: cut.signal, redirect: "manual" } as const;
    const response = await fetch(url + path, body === undefined ? request : { ...request, body }).catch(
      (error: unknown) => {
        throw whyNoAnswer(url, error);
      },
    );
    return await read(response, heard);
  } catch (error) {
    // What the reading of an answer that was cut off fails with is not why it was.
    if (cut.signal.aborted) throw cut.signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    stopWaiting();
  }
}

/** An answer that ended before it was whole. */
export function cutShort(error: unknown): DelegateError {
  const message = `The connection to the hub was lost: ${messageOf(error)}. The action may have run. Look before you try again.`;
  return new DelegateError("outcome-unknown", message, { outcome: "outcome-unknown", ran: "maybe", cause: error });
}

function cancelled(signal: AbortSignal | undefined, ran: "no" | "maybe"): DelegateError {
  const reason: unknown = signal?.reason;
  const message = reason === undefined ? "The caller cancelled the action." : messageOf(reason);
  return new DelegateError("cancelled", message, { outcome: "cancelled", ran });
}

function late(patience: number): DelegateError {
  const message = `The hub said nothing for ${patience / 1000} seconds.`;
  return new DelegateError("deadline-exceeded", message, { outcome: "deadline-exceeded", ran: "maybe" });
}

/** What runtimes tell of why a request failed. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  /** Of a name with several addresses, which itself says nothing. */
  readonly errors?: readonly SystemError[];
}

function whyNoAnswer(url: string, error: unknown): DelegateError {
  const { cause = error } = Object(error) as { readonly cause?: unknown };
  const { code, message: said }: SystemError = Object(cause);
  const isUnsent = wasNotSent(Object(cause) as SystemError);
  if (typeof code === "string" && !isUnsent) return cutShort(cause);
  const why = said === "" && typeof code === "string" ? code : messageOf(cause);
  const message = `No hub answers at ${url}: ${why}. Start it with: npx pagewire`;
  // Browsers do not tell strangers' pages what it was.
  return new DelegateError("hub-unreachable", message, { ran: isUnsent ? "no" : "maybe", cause: error });
}

/** What can only happen before a request leaves. All else may have happened on its way, or on that of its answer. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_(TLS|SSL)_\w+|UNABLE_TO_\w+|\w*CERT\w*)$/;

function wasNotSent({ code, errors: [first] = [], syscall = first?.syscall }: SystemError): boolean {
  return syscall === "connect" || syscall === "getaddrinfo" || (typeof code === "string" && unsent.test(code));
}
