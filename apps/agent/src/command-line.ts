import { createCopyButton } from "./copy-button.ts";
import { html } from "../../common/src/dom.ts";

/** A text to be pasted elsewhere, with a button that copies it. */
export function createCommandLine(text: string): HTMLElement {
  const code = html("code", {}, text);
  return html("div", { class: "command" }, code, createCopyButton({ what: text, getText: () => text, source: code }));
}
