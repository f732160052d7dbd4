import type { ApprovalDecision, ApprovalRequest } from "../../toolbox/index.ts";
import { showInvisible } from "../../wire/index.ts";
import { openDialog } from "./open-dialog.ts";
import { quoted } from "./quoted.ts";

/** Asks to allow one use of a tool, shown with its exact arguments. No answer is a refusal. */
export async function approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  const { tool, title = tool, agent, reason } = request;
  const shown = document.createElement("pre");
  shown.textContent = showInvisible(JSON.stringify(request.arguments, null, 2));
  // So that long arguments can be scrolled by keyboard.
  shown.tabIndex = 0;
  const action = await openDialog({
    title: `Allow “${title}”?`,
    message: `${quoted(agent.name)} wants to use the tool ${tool}. ${reason}`,
    body: [shown],
    accept: "Allow once",
    decline: "Refuse",
    signal,
  });
  return { approved: action === "accept", scope: "once" };
}
