import { html } from "../../../common/src/dom.ts";

export interface ViewSwitch {
  readonly element: HTMLElement;
}

const views = { talk: "Chat", home: "Connected" } as const;

/** Chooses between the conversation and what is connected, where there is room for one of them. */
export function createViewSwitch(frame: HTMLElement): ViewSwitch {
  const buttons = Object.entries(views).map(([view, label]) => {
    const button = html("button", { type: "button", onclick: () => choose(view) }, label);
    return { view, button };
  });
  function choose(chosen: string): void {
    frame.dataset["view"] = chosen;
    for (const { view, button } of buttons) button.ariaPressed = String(view === chosen);
  }
  choose("talk");
  const group = { class: "segments", role: "group", "aria-label": "Show" };
  return { element: html("div", group, ...buttons.map(({ button }) => button)) };
}
