import type { Row } from "./row.ts";

/** Rows as cells, with a heading; one column for each peer that any of them has. */
export function cellsOf(rows: readonly Row[]): readonly (readonly string[])[] {
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
  return [
    ["size", "metric", "pagewire", "floor", ...peers, "ratio", "95 %", "bar", "met"],
    ...rows.map((row) => [
      row.size,
      row.metric,
      figure(row.pagewire),
      figure(row.floor),
      ...peers.map((name) => figure(row.peers[name])),
      row.ratio === null ? "–" : row.ratio.toFixed(2),
      row.interval ? row.interval.map((end) => end.toFixed(2)).join("–") : "–",
      row.bar === null ? "–" : `≤ ${figure(row.bar)}${row.ratio === null ? "" : " ×"}`,
      row.met === null ? "–" : row.met ? "yes" : "no",
    ]),
  ];
}

/** Cells in columns, for a terminal. */
export function textTable(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return lines.join("\n");
}

/** Cells as a table of Markdown. */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const rule = heading.map((_, column) => (column < 2 ? "---" : "---:"));
  return [heading, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function figure(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: 2 });
}
