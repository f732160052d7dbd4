// Completes the last block of a streaming answer, so that it is drawn as if it had ended.
import remend from "remend";
import type { Token } from "markdown-it";
import { parseInline, parseMarkdown } from "./parse-markdown.ts";
import type { Block } from "./parse-markdown.ts";

/** Remend scans each mark several times; models do not write paragraphs this long. */
const maxCompletedLength = 5000;

/** Takes the block and its source; a paragraph that ends in the head of a table becomes two blocks. */
export function completeBlock(block: Block, source: string): readonly Block[] {
  const [first] = block.tokens;
  if (first?.type === "fence") return [{ ...block, tokens: [withoutHalfFence(first, source)] }];
  if (first?.type === "paragraph_open") {
    const table = completeTable(source);
    if (table !== undefined) {
      return parseMarkdown(table).map(({ line, tokens }) => ({ line: block.line + line, tokens }));
    }
  }
  const last = block.tokens.findLast(({ nesting }) => nesting >= 0);
  if (last?.type === "inline" && last.content.length <= maxCompletedLength) {
    last.children = parseInline(completeInline(last.content));
  }
  return [block];
}

function withoutHalfFence(fence: Token, source: string): Token {
  if (!source.trimEnd().endsWith(fence.markup)) fence.content = fence.content.replace(/(^|\n)[`~]{1,2}\n?$/, "$1");
  return fence;
}

function completeInline(text: string): string {
  return remend(text.replace(/(^|\s)[*_~`]+$/, "$1"), {
    linkMode: "text-only",
    katex: false,
    htmlTags: false,
    setextHeadings: false,
    comparisonOperators: false,
    singleTilde: false,
  });
}

/** The source with a whole second line, where it ends with a row and perhaps the beginning of a second line. */
function completeTable(source: string): string | undefined {
  const lines = source.trimEnd().split("\n");
  const rest = /^ *\|[-:| ]*$/.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;
  const head = rest.at(-1)?.trim() ?? "";
  if (!/^\|\s*[^\s|]/.test(head) || rest.at(-2)?.trimStart().startsWith("|")) return undefined;
  const cells = head.replace(/^\||\|$/g, "").split(/(?<!\\)\|/);
  return [...rest, `|${"-|".repeat(cells.length)}`].join("\n");
}
