import { html } from "../dom/dom.ts";
import { createBlockReader } from "./create-block-reader.ts";
import { colourCode } from "./colour-code.ts";
import { drawTokens, nestHeadings } from "./draw-tokens.ts";

/** Markdown from a model, drawn while it streams. */
export interface MarkdownView {
  readonly element: HTMLElement;
  /** Updates to the whole text so far. */
  update(text: string, isDone: boolean): void;
}

export function createMarkdown(element: HTMLElement = html("div", { class: "markdown" })): MarkdownView {
  const read = createBlockReader();
  let done: string | undefined;
  /** After each block, the levels of the headings that what follows stands below. */
  let headings: (readonly number[])[] = [];
  return {
    element,
    update(text, isDone) {
      // Drawn again, code would lose its colours for a moment.
      if (isDone && text === done) return;
      done = isDone ? text : undefined;
      const { kept, fresh } = read(text, !isDone);
      const wanted = html("div");
      headings = headings.slice(0, kept);
      for (const tokens of fresh) {
        headings.push(nestHeadings(tokens, headings.at(-1)));
        drawTokens(tokens, wanted);
      }
      morphChildren(element, [...wanted.childNodes], kept);
      if (isDone) colourCode(element);
    },
  };
}

/**
 * Makes an element's children from an index on look like others, and keeps the nodes that are alike: a selection in
 * them stays.
 */
function morphChildren(place: Node & ParentNode, wanted: readonly Node[], from = 0): void {
  const before = [...place.childNodes].slice(from);
  for (const [index, node] of wanted.entries()) {
    const old = before[index];
    if (!old) place.append(node);
    else if (!morph(old, node)) old.replaceWith(node);
  }
  for (const old of before.slice(wanted.length)) old.remove();
}

function morph(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    // Text that only grew keeps its selection.
    if (wanted.data.startsWith(old.data)) old.appendData(wanted.data.slice(old.data.length));
    else old.data = wanted.data;
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element) || tagOf(old) !== tagOf(wanted)) return false;
  morphChildren(old, [...wanted.childNodes]);
  return true;
}

function tagOf(element: Element): string {
  return JSON.stringify([element.localName, ...[...element.attributes].map(({ name, value }) => [name, value])]);
}
