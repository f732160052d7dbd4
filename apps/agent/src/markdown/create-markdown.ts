import { html } from "../../../common/src/dom.ts";
import { drawNodes } from "./draw-nodes.ts";
import type { Drawn } from "./draw-nodes.ts";
import { createMarkdownReader } from "./create-markdown-reader.ts";

/** What a model wrote, drawn while it comes. */
export interface MarkdownView {
  readonly element: HTMLElement;
  /** Takes the whole text so far. */
  update(text: string, isDone: boolean): void;
}

/** Makes a view of markdown that is built of DOM nodes only: nothing in the text becomes HTML, and nothing is fetched. */
export function createMarkdown(): MarkdownView {
  const element = html("div", { class: "markdown" });
  const read = createMarkdownReader();
  let drawn: readonly Drawn[] = [];
  return {
    element,
    update(text, isDone) {
      drawn = drawNodes(element, drawn, read(text, { isOpen: !isDone }));
    },
  };
}
