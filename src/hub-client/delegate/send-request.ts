// One request to the hub, with a timeout. Every failure has a name, and whether the action may have run.
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import { DelegateError } from "./delegate.ts";
import type { DelegateFetch, DelegateResponse } from "../hub-client.ts";

export interface Sent {
  readonly fetch: DelegateFetch;
  readonly clock: Clock;
  readonly url: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** If set, the request is a POST. */
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
  /** The timeout of the hub's silence, in milliseconds. */
  readonly timeout: number;
}

/** Sends a request and parses its answer; the parser calls `received` with every chunk. */
export async function sendRequest<Value>(
  sent: Sent,
  read: (response: DelegateResponse, received: () => void) => Promise<Value>,
): Promise<Value> {
  const { fetch, clock, url, path, headers, body, signal, timeout } = sent;
  if (signal?.aborted === true) throw cancelled(signal, "no");
  const cut = new AbortController();
  const abort = () => cut.abort(cancelled(signal, "maybe"));
  signal?.addEventListener("abort", abort);
  const wait = () => clock.after(timeout, () => cut.abort(late(timeout)));
  let stopWaiting = wait();
  const received = () => {
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
    return await read(response, received);
  } catch (error) {
    // The parser's error after an abort is not the cause: the abort's reason is.
    if (cut.signal.aborted) throw cut.signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    stopWaiting();
  }
}

/** An incomplete answer. */
export function cutShort(error: unknown): DelegateError {
  const message = `The connection to the hub was lost: ${messageOf(error)}. The action may have run. Look before you try again.`;
  return new DelegateError("outcome-unknown", message, { outcome: "outcome-unknown", ran: "maybe", cause: error });
}

function cancelled(signal: AbortSignal | undefined, ran: "no" | "maybe"): DelegateError {
  const reason: unknown = signal?.reason;
  const message = reason === undefined ? "The caller cancelled the action." : messageOf(reason);
  return new DelegateError("cancelled", message, { outcome: "cancelled", ran });
}

function late(timeout: number): DelegateError {
  const message = `The hub sent nothing for ${timeout / 1000} seconds.`;
  return new DelegateError("deadline-exceeded", message, { outcome: "deadline-exceeded", ran: "maybe" });
}

/** The fields of a runtime's error with the cause of a failed request. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  /** For a name with several addresses, whose own error has no code. */
  readonly errors?: readonly SystemError[];
}

function whyNoAnswer(url: string, error: unknown): DelegateError {
  const { cause = error } = Object(error) as { readonly cause?: unknown };
  const { code, message: said }: SystemError = Object(cause);
  const isUnsent = wasNotSent(Object(cause) as SystemError);
  if (typeof code === "string" && !isUnsent) return cutShort(cause);
  const why = said === "" && typeof code === "string" ? code : messageOf(cause);
  const message = `No hub answers at ${url}: ${why}. Start it with: npx pagewire`;
  // Browsers hide the cause from cross-origin pages.
  return new DelegateError("hub-unreachable", message, { ran: isUnsent ? "no" : "maybe", cause: error });
}

/** Errors that only occur before a request is sent. All others may have occurred after it arrived. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_(TLS|SSL)_\w+|UNABLE_TO_\w+|\w*CERT\w*)$/;

function wasNotSent({ code, errors: [first] = [], syscall = first?.syscall }: SystemError): boolean {
  return syscall === "connect" || syscall === "getaddrinfo" || (typeof code === "string" && unsent.test(code));
}
