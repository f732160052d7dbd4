// In MCP 2026-07-28, headers repeat parts of the body for intermediaries. The hub checks that both agree, including arguments
// that a tool marks with `x-mcp-header` in its input schema, which clients repeat as `Mcp-Param-<name>`.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { RpcError, claimIn, newestVersion } from "../../../mcp/index.ts";
import type { Request } from "../../../mcp/index.ts";
import { isJsonObject, shortMessage } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";

interface Told {
  readonly method: string;
  readonly params: JsonObject;
}

/** Whether a message uses the newest revision; throws if header and body disagree. */
export function isOfNewest(headers: IncomingHttpHeaders, { method, params }: Told): boolean {
  const version = headerOf(headers, "mcp-protocol-version");
  const claim = claimIn(params);
  const isNew = version !== undefined && version >= newestVersion;
  if (claim === undefined) {
    if (isNew && method === "initialize") throw mismatch("MCP-Protocol-Version", "the revision of an initialize");
    return isNew;
  }
  if (version !== undefined && typeof claim === "string" && claim !== version) {
    throw mismatch("MCP-Protocol-Version", "the revision in _meta");
  }
  const sent = headerOf(headers, "mcp-method");
  if (sent !== undefined && sent !== method) throw mismatch("Mcp-Method", "the method");
  return true;
}

const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** Refuses a request of the newest revision if a header is missing or differs from the body. */
export function checkHeaders(headers: IncomingHttpHeaders, { method, params }: Request): void {
  if (headerOf(headers, "mcp-protocol-version") === undefined) throw missing("MCP-Protocol-Version");
  if (headerOf(headers, "mcp-method") === undefined) throw missing("Mcp-Method");
  const field = Object.hasOwn(named, method) ? named[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  if (typeof name !== "string") return;
  const sent = headerOf(headers, "mcp-name");
  if (sent === undefined) throw missing("Mcp-Name");
  if (decodeHeader(sent) !== name) throw mismatch("Mcp-Name", `the ${field}`);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name]?.toString().trim();
}

function missing(header: string): RpcError {
  return new RpcError("header-mismatch", `The header ${header} is missing. Send what the body says in it as well.`);
}

function mismatch(header: string, what: string): RpcError {
  return new RpcError("header-mismatch", `The header ${header} says something else than ${what} in the body.`);
}

/** An argument that clients must repeat as a header. */
interface DeclaredHeader {
  /** The name after `Mcp-Param-`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly isNumber: boolean;
}

const declared = new WeakMap<JsonObject, readonly DeclaredHeader[]>();

/**
 * The `x-mcp-header` annotations of an input schema, cached. By MCP, one invalid annotation invalidates all, and clients send
 * no headers then.
 */
export function declaredHeaders(inputSchema: JsonObject): readonly DeclaredHeader[] {
  let headers = declared.get(inputSchema);
  if (!headers) declared.set(inputSchema, (headers = readHeaders(inputSchema)));
  return headers;
}

/** A nested schema; `name` is its property, if it is reachable through properties only. */
interface Place {
  readonly schema: Json;
  readonly parent?: Place;
  readonly name?: string;
}

const keyword = "x-mcp-header";

/** Without recursion, because a page's schema may be arbitrarily deep. */
function readHeaders(inputSchema: JsonObject): readonly DeclaredHeader[] {
  const found = new Map<string, DeclaredHeader>();
  const places: Place[] = [{ schema: inputSchema }];
  for (const place of places) {
    const { schema } = place;
    if (!isJsonObject(schema)) continue;
    if (Object.hasOwn(schema, keyword)) {
      const header = readHeader(place, schema);
      if (!header || found.has(header.name.toLowerCase())) return [];
      found.set(header.name.toLowerCase(), header);
    }
    for (const inner of placesIn(place, schema)) places.push(inner);
  }
  return [...found.values()];
}

/** MCP does not allow numbers, but clients send them, so they are checked. */
const allowedTypes: readonly unknown[] = ["string", "integer", "boolean", "number"];
/** A token by RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function readHeader(place: Place, { type, [keyword]: name }: JsonObject): DeclaredHeader | undefined {
  if (place.name === undefined || typeof name !== "string" || !token.test(name) || !allowedTypes.includes(type))
    return undefined;
  return { name, path: pathTo(place), isNumber: type === "integer" || type === "number" };
}

function pathTo(place: Place): readonly string[] {
  const names: string[] = [];
  for (let at: Place | undefined = place; at?.name !== undefined; at = at.parent) names.push(at.name);
  return names.reverse();
}

/** Keywords with one schema or a list, and keywords with schemas by name. `$ref` is not followed. */
const schemaKeywords = new Set([
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);
const namedSchemaKeywords = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"]);

function* placesIn(place: Place, schema: JsonObject): Generator<Place> {
  const isReachable = place.name !== undefined || place.parent === undefined;
  for (const [word, value] of Object.entries(schema)) {
    if (word === "properties" && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value))
        yield isReachable ? { schema: inner, parent: place, name } : { schema: inner, parent: place };
    } else if (schemaKeywords.has(word)) {
      for (const inner of [value].flat()) yield { schema: inner, parent: place };
    } else if (namedSchemaKeywords.has(word) && isJsonObject(value)) {
      for (const inner of Object.values(value)) yield { schema: inner, parent: place };
    }
  }
}

/** The problem with a call's `Mcp-Param-` headers, if any. */
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
  const given = headers[header.toLowerCase()]?.toString();
  if (given === undefined) {
    return `The header ${header} is missing. Send the argument ${argument} in it as well.`;
  }
  const sent = decodeHeader(given);
  if (sent === undefined) {
    return `The header ${header} is not Base64 of UTF-8 between "=?base64?" and "?=". Encode the argument ${argument} anew.`;
  }
  const isEqual = sent === text || (isNumber && numberOf(sent) === value);
  if (isEqual) return undefined;
  return `The header ${header} says something else than the argument ${argument}. Send the same value in both.`;
}

/** An argument as a header's text; undefined if it cannot be one, in which case no header is expected. */
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

/** Decodes a header: values that do not fit into one are sent as Base64. */
function decodeHeader(given: string): string | undefined {
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
