import { oneLine } from "../common/plain-text.ts";

/** Wraps text between words to lines of at most `width` characters. A longer word gets a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/** Wraps text and indents every line. */
export function indent(text: string, spaces: number, width: number): readonly string[] {
  return wrap(text, Math.max(minLineWidth, width - spaces)).map((line) => " ".repeat(spaces) + line);
}

/** The min width of a line, however narrow the terminal is. */
const minLineWidth = 20;

/** Rows as lines with columns of equal width. The last column is cut to the remaining width. */
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

/** A time of here, to the minute: 2026-01-31 12:00. */
export function minuteOf(time: Date | number): string {
  return new Date(time).toLocaleString("sv-SE").slice(0, "2026-01-31 12:00".length);
}
