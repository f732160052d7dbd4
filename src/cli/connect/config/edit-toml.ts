// Puts one table into TOML. Every byte that is not about this table stays as it is.
import type { Json, JsonObject } from "../../../wire/index.ts";
import { parseToml } from "./parse-toml.ts";
import type { TomlStatement } from "./parse-toml.ts";
import { ConfigSyntaxError } from "./scanner.ts";

/** What to put where: of a table that is there already, only the fields that `owns` names are replaced. */
export interface TomlTable {
  readonly path: readonly string[];
  readonly fields: JsonObject;
  owns(field: string): boolean;
}

/** The text with this table in it; a table that is not there yet comes last. */
export function setInToml(text: string, table: TomlTable): string {
  const statements = parseToml(text);
  refuseOtherForms(statements, table.path);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const body = tomlFields(table.fields).replaceAll("\n", newline);
  const header = statements.find(({ kind, path }) => kind === "table" && isSame(path, table.path));
  const ranges = ownedRanges(statements, table);
  const kept = cut(text, ranges);
  if (header !== undefined) {
    const end = header.end - lengthBefore(ranges, header.end);
    const isOpen = end > 0 && kept[end - 1] !== "\n";
    return kept.slice(0, end) + (isOpen ? newline : "") + body + kept.slice(end);
  }
  const isOpen = kept !== "" && !kept.endsWith("\n");
  const gap = kept.trim() === "" ? "" : newline;
  return `${kept}${isOpen ? newline : ""}${gap}[${table.path.map(tomlKey).join(".")}]${newline}${body}`;
}

/** A table as it is written, header and all. */
export function tomlTable(path: readonly string[], fields: JsonObject): string {
  return `[${path.map(tomlKey).join(".")}]\n${tomlFields(fields)}`;
}

function tomlFields(fields: JsonObject): string {
  return Object.entries(fields)
    .map(([name, value]) => `${tomlKey(name)} = ${tomlValue(value)}\n`)
    .join("");
}

function tomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((each: Json) => tomlValue(each)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return tomlText(value);
  const members = Object.entries(value).map(([name, each]) => `${tomlKey(name)} = ${tomlValue(each)}`);
  return `{ ${members.join(", ")} }`;
}

/** JSON writes texts as TOML does, but for one character. */
function tomlText(value: Json): string {
  return JSON.stringify(value).replaceAll("\u007f", String.raw`\u007f`);
}

function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : tomlText(name);
}

/** A table can also be written as a value of its parent. That one is not taken apart. */
function refuseOtherForms(statements: readonly TomlStatement[], path: readonly string[]): void {
  let isOurs = false;
  for (const statement of statements) {
    if (statement.kind !== "value") isOurs = statement.kind === "table" && isBelow(statement.path, path);
    const leads = isBelow(path, statement.path) && statement.kind !== "table";
    if (leads || (isBelow(statement.path, path) && !isOurs)) {
      throw new ConfigSyntaxError(`it writes ${path.join(".")} in another form than as a table of its own`);
    }
  }
}

type Range = readonly [start: number, end: number];

/** The lines of the fields that are replaced, and of the sub-tables that hold such fields. */
function ownedRanges(statements: readonly TomlStatement[], { path, owns }: TomlTable): readonly Range[] {
  return statements.flatMap(({ path: each, start, end }): readonly Range[] => {
    const field = each[path.length];
    return field !== undefined && isBelow(each, path) && owns(field) ? [[start, end]] : [];
  });
}

function cut(text: string, ranges: readonly Range[]): string {
  let at = 0;
  let kept = "";
  for (const [start, end] of ranges) {
    kept += text.slice(at, start);
    at = end;
  }
  return kept + text.slice(at);
}

function lengthBefore(ranges: readonly Range[], place: number): number {
  return ranges.filter(([, end]) => end <= place).reduce((sum, [start, end]) => sum + end - start, 0);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && isBelow(one, other);
}

/** Whether the first path is the second one or leads on from it. */
function isBelow(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
}
