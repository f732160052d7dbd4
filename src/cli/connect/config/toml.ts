// Reads and edits TOML. A module of its own, so that its parser is loaded only when a file is read. No library for Node
// edits TOML and keeps its comments, so this cuts and adds whole statements; the caller checks what the result means.
import { parse, TomlError } from "smol-toml";
import type { TomlTable as ParsedTable, TomlValue } from "smol-toml";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { ConfigSyntaxError } from "./config-syntax-error.ts";

/** In a table that already exists, only the fields that `owns` names are replaced. */
export interface TomlTable {
  readonly path: readonly string[];
  readonly fields: JsonObject;
  owns(field: string): boolean;
}

const options = { integersAsBigInt: "asNeeded" } as const;

/** Reads TOML. Throws a ConfigSyntaxError with the place of the mistake. */
export function parseToml(text: string): JsonObject {
  try {
    return Object.fromEntries(entriesOf(parse(withoutMark(text), options)));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [problem = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
    throw new ConfigSyntaxError(`line ${error.line}, column ${error.column}: ${problem}`);
  }
}

/** Converted to JSON: the parser's values have no prototype, and may be dates. */
function entriesOf(table: ParsedTable): readonly (readonly [string, Json])[] {
  return Object.entries(table).map(([name, value]) => [name, plain(value)]);
}

function plain(value: TomlValue): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return String(value);
  return typeof value === "object" ? Object.fromEntries(entriesOf(value)) : value;
}

/** Adds the table to the text; a new table is added at the end. */
export function setInToml(text: string, { path, fields, owns }: TomlTable): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const body = tomlFields(fields).replaceAll("\n", newline);
  let table: readonly string[] = [];
  let after = "";
  let isThere = false;
  for (const statement of statementsOf(text)) {
    const { source, header, key } = statement;
    table = header ?? table;
    const place = key === undefined ? table : [...table, key];
    const field = isBelow(place, path) ? place[path.length] : undefined;
    // Keep comments and blank lines.
    if (field !== undefined && owns(field) && (header ?? key) !== undefined) continue;
    after += source;
    if (header === undefined || field !== undefined || !isBelow(header, path)) continue;
    isThere = true;
    after += (after.endsWith("\n") ? "" : newline) + body;
  }
  if (isThere) return after;
  const gap = after.trim() === "" ? "" : newline;
  const open = after === "" || after.endsWith("\n") ? "" : newline;
  return `${after}${open}${gap}${tomlTable(path, fields).replaceAll("\n", newline)}`;
}

interface Statement {
  /** Its whole lines. */
  readonly source: string;
  /** The path of a table's header. */
  readonly header?: readonly string[];
  readonly key?: string;
}

/** Splits valid TOML: a statement ends with the first line where it can be parsed alone. */
function* statementsOf(text: string): Generator<Statement> {
  let source = "";
  for (const line of text.split(/(?<=\n)/)) {
    source += line;
    const alone = source === line || canEnd.test(line) ? tryParse(source) : undefined;
    if (alone === undefined) continue;
    const isHeader = /^\uFEFF?\s*\[/.test(source);
    const [key] = Object.keys(alone);
    yield isHeader ? { source, header: pathOf(alone) } : { source, ...(key === undefined ? {} : { key }) };
    source = "";
  }
  if (source !== "") yield { source };
}

/** Ends of multi-line values. */
const canEnd = /"""|'''|[\]}]/;

function tryParse(text: string): object | undefined {
  try {
    return parse(withoutMark(text), options);
  } catch {
    return undefined;
  }
}

/** The names from the root to the one table that a header makes. */
function pathOf(table: object): readonly string[] {
  const [entry] = Object.entries(table) as (readonly [string, object])[];
  return entry === undefined ? [] : [entry[0], ...(Array.isArray(entry[1]) ? [] : pathOf(entry[1]))];
}

function isBelow(path: readonly string[], ancestor: readonly string[]): boolean {
  return ancestor.every((name, index) => path[index] === name);
}

function withoutMark(text: string): string {
  return text.startsWith("\u{feff}") ? text.slice(1) : text;
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

/** JSON escapes texts as TOML does, but for one character. */
function tomlText(value: Json): string {
  return JSON.stringify(value).replaceAll("\u007f", String.raw`\u007f`);
}

function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : tomlText(name);
}
