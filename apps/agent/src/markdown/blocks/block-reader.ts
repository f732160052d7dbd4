import type { Block } from "../tree.ts";

/** Where a block is read. */
export interface BlockContext {
  /** How many quotes and lists it is inside of. */
  readonly depth: number;
  /** Whether more of the text may come: what is begun at its end is then shown as if it were ended. */
  readonly isOpen: boolean;
  /** Reads what a quote or an item holds. */
  readInside(lines: readonly string[], context: Pick<BlockContext, "isOpen">): readonly Block[];
}

/** Reads the block that begins at a line; undefined where another sort begins there. `next` is the first line after it. */
export type BlockReader = (lines: readonly string[], at: number, context: BlockContext) => ReadBlock | undefined;

export interface ReadBlock {
  readonly node: Block;
  readonly next: number;
}

/** Whether nothing comes after a block that may yet grow. */
export function isLastOpen(lines: readonly string[], next: number, { isOpen }: Pick<BlockContext, "isOpen">): boolean {
  return isOpen && (next >= lines.length || (next === lines.length - 1 && lines[next] === ""));
}
