import { html, show } from "../../../common/src/dom.ts";
import type { Standing } from "./status-texts.ts";

export interface Status {
  readonly element: HTMLElement;
  /** Shows the given states; undefined ones are left out. */
  draw(standings: readonly (Standing | undefined)[]): void;
}

export function createStatus(): Status {
  const element = html("ul", { class: "status", "aria-label": "Status" });
  let shown = "";
  return {
    element,
    draw(standings) {
      const present = standings.filter((standing) => standing !== undefined);
      const text = JSON.stringify(present);
      if (text === shown) return;
      shown = text;
      show(element, ...present.map(itemOf));
    },
  };
}

/** The dot only repeats the text as a colour. */
function itemOf({ text, tone }: Standing): HTMLElement {
  const dot = html("span", { class: `dot ${tone}`, "aria-hidden": "true" });
  return html("li", { title: text }, dot, html("span", {}, text));
}
