import { createMarkdownReader } from "./create-markdown-reader.ts";
import type { MarkdownOptions } from "./create-markdown-reader.ts";
import type { Block } from "./tree.ts";

/** Reads a whole text, of which nothing was read before. */
export function parseMarkdown(text: string, options: MarkdownOptions = {}): readonly Block[] {
  return createMarkdownReader()(text, options);
}
