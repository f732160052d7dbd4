import { messageOf } from "../../wire/index.ts";
import type { WireError } from "./messages.ts";

/** Every code that an error of a remote core may have, and what it means. Those of the protocol begin with WC_BINDABLE. */
export const remoteErrorCodes = {
  WC_BINDABLE_UNDECLARED_INPUT: "The core declares no such input.",
  WC_BINDABLE_UNDECLARED_COMMAND: "The core declares no such command.",
  WC_BINDABLE_RESERVED_NAME: "A declaration may not use this name.",
  WC_BINDABLE_DUPLICATE_ID: "A message repeats the id of one that is not answered yet.",
  WC_BINDABLE_INVALID_JSON_VALUE: "A value is not one that JSON carries unchanged, or it is too deep or too large.",
  WC_BINDABLE_INVALID_RETURN_VALUE: "The command's result cannot be sent as JSON, or is too deep or too large.",
  WC_BINDABLE_TIMEOUT: "There was no answer in time.",
  WC_BINDABLE_ABORTED: "The caller gave up.",
  WC_BINDABLE_REMOTE_THROW: "The core threw.",
  WC_BINDABLE_PROTOCOL_ERROR: "The other side sent what the protocol does not have.",
  WC_BINDABLE_SET_ACK_UNSUPPORTED: "The server does not acknowledge assignments.",
  WC_BINDABLE_DISPOSED: "The proxy was disposed.",
  WC_BINDABLE_TERMINAL_FAILURE: "The connection is lost.",
  WC_BINDABLE_PRE_SYNC_QUEUE_FULL: "Too many calls wait for the first answer of the server.",
  WC_BINDABLE_INVALID_ACK_OPTIONS: "A call's options have the wrong form.",
  PAGEWIRE_TOO_MANY_CALLS: "Too many calls are unanswered.",
  PAGEWIRE_TOO_MANY_SESSIONS: "Too many sessions are open, or too many clients share one.",
  PAGEWIRE_SESSION_CLOSING: "The session is just being closed. Connect again.",
  PAGEWIRE_SESSION_UNKNOWN: "There is no such session for this principal.",
} as const;

export type RemoteErrorCode = keyof typeof remoteErrorCodes;

/** An error with one of the codes of `remoteErrorCodes`, or of the core's own. */
export interface RemoteError extends Error {
  readonly code: string;
}

export interface RemoteErrorOptions {
  readonly name?: string;
  readonly cause?: unknown;
}

export function remoteError(
  code: RemoteErrorCode,
  message: string,
  { name = "Error", cause }: RemoteErrorOptions = {},
): RemoteError {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { name, code });
}

export function lostError(message: string): RemoteError {
  return remoteError("WC_BINDABLE_TERMINAL_FAILURE", message);
}

/** The peer's error as an Error; undefined when it is malformed. */
export function reviveError(given: unknown): Error | undefined {
  const { name, message, code } = Object(given) as Partial<Readonly<Record<string, unknown>>>;
  if (typeof name !== "string" || typeof message !== "string") return undefined;
  return Object.assign(new Error(message, { cause: given }), { name }, typeof code === "string" && { code });
}

/** Whether a call failed on its way, not in the core. */
export function isTransportFailure(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return (
    typeof code === "string" &&
    /^(WC_BINDABLE_(TIMEOUT|ABORTED|DISPOSED|TERMINAL_FAILURE|PRE_SYNC_QUEUE_FULL|SET_ACK_UNSUPPORTED|PROTOCOL_ERROR)|PAGEWIRE_.*)$/.test(
      code,
    )
  );
}

/** A thrown value in its form for the peer: without stack and cause. Never throws. */
export function toWireError(thrown: unknown): WireError {
  const message = messageOf(thrown);
  if (!isError(thrown)) return { name: "NonErrorThrow", message, code: "WC_BINDABLE_REMOTE_THROW" };
  return {
    name: textOf(thrown, "name") || "Error",
    message,
    code: textOf(thrown, "code") ?? "WC_BINDABLE_REMOTE_THROW",
  };
}

/** Whether it is an error, of this realm or another. Never throws. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

function textOf(thrown: object, field: "name" | "code"): string | undefined {
  try {
    const text = (thrown as Readonly<Record<string, unknown>>)[field];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
