import { html, icon } from "../dom.ts";
import { icons } from "../icons.ts";

/** Puts a question to the assistant, for the user to send. */
export type Ask = (question: string) => void;

/** A button that asks the assistant about something on the page; `what` names it. The question is made when it is pressed. */
export function askButton(what: string, ask: () => void): HTMLButtonElement {
  const label = `Ask the assistant about ${what}`;
  return html(
    "button",
    { type: "button", class: "button square ask-about", "aria-label": label, title: label, onclick: ask },
    icon(icons.ask),
  );
}
