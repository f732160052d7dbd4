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

/** Whether the handler ran: only after "no" is it safe to send the call again. */
export type Ran = "yes" | "no" | "maybe";

/** The one end of a call. */
export interface Outcome {
  readonly outcome: OutcomeName;
  readonly ran: Ran;
  /** The page's own answer, as it wrote it: with "ok", and with the "tool-error" of a tool. */
  readonly payload?: Payload;
  /** The payload is no end but MCP's `input_required`: the caller is to call again with the answers. */
  readonly inputRequired?: true | undefined;
  /** What went wrong: with every outcome that has no payload. */
  readonly code?: ErrorCode;
  readonly message?: string;
  /** Milliseconds after which a rejected call may be tried again. */
  readonly retryAfter?: number | undefined;
  /** True when this outcome was given before, to the same key or to the call's twin. */
  readonly replay?: boolean | undefined;
  /** The hub could not write the outcome down: after a restart its key may not be answered with it. */
  readonly notSaved?: true | undefined;
  /** The rule of the hub's policy that refused the call: for whoever keeps records. */
  readonly rule?: string;
}

/** Says in a result's `_meta` that it was given before, and that the hub could not write it down. */
function endMarks({ replay, notSaved }: Pick<Outcome, "replay" | "notSaved">): JsonObject {
  return { ...(replay && { "pagewire/replay": true }), ...(notSaved && { "pagewire/not-saved": true }) };
}

/** What a program can act on, where the text of an answer is for a model. */
export function outcomeMarks({ outcome, code, ran, retryAfter, ...end }: Outcome): JsonObject {
  return {
    "pagewire/outcome": outcome,
    "pagewire/ran": ran,
    ...(code === undefined ? {} : { "pagewire/code": code }),
    ...(retryAfter === undefined ? {} : { "pagewire/retryAfter": retryAfter }),
    ...endMarks(end),
  };
}

/** A result that says, where it is so, that it was given before, or that the hub could not write it down. */
export function markResult(result: JsonObject, outcome: Pick<Outcome, "replay" | "notSaved">): JsonObject {
  const { _meta } = result;
  if (isPlainEnd(outcome)) return result;
  return { ...result, _meta: { ...(isJsonObject(_meta) ? _meta : {}), ...endMarks(outcome) } };
}

/** Whether there is nothing to say of an end but how it was. */
export function isPlainEnd({ replay, notSaved }: Pick<Outcome, "replay" | "notSaved">): boolean {
  return !replay && !notSaved;
}
