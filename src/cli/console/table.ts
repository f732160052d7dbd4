import { oneLine } from "./plain-text.ts";

/** Rows as lines with columns of equal width. The last column is cut to what is left of the width. */
export function table(rows: readonly (readonly string[])[], width = Infinity): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  return cells.map((row) => {
    const start = row.slice(0, -1).map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - lengthOf(cell) + 2));
    return (start.join("") + oneLine(row.at(-1) ?? "", Math.max(20, width - before))).trimEnd();
  });
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
