import { html } from "../../../../common/src/dom.ts";

export interface TextFieldOptions {
  readonly name: string;
  /** Enter was pressed, where it does not end what an input method composes. */
  readonly onEnter: () => void;
  readonly onEscape: () => void;
}

/** A field of as many lines as its text has: Enter is for sending, Shift and Enter for another line. */
export function textField({ name, onEnter, onEscape }: TextFieldOptions): HTMLTextAreaElement {
  const field = html("textarea", { class: "text-field", rows: 1, "aria-label": name, enterkeyhint: "send" });
  field.addEventListener("keydown", (event) => {
    // Some browsers say it by the key's code only, when Enter ends the composing.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      onEscape();
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      onEnter();
    }
  });
  return field;
}
