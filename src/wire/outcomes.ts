import type { ErrorCode } from "./errors.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject, Payload } from "./json.ts";

/** Every way in which a call can end. The list is closed: a call has exactly one of these. */
export const outcomeNames = [
  "ok",
  "tool-error",
  "rejected",
  "not-delivered",
  "page-gone",
  "page-suspended",
  "deadline-exceeded",
  "cancelled",
  "expired",
  "outcome-unknown",
] as const;

export type OutcomeName = (typeof outcomeNames)[number];

/** Whether the handler ran: a call is safe to repeat only after "no". */
export type Ran = "yes" | "no" | "maybe";

export interface Outcome {
  readonly outcome: OutcomeName;
  readonly ran: Ran;
  /** The page's own answer, unchanged: with "ok", and with the "tool-error" of a tool. */
  readonly payload?: Payload;
  /** The payload is MCP's `input_required`, not a result: the caller is to call again with the answers. */
  readonly inputRequired?: true | undefined;
  /** The error: with every outcome that has no payload. */
  readonly code?: ErrorCode;
  readonly message?: string;
  /** Milliseconds until a rejected call may be repeated. */
  readonly retryAfter?: number | undefined;
  /** True for a repeated outcome, of the same key or of a duplicate call. */
  readonly replay?: boolean | undefined;
  /** The hub could not write the outcome to its ledger: after a restart its key may not return it. */
  readonly notSaved?: true | undefined;
  /** The rule of the hub's policy that refused the call: for audit records. */
  readonly rule?: string;
}

/** The marks in a result's `_meta`: it is a replay, or the hub could not write it. */
function endMarks({ replay, notSaved }: Pick<Outcome, "replay" | "notSaved">): JsonObject {
  return { ...(replay && { "pagewire/replay": true }), ...(notSaved && { "pagewire/not-saved": true }) };
}

/** The outcome as data for programs, next to the text for a model. */
export function outcomeMarks({ outcome, code, ran, retryAfter, ...end }: Outcome): JsonObject {
  return {
    "pagewire/outcome": outcome,
    "pagewire/ran": ran,
    ...(code === undefined ? {} : { "pagewire/code": code }),
    ...(retryAfter === undefined ? {} : { "pagewire/retryAfter": retryAfter }),
    ...endMarks(end),
  };
}

/** Adds the marks to a result that is a replay or that the hub could not write. */
export function markResult(result: JsonObject, outcome: Pick<Outcome, "replay" | "notSaved">): JsonObject {
  const { _meta } = result;
  if (isPlainEnd(outcome)) return result;
  return { ...result, _meta: { ...(isJsonObject(_meta) ? _meta : {}), ...endMarks(outcome) } };
}

export function isPlainEnd({ replay, notSaved }: Pick<Outcome, "replay" | "notSaved">): boolean {
  return !replay && !notSaved;
}
