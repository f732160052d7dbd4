import type { Block, Item } from "../tree.ts";
import type { BlockContext, BlockReader } from "./block-reader.ts";
import { isLastOpen } from "./block-reader.ts";
import { createLazyLines } from "./lazy-lines.ts";
import type { Marker } from "./lines.ts";
import { indentOf, isBlank, isRule, markerOf, outdent } from "./lines.ts";

export const readList: BlockReader = (lines, at, context) => {
  const first = markerOf(lines[at] ?? "");
  if (!first) return undefined;
  const items: Item[] = [];
  let next = at;
  for (;;) {
    const line = lines[next] ?? "";
    const marker = next < lines.length && !isRule(line) ? markerOf(line) : undefined;
    if (marker?.sort !== first.sort) break;
    const inside = linesOfItem(lines, next, marker);
    next = inside.next;
    items.push(readItem(inside.lines, isLastOpen(lines, next, context), context));
  }
  const node: Block = { kind: "list", start: first.number, children: items };
  return { node, next };
};

function linesOfItem(lines: readonly string[], at: number, marker: Marker) {
  const inside = createLazyLines();
  inside.push(marker.rest);
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (isBlank(line)) inside.push("");
    else if (belongsTo(marker, line)) inside.push(outdent(line, marker.content));
    else if (!inside.pushLazily(line)) break;
  }
  return { lines: inside.lines, next };
}

/** Models often indent the bullets below a number by two columns only. */
function belongsTo({ content, number }: Marker, line: string): boolean {
  const indent = indentOf(line);
  return indent >= content || (indent >= 2 && number !== null && markerOf(line)?.number === null);
}

function readItem(lines: readonly string[], isOpen: boolean, context: BlockContext): Item {
  const [first = "", ...rest] = lines;
  const task = /^\[([ xX])\](?=[ \t])/.exec(first);
  if (!task) return { kind: "item", checked: null, children: context.readInside(lines, { isOpen }) };
  const children = context.readInside([first.slice(task[0].length).trimStart(), ...rest], { isOpen });
  return { kind: "item", checked: task[1] !== " ", children };
}
