// Results that are lists of equal things, which are read as a table.
import { isJsonObject } from "pagewire/wire";
import type { Json, JsonObject } from "pagewire/wire";

export interface Rows {
  /** Their place in the result: "" for the result itself. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

const mostColumns = 12;

/** The rows of a value that is a list of objects, or of its first field that is one. */
export function rowsOf(value: Json | undefined): Rows | undefined {
  if (Array.isArray(value)) return asRows("", value);
  if (!isJsonObject(value)) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = Array.isArray(each) ? asRows(name, each) : undefined;
    if (found) return found;
  }
  return undefined;
}

function asRows(name: string, list: readonly Json[]): Rows | undefined {
  const rows = list.filter(isJsonObject);
  if (rows.length === 0 || rows.length < list.length) return undefined;
  const columns = new Set<string>();
  for (const row of rows.slice(0, 100)) for (const column of Object.keys(row)) columns.add(column);
  if (columns.size === 0 || columns.size > mostColumns) return undefined;
  return { name, columns: [...columns], rows };
}

/** A value in a cell. */
export function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
