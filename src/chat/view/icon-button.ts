import { html, icon } from "../dom/dom.ts";
import { icons } from "./icons.ts";

export interface IconButtonOptions {
  readonly icon: keyof typeof icons;
  /** Its accessible name, and its tooltip. */
  readonly name: string;
  readonly onclick: () => void;
}

/** A button that is only a drawing. */
export function iconButton({ icon: drawing, name, onclick }: IconButtonOptions): HTMLButtonElement {
  return html(
    "button",
    { type: "button", class: "icon-button", "aria-label": name, title: name, onclick },
    icon(icons[drawing]),
  );
}
