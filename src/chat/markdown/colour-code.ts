// Colours for the code in answers, by what the page's owner chose for that: the chat itself has no grammars.
import { html } from "../dom/dom.ts";

/** Cuts a text into pieces with the class of their colour; undefined for a language without colours. */
export type Highlighter = (
  text: string,
  language: string,
) => Promise<readonly { readonly text: string; readonly kind?: string }[] | undefined>;

let highlighter: Highlighter | undefined;

/** Has the code in answers coloured from now on. */
export function setHighlighter(given: Highlighter | undefined): void {
  highlighter = given;
}

/** Colours all code of a text that is complete. */
export function colourCode(element: Element): void {
  if (!highlighter) return;
  for (const code of element.querySelectorAll("code[data-language]")) void colour(code, highlighter);
}

async function colour(code: Element, by: Highlighter): Promise<void> {
  const text = code.textContent;
  try {
    const pieces = await by(text, code.getAttribute("data-language") ?? "");
    if (!pieces || code.textContent !== text || pieces.map((piece) => piece.text).join("") !== text) return;
    code.replaceChildren(
      ...pieces.map((piece) =>
        piece.kind === undefined ? piece.text : html("span", { class: piece.kind }, piece.text),
      ),
    );
  } catch {
    // Without colours it can be read as well.
  }
}
