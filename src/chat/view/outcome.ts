import { html } from "../dom/dom.ts";
import type { Outcome } from "../model/outcome-of.ts";
import { showInvisible } from "../../wire/index.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { Announce } from "../talk-options.ts";

export interface OutcomeView {
  readonly element: HTMLElement;
  draw(outcome: Outcome | undefined): void;
}

/** Why there is no answer, below the conversation. */
export function createOutcomeView(onTryAgain: () => void): OutcomeView {
  const text = html("p", {});
  const again = html("button", { type: "button", class: "button", onclick: onTryAgain }, "Try again");
  const element = html("div", { class: "outcome", hidden: true }, text, again);
  return {
    element,
    draw(outcome) {
      element.hidden = outcome === undefined;
      element.classList.toggle("failure", outcome?.isFailure === true);
      again.hidden = outcome?.canTryAgain !== true;
      if (text.textContent !== (outcome?.text ?? "")) text.textContent = outcome?.text ?? "";
    },
  };
}

interface NotSavedView {
  readonly element: HTMLElement;
  draw(notSaved: TalkAgent["notSaved"]): void;
}

/** The notice that the hub cannot store the conversation. */
export function createNotSavedView(announce: Announce): NotSavedView {
  const element = html("p", { class: "not-saved", hidden: true });
  return {
    element,
    draw(notSaved) {
      const text = notSaved ? showInvisible(String(notSaved.message)) : "";
      if (text === element.textContent) return;
      announce(text === "" ? "All of it is saved now." : text);
      element.textContent = text;
      element.hidden = text === "";
    },
  };
}
