import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Assistant } from "../../state/assistant/assistant.ts";
import { outcomeText } from "../agents/outcome-text.ts";
import { byId } from "../dom.ts";

/** The assistant within the page, in front of the agents' panel and its bar: the last call is named here instead. */
export function mountAssistantPanel(assistant: Assistant, calls: Pick<PageCalls, "onCall">): void {
  const panel = byId("assistant-panel", HTMLElement);
  const last = byId("assistant-last", HTMLElement);
  const covered = [byId("agents", HTMLElement), byId("agents-open", HTMLElement)];
  assistant.watch(["place"], ({ place }) => {
    const isHere = place === "page";
    if (isHere === !panel.hidden) return;
    panel.hidden = !isHere;
    for (const element of covered) element.inert = isHere;
    byId(isHere ? "assistant-title" : "assistant-open", HTMLElement).focus();
  });
  byId("assistant-leave", HTMLButtonElement).addEventListener("click", () => assistant.close());
  calls.onCall((call) => {
    last.textContent = `${call.name}: ${call.event === "ended" ? outcomeText(call) : "running"}`;
  });
}
