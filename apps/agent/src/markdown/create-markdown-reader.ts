// Markdown as a tree: what models write, and no HTML. Every step takes time in proportion to the text, and no text makes
// a tree deeper than it may be.
import { parseBlocks } from "./blocks/parse-blocks.ts";
import type { Block } from "./tree.ts";

export interface MarkdownOptions {
  /** Whether more of the text may come: what is begun at its end then looks as if it were ended. */
  readonly isOpen?: boolean;
}

/** Reads a text that grows; blocks that more text cannot change stay the same objects. */
export function createMarkdownReader(): (text: string, options: MarkdownOptions) => readonly Block[] {
  let known = "";
  let starts: readonly number[] = [];
  let blocks: readonly Block[] = [];
  return (text, { isOpen = false }) => {
    // What comes next may join the last block, and make that one a part of the block before it.
    const kept = text.startsWith(known) ? Math.max(0, blocks.length - 2) : 0;
    const from = starts[kept] ?? 0;
    const lines = linesOf(text.slice(from));
    const read = parseBlocks(lines, { isOpen });
    const offsets = offsetsOf(text, from);
    starts = [...starts.slice(0, kept), ...read.map(({ line }) => offsets[line] ?? from)];
    blocks = [...blocks.slice(0, kept), ...read.map(({ node }) => node)];
    known = text;
    return blocks;
  };
}

const lineEnd = /\r\n?|\n/g;

function linesOf(text: string): string[] {
  return text.split(lineEnd);
}

function offsetsOf(text: string, from: number): number[] {
  const offsets = [from];
  for (const { 0: end, index } of text.slice(from).matchAll(lineEnd)) offsets.push(from + index + end.length);
  return offsets;
}
