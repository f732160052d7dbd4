import { html } from "./dom.ts";

/** How long a button shows "Copied". */
const SAID_FOR = 3000;

export interface CopyOptions {
  /** The copied thing, for screen readers. */
  readonly what: string;
  getText(): string;
  /** The element of the text, which is selected where the browser refuses the clipboard. */
  readonly source: Node;
}

/** A button that copies a text and shows whether that worked. */
export function createCopyButton({ what, getText, source }: CopyOptions): HTMLElement {
  const word = html("span", {}, "Copy");
  const said = html("span", { class: "copy-said", role: "status" });
  let timer: number | undefined;

  async function copy(): Promise<void> {
    clearTimeout(timer);
    try {
      await navigator.clipboard.writeText(getText());
    } catch {
      // Browsers copy only from secure pages, and only where they are allowed to.
      getSelection()?.selectAllChildren(source);
      word.textContent = "Copy";
      said.textContent = "Selected: copy it with your keyboard.";
      return;
    }
    word.textContent = "Copied";
    said.textContent = "";
    timer = setTimeout(() => (word.textContent = "Copy"), SAID_FOR);
  }

  const about = html("span", { class: "visually-hidden" }, ` ${what}`);
  const button = html(
    "button",
    { type: "button", class: "button quiet small", onclick: () => void copy() },
    word,
    about,
  );
  button.setAttribute("aria-live", "polite");
  return html("span", { class: "copy" }, said, button);
}
