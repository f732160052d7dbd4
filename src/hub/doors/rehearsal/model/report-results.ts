// Puts what tools gave into short markdown: tables for rows, a list for fields, text as it is.
import { isJsonObject } from "../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../wire/index.ts";
import { findCall } from "./find-call.ts";
import { readResult } from "./read-result.ts";
import type { RehearsalMessage, RehearsalResult } from "./request.ts";

const mostRows = 12;
const mostColumns = 8;
const mostFields = 24;
const longestText = 2000;
const longestCell = 120;

export function reportResults(results: readonly RehearsalResult[], messages: readonly RehearsalMessage[]): string {
  return results.map((result) => reportOne(result, argumentsOf(result, messages))).join("\n\n");
}

function argumentsOf({ callId }: RehearsalResult, messages: readonly RehearsalMessage[]): string {
  const text = findCall(messages, callId)?.arguments ?? "{}";
  return text === "{}" ? "" : ` with \`${shorten(text.replaceAll("`", "'"), longestCell)}\``;
}

function reportOne(result: RehearsalResult, given: string): string {
  const { error, value } = readResult(result);
  const name = `\`${result.name}\`${given}`;
  if (error !== undefined) return `I called ${name}, and it failed: ${shorten(error, longestText)}`;
  if (value === undefined || value === null || value === "") return `I called ${name}; it gave nothing back.`;
  return `I called ${name}:\n\n${describe(value)}`;
}

function describe(value: Json): string {
  if (Array.isArray(value)) return describeList(value as readonly Json[]);
  if (isJsonObject(value)) return describeFields(value);
  return typeof value === "string" ? shorten(value, longestText) : writeCell(value);
}

function describeList(items: readonly Json[]): string {
  if (items.length === 0) return "An empty list.";
  const rows = items.filter(isJsonObject);
  const more = items.length > mostRows ? `\n\n… and ${items.length - mostRows} more.` : "";
  if (rows.length < items.length)
    return (
      items
        .slice(0, mostRows)
        .map((item) => `- ${writeCell(item)}`)
        .join("\n") + more
    );
  const columns = [...new Set(rows.slice(0, mostRows).flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const body = rows.slice(0, mostRows).map((row) => line(columns.map((column) => writeCell(row[column] ?? null))));
  return [line(columns.map(label)), line(columns.map(() => "---")), ...body].join("\n") + more;
}

/** Plain fields as a list, then each list of rows as a table of its own. */
function describeFields(value: JsonObject): string {
  const fields = flatten(value, []);
  const isTable = (one: Json): boolean => Array.isArray(one) && one.some(isJsonObject);
  const plain = fields.filter(([, one]) => !isTable(one));
  const lines = plain.slice(0, mostFields).map(([name, one]) => `- **${name}**: ${writeCell(one)}`);
  if (plain.length > mostFields) lines.push(`- … and ${plain.length - mostFields} more`);
  const tables = fields.filter(([, one]) => isTable(one)).map(([name, one]) => `**${name}**\n\n${describe(one)}`);
  return [lines.join("\n"), ...tables].filter(Boolean).join("\n\n") || "An empty object.";
}

function flatten(value: JsonObject, before: readonly string[]): readonly (readonly [string, Json])[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...before, label(name)];
    if (isJsonObject(inner) && path.length < 4) return flatten(inner, path);
    return [[path.join(" › "), inner] as const];
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
    return Number.isInteger(value) || Math.abs(value) < 1 ? plain(value) : plain(Math.round(value * 100) / 100);
  if (typeof value === "string") return escapeCell(shorten(value, longestCell));
  if (Array.isArray(value) && value.every((item) => !Array.isArray(item) && !isJsonObject(item)))
    return escapeCell(shorten((value as readonly Json[]).map(String).join(", "), longestCell)) || "–";
  return escapeCell(shorten(JSON.stringify(value), longestCell));
}

function plain(value: number): string {
  return Math.abs(value) >= 10_000 ? value.toLocaleString("en-US", { maximumFractionDigits: 2 }) : String(value);
}

function escapeCell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function shorten(text: string, most: number): string {
  const characters = Array.from(text.slice(0, most * 2));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
