import { messageOf } from "../../wire/index.ts";
import type { RemoteErrorCode } from "./error-codes.ts";
import type { WireError } from "./messages.ts";

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

/** What the peer says of an error, as an error; undefined when it says nothing sound. */
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

/** What is told to the peer of anything that was thrown: never a stack, never what caused it. Never throws. */
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
