import { readFileSync } from "node:fs";

/** The rows of the first table below a heading (or a line with this text) of a contract; without code marks. */
export function specTable(contract: URL, after: string): readonly (readonly string[])[] {
  const [, below = ""] = readFileSync(contract, "utf8").split(after, 2);
  const [table = ""] = /^\|.*(?:\n\|.*)*/m.exec(below) ?? [];
  return table
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.replaceAll("`", "").trim()),
    );
}
