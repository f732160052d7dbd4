// The outcomes of calls, as far as a client can know them. It sends nothing.
import { isErrorCode, isJsonObject } from "../wire/index.ts";
import type { ErrorCode, FrameToAgent, Json, OutcomeName, Ran } from "../wire/index.ts";
import type { HubOutcome } from "./hub-client.ts";

type Failure = Extract<FrameToAgent, { type: "failure" }>;
type Result = Extract<FrameToAgent, { type: "result" }>;

/** The outcome for a page's answer. */
export function answered({ isError = false, ...end }: Result, result: Json | undefined): HubOutcome {
  const { replay, notSaved } = end;
  const marks = { replay, ...(notSaved ? { notSaved } : {}) };
  if (isJsonObject(result)) return { outcome: isError ? "tool-error" : "ok", ran: "yes", result, ...marks };
  const message = "The page's answer cannot be read: it is no JSON object, or nests too deep.";
  return { outcome: "tool-error", ran: "yes", code: "result-unsendable", message, ...marks };
}

export function failed({ outcome, ran, code, message, retryAfter, replay, notSaved }: Failure): HubOutcome {
  const known = isErrorCode(code) ? code : "internal-error";
  return { outcome, ran, code: known, message, retryAfter, replay, ...(notSaved ? { notSaved } : {}) };
}

/** An outcome without an answer of the page. */
export function ended(
  outcome: OutcomeName,
  ran: Ran,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
): HubOutcome {
  return { outcome, ran, code, message };
}

/** It was sent, and its outcome is unknown. */
export function unknown(why: string): HubOutcome {
  const message = `${why} The call was sent and may have run. Look before you try again.`;
  return ended("outcome-unknown", "maybe", { code: "outcome-unknown", message });
}

/** It was never sent. */
export function notDelivered(why: string): HubOutcome {
  const message = `${why} The call was not sent; it is safe to try again.`;
  return ended("not-delivered", "no", { code: "not-delivered", message });
}

/**
 * The meaning of a refusal for a call that was sent before, over a link that was lost. "elsewhere": the hub was restarted
 * and its tabs are not all back. "final": the same arguments will always be refused.
 */
export function meaningOfRefusal({ outcome, ran, code }: Failure): "elsewhere" | "final" | "unknown" {
  if (ran !== "no") return "final";
  if (outcome !== "rejected") return "unknown";
  if (absences.includes(code)) return "elsewhere";
  return lastWords.includes(code) ? "final" : "unknown";
}

const absences: readonly string[] = ["tool-not-found", "offer-not-found", "tab-not-found", "tab-gone", "going-away"];
const lastWords: readonly string[] = ["input-invalid", "arguments-malformed", "key-conflict"];
