// The conversations of `<ai-chat>`, over its talk.
import { html } from "../dom/index.ts";
import { createHistory } from "../history/create-history.ts";
import type { HistoryOptions } from "../history/create-history.ts";
import { iconButton } from "../view/icon-button.ts";

export interface HistoryPanel {
  /** Opens it; hidden while there is nothing to open. */
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  close(): void;
}

export interface HistoryPanelOptions extends Omit<HistoryOptions, "onChange"> {
  /** Out of reach while it is open. */
  readonly behind: readonly HTMLElement[];
}

export function createHistoryPanel({ behind, open, ...options }: HistoryPanelOptions): HistoryPanel {
  const { agent } = options;
  const button = iconButton({ icon: "menu", name: "Conversations", onclick: () => set(true) });
  const closeButton = iconButton({ icon: "close", name: "Close the conversations", onclick: () => set(false) });
  const history = createHistory({
    ...options,
    open(id) {
      set(false);
      open(id);
    },
    onChange: (entries) => void (button.hidden = entries.length === 0 && element.hidden),
  });
  const head = html("div", { class: "history-head" }, html("h2", {}, "Conversations"), closeButton);
  const label = { class: "history-panel", part: "history", role: "dialog", "aria-label": "Conversations" };
  const panel = html("div", label, head, history.element);
  const element = html("div", { class: "history-scrim", hidden: true, onclick: leave }, panel);

  function set(isOpen: boolean): void {
    if (element.hidden !== isOpen) return;
    element.hidden = !isOpen;
    for (const part of behind) part.inert = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) void history.refresh();
    (isOpen ? closeButton : button).focus();
  }

  function leave({ target }: Event): void {
    if (target === element) set(false);
  }

  button.hidden = true;
  button.setAttribute("aria-expanded", "false");
  element.addEventListener("keydown", ({ key }) => key === "Escape" && set(false));
  if (agent.connection === "open" || agent.connection === "local") void history.refresh();
  function close(): void {
    // They are shown again if the chat is put back, where this panel is not.
    for (const part of behind) part.inert = false;
    history.close();
  }

  return { button, element, close };
}
