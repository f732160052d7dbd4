// Errors for programs in a terminal: the messages that other implementations' programs know, plus our own codes, which
// distinguish the causes.
import { PagewireError, isErrorCode } from "../../../wire/index.ts";
import type { ErrorCode, Outcome, OutcomeName, Ran, Payload } from "../../../wire/index.ts";
import type { ServerResponse } from "node:http";
import { retryHeaders, sendParts } from "../../http/exchange.ts";

export interface Failure {
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly body: FailureBody;
}

export interface FailureBody {
  readonly detail: string;
  readonly code: ErrorCode;
  readonly outcome: OutcomeName;
  readonly ran: Ran;
  /** Our own message, if it is more specific. */
  readonly message?: string;
  readonly replay?: true;
  readonly notSaved?: true;
}

const noBrowser = "No browser client connected to this workspace";
const notAvailable = "Browser connection not available";

const details: Partial<Record<ErrorCode, string>> = {
  "token-required": "Missing workspace token",
  "token-invalid": "Invalid workspace token",
  "token-expired": "Workspace token expired",
  "browser-unknown": "Unknown browser ID",
  "browser-missing": noBrowser,
  "tab-not-found": noBrowser,
  "tab-gone": notAvailable,
  "tab-suspended": notAvailable,
  "not-delivered": notAvailable,
  "outcome-unknown": notAvailable,
  "deadline-exceeded": "Browser client did not respond within timeout",
};

const statuses: Partial<Record<ErrorCode, number>> = {
  "token-required": 401,
  "token-invalid": 401,
  "token-expired": 401,
  "origin-not-allowed": 403,
  "scope-needed": 403,
  "policy-denied": 403,
  "policy-unasked": 403,
  "policy-declined": 403,
  "browser-unknown": 403,
  "browser-missing": 502,
  "tab-not-found": 502,
  "route-not-found": 404,
  "method-not-allowed": 405,
  "key-conflict": 409,
  "key-expired": 410,
  "body-too-large": 413,
  "request-malformed": 422,
  "arguments-malformed": 422,
  "input-invalid": 422,
  "calls-too-many": 429,
  "policy-rate": 429,
  "going-away": 503,
  "not-saved": 503,
};

/** A refusal before there was a call. Details of unexpected errors are hidden. */
export function failureOfError(error: unknown): Failure {
  const { code, message, retryAfter } = PagewireError.isInstance(error)
    ? error
    : new PagewireError("internal-error", "Something failed inside the hub.");
  const detail = details[code] ?? message;
  return {
    status: statuses[code] ?? 500,
    retryAfter,
    body: { detail, code, outcome: "rejected", ran: "no", ...(detail === message ? {} : { message }) },
  };
}

export const tabClosed = "The tab that this terminal was in has closed. Open the terminal in another.";

/** Replace the switchboard's messages, which name other tabs and call the key by another name. */
const messages: Partial<Record<ErrorCode, string>> = {
  "tab-not-found": tabClosed,
  "key-conflict": "The Idempotency-Key was used for another action or other arguments. Use a new one.",
  "key-expired": "The Idempotency-Key was used before, and how that ended is no longer kept. Nothing was run.",
};

/** The codes of these outcomes, regardless of the page's error. */
const codeOfOutcome: Partial<Record<OutcomeName, ErrorCode>> = {
  "page-gone": "tab-gone",
  "page-suspended": "tab-suspended",
  "not-delivered": "not-delivered",
  "outcome-unknown": "outcome-unknown",
  "deadline-exceeded": "deadline-exceeded",
  cancelled: "cancelled",
  expired: "key-expired",
};

/** A call that failed. */
export function failureOfOutcome(action: string, ended: Outcome): Failure {
  const { outcome, ran, retryAfter, replay, notSaved } = ended;
  const code = codeOfEnd(ended);
  const message = messages[code] ?? ended.message ?? "";
  const detail = code === "tool-not-found" ? `Unknown action: ${action.slice(0, 128)}` : (details[code] ?? message);
  const more = detail === message || message === "" ? {} : { message };
  const body = {
    detail,
    code,
    outcome,
    ran,
    ...more,
    ...(replay ? { replay } : {}),
    ...(notSaved ? { notSaved } : {}),
  };
  return { status: statuses[code] ?? 502, retryAfter, body };
}

function codeOfEnd({ outcome, code }: Outcome): ErrorCode {
  // Set by the hub: a page's code only counts in a tool error.
  if (code === "not-saved" && outcome !== "tool-error") return code;
  return codeOfOutcome[outcome] ?? codeFromPage(code);
}

/** An incomplete answer: some of its chunks never arrived. */
export function failureOfLoss(lost: number, sent: number): Failure {
  const detail = `${lost} of ${sent} pieces of the answer were lost on the way from the tab. The action has run. Look before you try again.`;
  return {
    status: 502,
    retryAfter: undefined,
    body: { detail, code: "pieces-lost", outcome: "tool-error", ran: "yes" },
  };
}

/** A code from a page. Codes about credentials, terminals and the hub itself are not accepted from pages. */
export function codeFromPage(code: unknown): ErrorCode {
  return isErrorCode(code) && !notPages.test(code) ? code : "handler-failed";
}

const notPages =
  /^(token|code|origin|host|browser|terminals?|route|method|scope)-|^(going-away|not-saved|store-damaged)$/;

export function respondParts(response: ServerResponse, parts: readonly Payload[]): void {
  if (!response.destroyed) sendParts(response, { status: 200, parts });
}

export function respondFailure(
  response: ServerResponse,
  { status, retryAfter, body }: Failure,
  more: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  const headers = {
    ...more,
    ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...retryHeaders(retryAfter),
  };
  sendParts(response, { status, parts: [JSON.stringify(body)], headers });
}
