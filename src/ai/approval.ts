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

/** Whether a call may run: asks the user where its tool wants that, unless the user has decided for the tool. */
export async function isApproved({ call, tool, args, run, show }: ApprovalNeeds): Promise<boolean> {
  const { name, title, description, parameters, origin, needsApproval } = tool;
  const { consents } = run.desk;
  // Its page could undo a refusal that was bound to the definition, by changing a word.
  const refusal = JSON.stringify([name, origin]);
  if (consents.has(refusal)) return false;
  const need = typeof needsApproval === "function" ? await needsApproval(args) : needsApproval;
  if (!need) return true;
  const textFrom = typeof need === "object" ? need.textFrom : undefined;
  const isEachCall = need === "each-call" || textFrom !== undefined;
  const definition = JSON.stringify([name, description, parameters, origin]);
  if (consents.has(definition) && !isEachCall) return true;
  const { approved, scope } = await askUser(
    { call, run, show },
    {
      tool: name,
      ...(title !== undefined && { title }),
      ...(origin !== undefined && { origin }),
      arguments: args,
      agent: { name: run.options.model },
      reason: isEachCall ? `${textNotice(textFrom)}${eachCall}` : "The tool asks for approval before it runs.",
      ...(textFrom && { textFrom }),
      ...(isEachCall && { once: true as const }),
    },
  );
  const isKept = scope === "always" || (approved && scope === "session");
  if (isKept && !isEachCall) consents.add(approved ? definition : refusal);
  return approved;
}

const eachCall = "Each call of this tool is asked about, whatever was decided before.";

function textNotice(textFrom: readonly string[] = []): string {
  const names = textFrom.map((origin) => (origin.includes("://") ? origin.replace("https://", "") : "an unknown page"));
  return names.length === 0 ? "" : `Text from ${names.join(", ")} is in this conversation. `;
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
