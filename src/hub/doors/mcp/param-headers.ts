// MCP 2026-07-28: a tool may name arguments, by `x-mcp-header` in its input schema, that a client must repeat as
// headers `Mcp-Param-<name>`, for those on the way who do not read bodies. The hub holds the two against each other.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, shortMessage } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { declaredHeaders } from "./declared-headers.ts";
import type { DeclaredHeader } from "./declared-headers.ts";

/** Whether a tool with this input schema wants arguments repeated as headers. */
export function hasParamHeaders(inputSchema: JsonObject): boolean {
  return declaredHeaders(inputSchema).length > 0;
}

/** Says what is wrong with the headers that a call's arguments should be repeated in; undefined when nothing is. */
export function checkParamHeaders(
  inputSchema: JsonObject,
  callArguments: JsonObject | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const declared of declaredHeaders(inputSchema)) {
    const problem = problemWith(declared, valueAt(callArguments, declared.path), headers);
    if (problem !== undefined) return shortMessage(problem);
  }
  return undefined;
}

function problemWith(
  { name, path, isNumber }: DeclaredHeader,
  value: Json | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const header = `Mcp-Param-${name}`;
  const argument = JSON.stringify(path.join("."));
  const given = headerOf(headers, header);
  if (given === undefined) {
    return `The header ${header} is missing. Send the argument ${argument} in it as well.`;
  }
  const said = decodeHeader(given);
  if (said === undefined) {
    return `The header ${header} is not Base64 of UTF-8 between "=?base64?" and "?=". Encode the argument ${argument} anew.`;
  }
  const isEqual = said === text || (isNumber && numberOf(said) === value);
  if (isEqual) return undefined;
  return `The header ${header} says something else than the argument ${argument}. Send the same value in both.`;
}

/** How an argument is written in a header; undefined for one that cannot be, and then no header is expected. */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  // Beyond these, clients do not write the same digits.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** 42.0 is 42; other forms of a number, such as 0x2a or 4.2e1, are texts that differ. */
function numberOf(text: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** What a header stands for: what does not fit into one is sent as Base64. */
export function decodeHeader(given: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(given)?.[1];
  if (encoded === undefined) return given;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && isUtf8(bytes) ? bytes.toString() : undefined;
}

function valueAt(callArguments: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = callArguments;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name.toLowerCase()]?.toString();
}
