import { createCopyButton } from "../dom/copy-button.ts";
import { html } from "../dom/dom.ts";

export interface CodeBox {
  readonly element: HTMLElement;
  /** Holds the text. */
  readonly code: HTMLElement;
}

/** Lines of code under the name of their language, with a button that copies them. */
export function createCodeBox(language: string, text = ""): CodeBox {
  const code = html("code", { "data-language": language !== "" && language }, text !== "" && text);
  const copy = createCopyButton({ what: "the code", getText: () => code.textContent, source: code });
  const head = html("div", { class: "code-head" }, html("span", { class: "code-language" }, language || "text"), copy);
  // A scrollable part must be focusable; it is not a landmark, because a page may have many with one name.
  const name = language === "" ? "Code" : `Code, ${language}`;
  const body = html("pre", { tabindex: 0, role: "group", "aria-label": name }, code);
  return { element: html("div", { class: "code-block" }, head, body), code };
}
