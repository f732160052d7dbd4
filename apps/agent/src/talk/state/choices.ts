import type { AiToolDecision } from "pagewire/ai-agent";
import type { ApprovalRequest } from "pagewire/toolbox";

/** One answer to the question whether a tool may run. */
export interface Choice {
  readonly label: string;
  readonly decision: AiToolDecision;
}

const once: Choice = { label: "Allow once", decision: { approved: true, scope: "once" } };
const no: Choice = { label: "Don't allow", decision: { approved: false, scope: "once" } };

/** The answers that there are: to one call, where an answer cannot hold for more than that, or to more. */
export function choicesOf(request: Pick<ApprovalRequest, "once">): readonly Choice[] {
  if (request.once) return [once, no];
  return [
    once,
    { label: "Allow for this session", decision: { approved: true, scope: "session" } },
    { label: "Always allow this tool", decision: { approved: true, scope: "always" } },
    no,
    { label: "Never allow this tool", decision: { approved: false, scope: "always" } },
  ];
}
