import { PagewireError, closeNameOf, errorCodes, isErrorCode, messageOf } from "../wire/index.ts";
import type { CloseReason, ErrorCode, FrameToAgent } from "../wire/index.ts";

/** Refusals that the same client would get again. */
const lasting: readonly ErrorCode[] = [
  "hub-not-proven",
  "token-required",
  "token-invalid",
  "token-expired",
  "version-unsupported",
  "origin-not-allowed",
  "host-refused",
];

/** Whether the same hello would be refused again. */
export function isLasting({ code }: PagewireError): boolean {
  return lasting.includes(code);
}

/** Why there is no link, as a message for people. */
export function whyNoLink(url: string, error: PagewireError): PagewireError {
  if (error.code !== "hub-unreachable") return error;
  const why = error.cause === undefined ? "" : ` (${messageOf(error.cause)})`;
  const message = `No hub answers at ${url}${why}. Start it with: npx pagewire`;
  return new PagewireError("hub-unreachable", message, { cause: error });
}

/** Why a link ended before a hub welcomed it. */
export function whyNotWelcome(url: string, reason: CloseReason): PagewireError {
  return named(reason) ?? new PagewireError("hub-unreachable", `Something answers at ${url}, but not as a hub.`);
}

/** Why a working link ended. */
export function whyLost(reason: CloseReason): PagewireError {
  return named(reason) ?? new PagewireError("hub-unreachable", "The connection to the hub was lost.");
}

function named({ code }: CloseReason): PagewireError | undefined {
  const name = closeNameOf(code);
  return name === undefined || name === "normal" ? undefined : new PagewireError(name, errorCodes[name]);
}

/** The error in a hub's refusal. */
export function whyRefused({ code, message, command }: Extract<FrameToAgent, { type: "refused" }>): PagewireError {
  const next = command === undefined ? "" : ` Put it right with: ${command}`;
  return new PagewireError(isErrorCode(code) ? code : "internal-error", message + next);
}
