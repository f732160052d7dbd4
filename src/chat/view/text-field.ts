import { html } from "../dom/dom.ts";

export interface TextFieldOptions {
  readonly name: string;
  /** Enter was pressed, and not to end an input method's composition. */
  readonly onEnter: () => void;
  readonly onEscape: () => void;
}

/** A field of as many lines as its text has: Enter is for sending, Shift and Enter for another line. */
export function textField({ name, onEnter, onEscape }: TextFieldOptions): HTMLTextAreaElement {
  const field = html("textarea", {
    class: "text-field",
    part: "field",
    rows: 1,
    "aria-label": name,
    enterkeyhint: "send",
  });
  field.addEventListener("keydown", (event) => {
    // When Enter ends a composition, some browsers report that only by the key code.
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
