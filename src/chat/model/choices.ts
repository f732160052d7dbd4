import type { AiToolDecision } from "../../element/index.ts";
import type { ApprovalRequest } from "../../toolbox/index.ts";

/** One answer to the question whether a tool may run. */
export interface Choice {
  readonly label: string;
  readonly decision: AiToolDecision;
  /** It decides about calls to come, too: one step further away than the answers to this one. */
  readonly isLasting?: true;
}

const once: Choice = { label: "Allow once", decision: { approved: true, scope: "once" } };
const no: Choice = { label: "Don't allow", decision: { approved: false, scope: "once" } };

/** The answers that there are: to one call, where an answer cannot hold for more than that, or to more. */
export function choicesOf(request: Pick<ApprovalRequest, "once">): readonly Choice[] {
  if (request.once) return [once, no];
  return [
    once,
    no,
    { label: "Allow for this session", decision: { approved: true, scope: "session" }, isLasting: true },
    { label: "Always allow this tool", decision: { approved: true, scope: "always" }, isLasting: true },
    { label: "Never allow this tool", decision: { approved: false, scope: "always" }, isLasting: true },
  ];
}
