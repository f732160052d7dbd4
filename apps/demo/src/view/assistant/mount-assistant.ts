import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Assistant } from "../../state/assistant/assistant.ts";
import type { Dashboard } from "../../state/dashboard.ts";
import { byId } from "../dom.ts";
import { mountAssistantBar } from "./assistant-bar.ts";
import { mountAssistantPanel } from "./assistant-panel.ts";
import { requestForSummary } from "./questions.ts";

export interface MountAssistantOptions {
  readonly assistant: Assistant;
  readonly calls: Pick<PageCalls, "onCall">;
  readonly dashboard: Pick<Dashboard, "get">;
}

/** Shows the assistant: in the bar at the top, where it is put within the page, and the summary that is asked of it. */
export function mountAssistant({ assistant, calls, dashboard }: MountAssistantOptions): void {
  mountAssistantBar(assistant);
  mountAssistantPanel(assistant, calls);
  const summarise = byId("summarise", HTMLButtonElement);
  summarise.hidden = false;
  summarise.addEventListener("click", () => assistant.ask({ text: requestForSummary(dashboard.get()), isSent: true }));
}
