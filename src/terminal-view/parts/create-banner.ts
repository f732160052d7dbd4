// The banner above a terminal that is reconnecting or ended.
import type { TerminalState } from "../session/terminal-view.ts";
import { make, makeButton } from "./make.ts";

export interface BannerParts {
  onRetry(): void;
  onDiscard(): void;
}

export interface Banner {
  readonly element: HTMLElement;
  draw(state: TerminalState, waiting: number): void;
}

export function createBanner({ onRetry, onDiscard }: BannerParts): Banner {
  const said = make("p", { role: "status" });
  const waits = make("p", { role: "status" });
  const retry = makeButton("", onRetry, "strong");
  const discard = makeButton("Do not send it", onDiscard);
  const element = make(
    "div",
    { className: "banner", hidden: true },
    said,
    waits,
    make("div", { className: "row" }, retry, discard),
  );

  return {
    element,
    draw(state, waiting) {
      const isAway = state.status === "reconnecting";
      element.hidden = !isAway && state.status !== "ended" && waiting === 0;
      if (element.hidden) return;
      setText(said, state.status === "ended" ? `${state.message} Press Enter to start a new one.` : state.message);
      setText(waits, waiting === 0 ? "" : waitingText(waiting));
      retry.hidden = !isAway && state.status !== "ended";
      retry.textContent = isAway ? "Try now" : "New terminal";
      discard.hidden = waiting === 0;
    },
  };
}

/** Changes only what differs, because screen readers announce each change. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function waitingText(waiting: number): string {
  return `${waiting === 1 ? "1 character" : `${waiting} characters`} that you typed will be sent then.`;
}
