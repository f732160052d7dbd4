import type { KeptAuditRecord } from "../../hub/index.ts";
import { oneLine } from "../common/plain-text.ts";

/** The widest that each column but the last becomes. */
const columns = [
  ["TIME", 20],
  ["KIND", 8],
  ["NAME", 28],
  ["OUTCOME", 17],
  ["MS", 7],
  ["DOOR", 8],
  ["AGENT", 20],
  ["ABOUT", Infinity],
] as const;

/** Formats records as lines with columns. A column that has become wider keeps its width. */
export function createRows(width = Infinity): (records: readonly KeptAuditRecord[]) => readonly string[] {
  const widths: number[] = columns.map(([head]) => head.length);
  let isFirst = true;

  function lineOf(cells: readonly string[]): string {
    const padded = cells.map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - lengthOf(cell))));
    const last = cells.at(-1) ?? "";
    return oneLineKept([...padded.slice(0, -1), last].join("  "), width);
  }

  return (records) => {
    const rows = records.map((record) => cellsOf(record).map((cell, at) => oneLine(cell, columns[at]?.[1])));
    for (const row of rows)
      for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, lengthOf(cell));
    const lines = rows.map(lineOf);
    if (!isFirst) return lines;
    isFirst = false;
    return [lineOf(columns.map(([head]) => head)), ...lines];
  };
}

function cellsOf(record: KeptAuditRecord): readonly string[] {
  const { at, kind, name = "", outcome = "", milliseconds, door = "", agent = "" } = record;
  const time = `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
  return [time, kind, name, outcome, String(milliseconds ?? ""), door, agent, aboutOf(record)];
}

/** All other details that help to identify the call. */
function aboutOf(record: KeptAuditRecord): string {
  const { app, origin, tab, principal, code, ran, decidedBy = "not-asked", details = {} } = record;
  const parts = [
    app,
    origin,
    tab && `tab ${tab}`,
    principal !== "" && principal !== "local" && `for ${principal}`,
    code !== record.outcome && code,
    ran === "maybe" && "may have run",
    decidedBy !== "not-asked" && `by ${decidedBy}`,
    ...Object.entries(details).map(([name, value]) => `${name}: ${textOf(value)}`),
  ];
  return parts.filter(Boolean).join(", ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function oneLineKept(line: string, width: number): string {
  const characters = Array.from(line.trimEnd());
  return characters.length <= width ? characters.join("") : `${characters.slice(0, width - 1).join("")}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
