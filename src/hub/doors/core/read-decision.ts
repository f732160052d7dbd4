import type { AiToolDecision } from "../../../ai/index.ts";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";

/** Whether a decision lets the call run. */
export function isApproval(decision: AiToolDecision): boolean {
  return typeof decision === "boolean" ? decision : decision.approved;
}

/** Parses a client's decision about a tool call. */
export function readDecision(given: unknown): AiToolDecision {
  if (typeof given === "boolean") return given;
  const { approved, scope } = isJsonObject(given) ? given : {};
  if (approved === true && (scope === "session" || scope === "always")) return { approved, scope };
  if (approved === false && scope === "always") return { approved, scope };
  if (typeof approved === "boolean") return approved;
  throw new PagewireError("option-refused", "A decision about a tool call is true, false, or an object with approved.");
}
