import type { ApprovalDecision, ApprovalRequest } from "../../toolbox/index.ts";
import { showInvisible } from "../../wire/index.ts";
import { openDialog } from "./open-dialog.ts";
import { quoted } from "./quoted.ts";
import { scrolled, titled, toolChange, toolChangeStyles } from "./tool-change.ts";

/** Asks to allow one use of a tool, shown with its exact arguments. No answer is a refusal. */
export async function approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  const { tool, title = tool, agent, reason, changed } = request;
  const shown = scrolled(showInvisible(JSON.stringify(request.arguments, null, 2)));
  const action = await openDialog({
    title: `Allow “${title}”?`,
    message: `${quoted(agent.name)} wants to use the tool ${tool}. ${reason}`,
    body: changed ? [toolChange(changed), titled("It would run with", shown)] : [shown],
    styles: changed ? [toolChangeStyles()] : [],
    accept: "Allow once",
    decline: "Refuse",
    signal,
  });
  return { approved: action === "accept", scope: "once" };
}
