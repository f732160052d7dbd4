// Markdown, written in one pass from the beginning of a page to its end, without recursion.
import { createBlocks } from "./create-blocks.ts";
import type { Block } from "./create-blocks.ts";
import { createLine, fenceFor } from "./create-line.ts";
import type { Leave, Line } from "./create-line.ts";

export interface Markdown extends Pick<Line, "text" | "push" | "wrapped"> {
  readonly blocks: readonly Block[];
  /** The characters so far. */
  readonly size: number;
  lineBreak(): void;
  /** Ends the paragraph, if there is one. */
  block(): void;
  heading(level: number): Leave;
  indented(rest: string): Leave;
  list(first: number | undefined): Leave;
  item(value: number | undefined): Leave;
  code(): Leave;
  table(): Leave;
  row(): Leave;
  cell(span: number): Leave;
}

const mostColumns = 200;

interface Table {
  cells: string[] | undefined;
  hasRows: boolean;
}

/** Writes the cells that have come in a table's row. */
function writeCells(table: Table | undefined, blocks: Pick<ReturnType<typeof createBlocks>, "add">): void {
  if (!table?.cells?.length) return;
  const { cells, hasRows } = table;
  blocks.add(`| ${cells.join(" | ")} |`, hasRows);
  if (!hasRows) blocks.add(`|${" --- |".repeat(cells.length)}`, true);
  table.hasRows = true;
  table.cells = [];
}

export function createMarkdown(): Markdown {
  const line = createLine();
  const blocks = createBlocks();
  const tables: Table[] = [];
  /** In a heading or a cell: its blocks are written in one line. */
  let isOneLine = false;

  function block(): void {
    if (line.isCode) line.newLine();
    else if (isOneLine) line.text(" ");
    else {
      const text = escapeStart(line.take());
      // A row ends with text between its cells.
      if (text) endCells();
      blocks.add(text);
    }
  }

  /** Begins what cannot be in a line or in code: there it is written as a block. */
  function unlessInLine(begin: () => Leave): Leave {
    block();
    return isOneLine || line.isCode ? block : begin();
  }

  function inOneLine(write: (text: string) => void): Leave {
    isOneLine = true;
    return () => {
      isOneLine = false;
      write(line.take().replace(/\n+/g, " "));
    };
  }

  const afterBlock = (end: () => void) => () => {
    block();
    end();
  };

  const endCells = () => writeCells(tables.at(-1), blocks);

  return {
    blocks: blocks.list,
    get size() {
      return line.size + blocks.size;
    },
    text: (data) => line.text(data),
    push: line.push,
    wrapped: (wrapping) => line.wrapped(wrapping),
    lineBreak: () => (isOneLine ? line.text(" ") : line.newLine()),
    block,
    heading: (level) => unlessInLine(() => inOneLine((text) => blocks.add(text && `${"#".repeat(level)} ${text}`))),
    indented: (rest) => unlessInLine(() => afterBlock(blocks.indent(rest, rest))),
    list: (first) =>
      unlessInLine(() => {
        blocks.openList(first);
        return afterBlock(blocks.closeList);
      }),
    item: (value) => unlessInLine(() => afterBlock(blocks.openItem(value))),
    code: () =>
      unlessInLine(() => {
        line.isCode = true;
        return () => {
          const text = line.take().replace(/^\n|\s+$/g, "");
          line.isCode = false;
          const fence = fenceFor(text, 3);
          blocks.add(text && `${fence}\n${text}\n${fence}`);
        };
      }),
    table: () =>
      unlessInLine(() => {
        tables.push({ cells: undefined, hasRows: false });
        return afterBlock(() => tables.pop());
      }),
    row: () =>
      unlessInLine(() => {
        const table = tables.at(-1);
        if (!table) return block;
        endCells();
        table.cells = [];
        return afterBlock(() => {
          endCells();
          table.cells = undefined;
        });
      }),
    cell: (span) =>
      unlessInLine(() => {
        const table = tables.at(-1);
        // Outside a row it is a paragraph.
        if (!table?.cells) return block;
        const { cells } = table;
        return inOneLine((text) => {
          cells.push(text.replaceAll("|", "\\|"));
          for (let more = 1; more < span && cells.length < mostColumns; more++) cells.push("");
        });
      }),
  };
}

/** A paragraph that begins like a heading, a list or a quote does so only as text. */
function escapeStart(text: string): string {
  return text.replace(/^(#{1,6} |[-+*] |>|```|~~~|\|)/, "\\$1").replace(/^(\d{1,9})([.)] )/, "$1\\$2");
}
