import { parseInline } from "../inline/parse-inline.ts";
import type { Alignment, Cell, Row } from "../tree.ts";
import type { BlockContext, BlockReader } from "./block-reader.ts";
import { isLastOpen } from "./block-reader.ts";
import { interrupts, isBlank } from "./lines.ts";

export const readTable: BlockReader = (lines, at, context) => {
  if (!beginsTable(lines, at, context)) return undefined;
  const head = cellsOf(lines[at] ?? "");
  const aligns = cellsOf(lines[at + 1] ?? "").map(alignmentOf);
  let next = Math.min(at + 2, lines.length);
  while (next < lines.length && !isBlank(lines[next] ?? "") && !interrupts(lines[next] ?? "")) next += 1;
  const isOpen = isLastOpen(lines, next, context);
  const rowOf = (texts: readonly string[], line: number): Row => ({
    kind: "row",
    isHead: line === at,
    children: texts.slice(0, head.length).map((text, column): Cell => {
      const isLast = isOpen && line === next - 1 && column === texts.length - 1;
      const children = parseInline(text, { isOpen: isLast });
      return { kind: "cell", isHead: line === at, align: aligns[column] ?? "start", children };
    }),
  });
  const body = lines.slice(at + 2, next).map((line, index) => rowOf(cellsOf(line), at + 2 + index));
  return { node: { kind: "table", children: [rowOf(head, at), ...body] }, next };
};

/** Whether a table begins at a line, which only the line after it tells. */
export function beginsTable(lines: readonly string[], at: number, { isOpen }: Pick<BlockContext, "isOpen">): boolean {
  return isTableAt(lines, at) || (isOpen && isBegunAt(lines, at));
}

function isTableAt(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1] ?? "";
  const head = lines[at] ?? "";
  if (!head.includes("|") || !/^[ \t|:-]+$/.test(rule) || !rule.includes("-")) return false;
  const cells = cellsOf(rule);
  return cells.length === cellsOf(head).length && cells.every((cell) => /^:?-+:?$/.test(cell));
}

/** While a text comes, a table is there before its second line is whole. */
function isBegunAt(lines: readonly string[], at: number): boolean {
  const isAtEnd = at >= lines.length - 2;
  return isAtEnd && /^ {0,3}\|/.test(lines[at] ?? "") && /^[ \t|:-]*$/.test(lines[at + 1] ?? "");
}

function alignmentOf(rule: string): Alignment {
  if (!rule.endsWith(":")) return "start";
  return rule.startsWith(":") ? "center" : "end";
}

/** Cells end at bars; one with a backslash before it is part of its cell. */
function cellsOf(line: string): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let cell = "";
  let from = text.startsWith("|") ? 1 : 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\" && text[at + 1] === "|") {
      cell += text.slice(from, at);
      from = at += 1;
    } else if (text[at] === "|") {
      cells.push((cell + text.slice(from, at)).trim());
      cell = "";
      from = at + 1;
    }
  }
  if (from < text.length || cell !== "") cells.push((cell + text.slice(from)).trim());
  return cells;
}
