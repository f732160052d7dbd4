/** A paragraph, a heading, an item or a row. */
export interface Block {
  readonly text: string;
  /** No empty line before it. */
  readonly isTight: boolean;
}

export interface Blocks {
  readonly list: readonly Block[];
  /** The characters before lines, so far. */
  readonly size: number;
  add(text: string, isTight?: boolean): void;
  /** Begins each line of the blocks that follow with `rest`, the first one with `first`; returns how to end that. */
  indent(first: string, rest: string): () => void;
  openList(first: number | undefined): void;
  closeList(): void;
  openItem(value: number | undefined): () => void;
}

interface Indent {
  first: string | undefined;
  readonly rest: string;
  readonly isItem: boolean;
}

/** Deeper nesting is written as this deep. */
const deepest = 16;

export function createBlocks(): Blocks {
  const list: Block[] = [];
  const indents: Indent[] = [];
  /** The next number of each open list, if it has numbers. */
  const lists: (number | undefined)[] = [];
  let size = 0;
  let isAfterItem = false;

  function open(indent: Indent): () => void {
    if (indents.length >= deepest) return () => {};
    indents.push(indent);
    return () => void indents.pop();
  }

  return {
    list,
    get size() {
      return size;
    },
    add(text, isTight = false) {
      if (text === "") return;
      const isItem = indents.some(({ first }) => first !== undefined);
      const rest = indents.map((indent) => indent.rest).join("");
      const first = indents.map((indent) => indent.first ?? indent.rest).join("");
      for (const indent of indents) indent.first = undefined;
      const lines = text.split("\n").map((line, at) => ((at === 0 ? first : rest) + line).trimEnd());
      size += first.length + rest.length * (lines.length - 1);
      list.push({ text: lines.join("\n"), isTight: isTight || (isItem && isAfterItem) });
      isAfterItem = indents.some((indent) => indent.isItem);
    },
    indent: (first, rest) => open({ first, rest, isItem: false }),
    openList: (first) => void lists.push(first),
    closeList() {
      lists.pop();
      if (lists.length === 0) isAfterItem = false;
    },
    openItem(value) {
      const next = lists.at(-1);
      const number = next === undefined ? undefined : (value ?? next);
      if (number !== undefined) lists[lists.length - 1] = number + 1;
      const first = number === undefined ? "- " : `${number}. `;
      return open({ first, rest: " ".repeat(first.length), isItem: true });
    },
  };
}
