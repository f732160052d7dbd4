import { render } from "preact";
import { Button } from "../../../../common/src/ui/button.tsx";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Assistant, AssistantView } from "../../state/assistant/assistant.ts";
import type { Dashboard } from "../../state/dashboard.ts";
import { byId } from "../dom.ts";
import { requestForSummary } from "./questions.ts";
import { assistantWords } from "./assistant-words.ts";
import { outcomeText } from "../agents/activity.tsx";

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

/** The button that opens the assistant, its status, and what to do if it cannot be opened. */
function mountAssistantBar(assistant: Assistant): void {
  const status = byId("assistant-status", HTMLElement);
  const openButton = byId("assistant-open", HTMLButtonElement);
  const closeButton = byId("assistant-close", HTMLButtonElement);
  const notice = byId("assistant-notice", HTMLElement);

  function draw(view: AssistantView): void {
    const { connection, place } = view;
    const { status: text, advice, helpsHere } = assistantWords(view, location.origin);
    render(
      <>
        <span class={`dot ${connection}`} aria-hidden="true" />
        <span>{text}</span>
      </>,
      status,
    );
    openButton.textContent = place === undefined ? "Open AI assistant" : "Show AI assistant";
    openButton.hidden = place === "page";
    closeButton.hidden = place !== "window";
    render(
      advice !== undefined && (
        <div class="notice">
          <p>{advice}</p>
          {helpsHere && <Button onClick={() => assistant.openHere()}>Open in this page</Button>}
        </div>
      ),
      notice,
    );
  }

  byId("assistant", HTMLElement).hidden = false;
  openButton.addEventListener("click", () => assistant.open());
  closeButton.addEventListener("click", () => {
    assistant.close();
    openButton.focus();
  });
  assistant.watch(["connection", "reason", "place"], draw);
}

/** The assistant within the page, in front of the agents' panel and its bar: the last call is named here instead. */
function mountAssistantPanel(assistant: Assistant, calls: Pick<PageCalls, "onCall">): void {
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
