import type { ApprovalRequest } from "../toolbox/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { Run } from "./run.ts";
import type { AiTool, AiToolCallState, AiToolDecision } from "./types.ts";

export interface ApprovalNeeds {
  readonly call: AiToolCallState;
  readonly tool: AiTool;
  readonly args: JsonObject;
  readonly run: Run;
  /** The call has changed. */
  show(): void;
}

/** Whether a call may run: asks the user where its tool wants that, unless the user has decided for the tool as it is. */
export async function isApproved({ call, tool, args, run, show }: ApprovalNeeds): Promise<boolean> {
  const { name, description, parameters, needsApproval } = tool;
  if (!(typeof needsApproval === "function" ? await needsApproval(args) : needsApproval)) return true;
  const definition = JSON.stringify([name, description, parameters]);
  const consent = run.desk.consents.get(definition);
  if (consent !== undefined) return consent;
  const { approved, scope } = await askUser(
    { call, run, show },
    {
      tool: name,
      arguments: args,
      agent: { name: run.options.model },
      reason: "The tool asks for approval before it runs.",
    },
  );
  if (scope === "always" || (approved && scope === "session")) run.desk.consents.set(definition, approved);
  return approved;
}

/** Asks whoever answers first: `approve` of the options, or `settleToolCall`. */
async function askUser({ call, run, show }: Omit<ApprovalNeeds, "tool" | "args">, request: ApprovalRequest) {
  const { options, signal, desk } = run;
  signal.throwIfAborted();
  const decision = await new Promise<AiToolDecision>((resolve) => {
    desk.waiting.set(call.id, resolve);
    Object.assign(call, { status: "waiting", approval: request });
    show();
    const { approve } = options;
    // A listener may have decided, or stopped it all.
    if (approve && desk.waiting.has(call.id))
      Promise.resolve()
        .then(() => approve(request, signal))
        .then(resolve, () => resolve(false));
  });
  signal.throwIfAborted();
  desk.waiting.delete(call.id);
  delete call.approval;
  // It may have come over a network: whatever does not say yes says no.
  const { approved, scope } = Object(decision) as { readonly approved?: unknown; readonly scope?: unknown };
  return { approved: decision === true || approved === true, scope };
}
