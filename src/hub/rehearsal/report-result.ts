// Formats a tool's result as short markdown: a table for rows, a list for fields, text unchanged.
import { isJsonObject, parseJson } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

const maxRows = 12;
const maxColumns = 8;
const maxFields = 24;
const maxText = 2000;
const maxCell = 120;
const maxDepth = 64;

export interface ToolResult {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly text: string;
  readonly isFailed: boolean;
}

export function reportResult({ name, arguments: given, text, isFailed }: ToolResult): string {
  const called = `I called \`${name}\`${given === "{}" ? "" : ` with \`${shorten(given.replaceAll("`", "'"), maxCell)}\``}`;
  const value = parseJson(text, maxDepth) ?? text;
  const error = errorIn(value);
  if (isFailed || error !== undefined) return `${called}, and it failed: ${shorten(error ?? text, maxText)}`;
  return value === null || value === "" ? `${called}; it gave nothing back.` : `${called}:\n\n${describe(value)}`;
}

function errorIn(value: Json): string | undefined {
  if (!isJsonObject(value) || Object.keys(value).length > 2) return undefined;
  const { error } = value;
  if (typeof error === "string") return error;
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
}

function describe(value: Json): string {
  if (Array.isArray(value)) return describeList(value as readonly Json[]);
  if (isJsonObject(value)) return describeFields(value);
  return typeof value === "string" ? shorten(value, maxText) : writeCell(value);
}

function describeList(items: readonly Json[]): string {
  if (items.length === 0) return "An empty list.";
  const shown = items.slice(0, maxRows);
  const rows = shown.filter(isJsonObject);
  const more = items.length > maxRows ? `\n\n… and ${items.length - maxRows} more.` : "";
  if (rows.length < shown.length) return shown.map((item) => `- ${writeCell(item)}`).join("\n") + more;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(columns.map((column) => writeCell(row[column] ?? null))));
  return [line(columns.map(label)), line(columns.map(() => "---")), ...body].join("\n") + more;
}

/** Plain fields as a list, then each list of rows as its own table. */
function describeFields(value: JsonObject): string {
  const fields = flatten(value, []);
  const isTable = (one: Json): boolean => Array.isArray(one) && one.some(isJsonObject);
  const plain = fields.filter(([, one]) => !isTable(one));
  const lines = plain.slice(0, maxFields).map(([name, one]) => `- **${name}**: ${writeCell(one)}`);
  if (plain.length > maxFields) lines.push(`- … and ${plain.length - maxFields} more`);
  const tables = fields.filter(([, one]) => isTable(one)).map(([name, one]) => `**${name}**\n\n${describe(one)}`);
  return [lines.join("\n"), ...tables].filter(Boolean).join("\n\n") || "An empty object.";
}

function flatten(value: JsonObject, path: readonly string[]): readonly (readonly [string, Json])[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = [...path, label(name)];
    return isJsonObject(inner) && own.length < 4 ? flatten(inner, own) : [[own.join(" › "), inner] as const];
  });
}

/** `totalRevenue` as `Total revenue`. */
function label(name: string): string {
  const words = name
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ")
    .replace(/[_-]+/g, " ")
    .trim();
  const text = /\s/.test(words) ? words.toLowerCase() : words;
  return escapeCell(text.slice(0, 1).toUpperCase() + text.slice(1));
}

function writeCell(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "number")
    return Math.abs(value) < 10_000
      ? String(Number.isInteger(value) || Math.abs(value) < 1 ? value : Math.round(value * 100) / 100)
      : value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  if (typeof value === "string") return escapeCell(shorten(value, maxCell));
  const isFlat = Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  return escapeCell(shorten(isFlat ? value.map(String).join(", ") : JSON.stringify(value), maxCell)) || "–";
}

function escapeCell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function shorten(text: string, max: number): string {
  const characters = Array.from(text.slice(0, max * 2));
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}
