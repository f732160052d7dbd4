import { PagewireError } from "../../wire/index.ts";
import type { ErrorCode, OutcomeName } from "../../wire/index.ts";

/** The command's exit codes and their meanings. */
export const exitCodes = {
  0: "all is well",
  1: "the tool answered with an error, or something else went wrong",
  2: "the command line is wrong",
  3: "there is no hub",
  4: "refused by the hub or its policy, or the wrong hub for the token",
  5: "there is no such tool or tab",
  6: "the call did not reach the page; it is safe to try again",
  7: "the outcome is unknown: the call may have run",
  8: "the deadline passed",
  130: "cancelled",
} as const;

export type ExitCode = keyof typeof exitCodes;

/** Every outcome and every error that has an exit code of its own; all others have 1. */
const byName: { readonly [Name in OutcomeName | ErrorCode]?: ExitCode } = {
  ok: 0,
  "tool-error": 1,
  "options-invalid": 2,
  "address-refused": 2,
  "arguments-malformed": 2,
  "input-invalid": 2,
  "key-conflict": 2,
  "frame-too-large": 2,
  "hub-unreachable": 3,
  "hub-not-proven": 4,
  "token-required": 4,
  "token-invalid": 4,
  "token-expired": 4,
  "scope-needed": 4,
  "admin-needed": 4,
  "origin-not-allowed": 4,
  "host-refused": 4,
  "policy-denied": 4,
  "policy-unasked": 4,
  "policy-declined": 4,
  "policy-rate": 6,
  "tool-not-found": 5,
  "tool-ambiguous": 5,
  "offer-not-found": 5,
  "tab-not-found": 5,
  "browser-unknown": 5,
  "terminal-not-found": 5,
  "not-delivered": 6,
  "page-gone": 6,
  "tab-gone": 6,
  "browser-missing": 6,
  "calls-too-many": 6,
  "going-away": 6,
  "outcome-unknown": 7,
  expired: 7,
  "key-expired": 7,
  "deadline-exceeded": 8,
  cancelled: 130,
};

export function exitCodeOfError(error: unknown): ExitCode {
  return PagewireError.isInstance(error) ? (byName[error.code] ?? 1) : 1;
}

export function exitCodeOfOutcome({
  outcome,
  ran,
  code,
}: {
  readonly outcome: OutcomeName;
  readonly ran: "yes" | "no" | "maybe";
  readonly code?: ErrorCode;
}): ExitCode {
  if (outcome === "rejected") return (code && byName[code]) ?? 1;
  if (outcome === "page-suspended") return ran === "no" ? 6 : 7;
  return byName[outcome] ?? 1;
}
