import { showInvisible } from "pagewire/wire";
import { html } from "../../../../common/src/dom.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { Announce } from "../talk-options.ts";

export interface NotSavedView {
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
