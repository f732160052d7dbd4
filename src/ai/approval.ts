import type { ApprovalRequest, ToolChange } from "../toolbox/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { Run } from "./run.ts";
import { toolText } from "./tool-message.ts";
import type { AiTool, AiToolCallState, AiToolDecision, ApprovalQuestion } from "./types.ts";

/** Max characters of a tool's description in a question. */
const longestDescription = 2000;

export interface ApprovalNeeds {
  readonly call: AiToolCallState;
  readonly tool: AiTool;
  readonly args: JsonObject;
  readonly run: Run;
  show(): void;
}

/**
 * Whether a call may run: asks the user if its tool requires that, unless the user has already decided for the tool.
 */
export async function isApproved({ call, tool, args, run, show }: ApprovalNeeds): Promise<boolean> {
  const { name, title, description, annotations, origin, needsApproval } = tool;
  const { decisions } = run.desk;
  const whose = JSON.stringify([name, origin]);
  const need = typeof needsApproval === "function" ? await needsApproval(args) : needsApproval;
  const decided = decisions.get(whose);
  // Its page could undo a refusal that was bound to the definition, by changing a word.
  if (decided === "never") return false;
  if (!need) return true;
  const isAllowed = decided !== undefined && definitionOf(decided) === definitionOf(tool);
  const question: ApprovalQuestion = typeof need === "object" ? need : {};
  const { textFrom, allowedAs = decided && !isAllowed ? toolText(decided) : undefined } = question;
  const isEachCall = need === "each-call" || textFrom !== undefined;
  if (isAllowed && !isEachCall) return true;
  const changed = allowedAs === undefined ? undefined : await changeTo(tool, allowedAs);
  const { approved, scope } = await askUser(
    { call, run, show },
    {
      tool: name,
      ...(title !== undefined && { title }),
      ...(description && { description: description.slice(0, longestDescription) }),
      ...(annotations?.destructiveHint && { destructive: true as const }),
      ...(origin !== undefined && { origin }),
      arguments: args,
      agent: { name: run.options.model },
      reason: reasonFor(question, { isChanged: allowedAs !== undefined, isEachCall }),
      ...(textFrom && { textFrom }),
      ...(changed && { changed }),
      ...(isEachCall && { once: true as const }),
    },
  );
  const isKept = scope === "always" || (approved && scope === "session");
  if (isKept && !isEachCall) decisions.set(whose, approved ? tool : "never");
  return approved;
}

function definitionOf({ description, parameters, annotations }: AiTool): string {
  return JSON.stringify([description, parameters, annotations]);
}

/** Undefined if the stored parts of both are equal. */
async function changeTo(tool: AiTool, allowedAs: string): Promise<ToolChange | undefined> {
  const now = toolText(tool);
  if (allowedAs === "" || now === allowedAs) return undefined;
  const { changesShown } = await import("./word-changes.ts");
  return changesShown(allowedAs, now);
}

interface ReasonFacts {
  readonly isChanged: boolean;
  readonly isEachCall: boolean;
}

function reasonFor({ textFrom, reason }: ApprovalQuestion, { isChanged, isEachCall }: ReasonFacts): string {
  const change = isChanged ? "The tool has changed since you allowed it. " : "";
  if (isEachCall) return `${textNotice(textFrom)}${change}${eachCall}`;
  return `${change}${reason ?? "The tool asks for approval before it runs."}`;
}

const eachCall = "Each call of this tool is asked about, whatever was decided before.";

function textNotice(textFrom: readonly string[] = []): string {
  const names = textFrom.map((origin) => (origin.includes("://") ? origin.replace("https://", "") : "an unknown page"));
  return names.length === 0 ? "" : `Text from ${names.join(", ")} is in this conversation. `;
}

/** Resolves with the first decision: of the options' `approve`, or of `settleToolCall`. */
async function askUser({ call, run, show }: Omit<ApprovalNeeds, "tool" | "args">, request: ApprovalRequest) {
  const { options, signal, desk } = run;
  signal.throwIfAborted();
  const decision = await new Promise<AiToolDecision>((resolve) => {
    desk.waiting.set(call.id, resolve);
    Object.assign(call, { status: "waiting", approval: request });
    show();
    const { approve } = options;
    // A listener may have decided, or stopped everything.
    if (approve && desk.waiting.has(call.id))
      Promise.resolve()
        .then(() => approve(request, signal))
        .then(resolve, () => resolve(false));
  });
  signal.throwIfAborted();
  desk.waiting.delete(call.id);
  delete call.approval;
  // The decision may come over a network: anything but a clear yes is a no.
  const { approved, scope, decidedIn } = Object(decision) as Readonly<Record<string, unknown>>;
  if (decidedIn === "inbox") call.decidedIn = decidedIn;
  return { approved: decision === true || approved === true, scope };
}
