import type { Token } from "markdown-it";
import { completeBlock } from "./complete-block.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import type { Block } from "./parse-markdown.ts";

interface ReadBlocks {
  /** Number of unchanged blocks. */
  readonly kept: number;
  /** The blocks after those. */
  readonly fresh: readonly (readonly Token[])[];
}

/** Reads a text that grows, and only from where more text can still change it. */
export function createBlockReader(): (text: string, isOpen: boolean) => ReadBlocks {
  let known = "";
  let starts: readonly number[] = [];
  return (given, isOpen) => {
    const text = given.replace(/\r\n?/g, "\n");
    // The next character may merge the last block into the one before it.
    const kept = text.startsWith(known) ? Math.max(0, starts.length - 2) : 0;
    const from = starts[kept] ?? 0;
    const blocks = readBlocks(text.slice(from), isOpen);
    starts = [...starts.slice(0, kept), ...offsetsOf(blocks, text, from)];
    known = text;
    return { kept, fresh: blocks.map(({ tokens }) => tokens) };
  };
}

function readBlocks(text: string, isOpen: boolean): readonly Block[] {
  const blocks = parseMarkdown(text);
  const last = blocks.at(-1);
  if (!isOpen || !last) return blocks;
  const source = text.split("\n").slice(last.line).join("\n");
  return [...blocks.slice(0, -1), ...completeBlock(last, source)];
}

function offsetsOf(blocks: readonly Block[], text: string, from: number): number[] {
  const offsets: number[] = [];
  let at = from;
  let line = 0;
  for (const block of blocks) {
    for (; line < block.line; line += 1) at = text.indexOf("\n", at) + 1;
    offsets.push(at);
  }
  return offsets;
}
