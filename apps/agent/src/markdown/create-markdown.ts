import { html } from "../../../common/src/dom.ts";
import { createBlockReader } from "./create-block-reader.ts";
import { drawTokens } from "./draw-tokens.ts";
import { morphChildren } from "./morph-children.ts";

/** Markdown that a model wrote, drawn while it comes. */
export interface MarkdownView {
  readonly element: HTMLElement;
  /** Takes the whole text so far. */
  update(text: string, isDone: boolean): void;
}

export function createMarkdown(): MarkdownView {
  const element = html("div", { class: "markdown" });
  const read = createBlockReader();
  return {
    element,
    update(text, isDone) {
      const { kept, fresh } = read(text, !isDone);
      const wanted = html("div");
      for (const tokens of fresh) drawTokens(tokens, wanted);
      morphChildren(element, [...wanted.childNodes], kept);
    },
  };
}
