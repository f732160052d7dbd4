import type { Assistant, AssistantView } from "../../state/assistant/assistant.ts";
import { byId, html, show } from "../dom.ts";
import { assistantWords } from "./assistant-words.ts";

/** The button that opens the assistant, how it stands, and what to do where it cannot be opened. */
export function mountAssistantBar(assistant: Assistant): void {
  const status = byId("assistant-status", HTMLElement);
  const openButton = byId("assistant-open", HTMLButtonElement);
  const closeButton = byId("assistant-close", HTMLButtonElement);
  const notice = byId("assistant-notice", HTMLElement);

  function draw(view: AssistantView): void {
    const { connection, place } = view;
    const { status: text, advice, helpsHere } = assistantWords(view, location.origin);
    show(status, html("span", { class: `dot ${connection}`, "aria-hidden": "true" }), html("span", {}, text));
    openButton.textContent = place === undefined ? "Open AI assistant" : "Show AI assistant";
    openButton.hidden = place === "page";
    closeButton.hidden = place !== "window";
    show(notice, advice !== undefined && createNotice(advice, helpsHere === true));
  }

  function createNotice(advice: string, helpsHere: boolean): HTMLElement {
    const here = html(
      "button",
      { type: "button", class: "button", onclick: () => assistant.openHere() },
      "Open in this page",
    );
    return html("div", { class: "notice" }, html("p", {}, advice), helpsHere && here);
  }

  byId("assistant", HTMLElement).hidden = false;
  openButton.addEventListener("click", () => assistant.open());
  closeButton.addEventListener("click", () => {
    assistant.close();
    openButton.focus();
  });
  assistant.watch(["connection", "reason", "place"], draw);
}
