import { html } from "../../../../common/src/dom.ts";
import type { Outcome } from "../state/outcome-of.ts";

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
