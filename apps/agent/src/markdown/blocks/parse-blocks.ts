import { parseInline } from "../inline/parse-inline.ts";
import type { Block } from "../tree.ts";
import type { BlockContext, BlockReader, ReadBlock } from "./block-reader.ts";
import { isLastOpen } from "./block-reader.ts";
import { closesFence, fenceOf, headingOf, interrupts, isBlank, isRule, outdent } from "./lines.ts";
import { readList } from "./read-list.ts";
import { readQuote } from "./read-quote.ts";
import { beginsTable, readTable } from "./read-table.ts";

/** Quotes and lists inside of each other; deeper ones are text. */
const DEEPEST = 12;

export interface LocatedBlock {
  readonly node: Block;
  /** The line that it begins with. */
  readonly line: number;
}

/** Reads lines as blocks, one after the other. What one of them is does not depend on those before it. */
export function parseBlocks(lines: readonly string[], options: { depth?: number; isOpen: boolean }): LocatedBlock[] {
  const { depth = 0, isOpen } = options;
  const context: BlockContext = {
    depth,
    isOpen,
    readInside: (inside, of) => parseBlocks(inside, { depth: depth + 1, isOpen: of.isOpen }).map(({ node }) => node),
  };
  const blocks: LocatedBlock[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at] ?? "")) {
      at += 1;
      continue;
    }
    const { node, next } = readBlock(lines, at, context);
    blocks.push({ node, line: at });
    at = next;
  }
  return blocks;
}

function readBlock(lines: readonly string[], at: number, context: BlockContext): ReadBlock {
  for (const read of context.depth < DEEPEST ? allReaders : flatReaders) {
    const block = read(lines, at, context);
    if (block) return block;
  }
  return readParagraph(lines, at, context);
}

const readFence: BlockReader = (lines, at, context) => {
  const fence = fenceOf(lines[at] ?? "");
  if (!fence) return undefined;
  let end = at + 1;
  while (end < lines.length && !closesFence(fence, lines[end] ?? "")) end += 1;
  const inside = lines.slice(at + 1, end).map((line) => outdent(line, fence.indent));
  // The first marks of the fence's end are none of the code.
  const last = inside.at(-1);
  if (last && isLastOpen(lines, end + 1, context) && fence.mark.startsWith(last)) inside[inside.length - 1] = "";
  return { node: { kind: "code-block", language: fence.language, text: inside.join("\n") }, next: end + 1 };
};

const readRule: BlockReader = (lines, at) =>
  isRule(lines[at] ?? "") ? { node: { kind: "rule" }, next: at + 1 } : undefined;

const readHeading: BlockReader = (lines, at, context) => {
  const heading = headingOf(lines[at] ?? "");
  if (!heading) return undefined;
  const children = parseInline(heading.text, { isOpen: isLastOpen(lines, at + 1, context) });
  return { node: { kind: "heading", level: heading.level, children }, next: at + 1 };
};

const flatReaders: readonly BlockReader[] = [readFence, readRule, readHeading, readTable];
const allReaders: readonly BlockReader[] = [readFence, readRule, readHeading, readQuote, readList, readTable];

function readParagraph(lines: readonly string[], at: number, context: BlockContext): ReadBlock {
  let next = at + 1;
  while (next < lines.length && !endsParagraph(lines, next, context)) next += 1;
  const text = lines
    .slice(at, next)
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd();
  const children = parseInline(text, { isOpen: isLastOpen(lines, next, context) });
  return { node: { kind: "paragraph", children }, next };
}

function endsParagraph(lines: readonly string[], at: number, context: BlockContext): boolean {
  const line = lines[at] ?? "";
  return isBlank(line) || interrupts(line) || beginsTable(lines, at, context);
}
