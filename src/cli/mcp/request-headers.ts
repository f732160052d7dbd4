// The headers that MCP 2026-07-28 requires, so that intermediaries need not read the body.
import { metaOf } from "./message.ts";
import type { RequestMessage } from "./message.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** The version in a modern message; undefined for messages of earlier versions. */
export function versionOf(message: Pick<RequestMessage, "params">): string | undefined {
  const version = metaOf(message, "io.modelcontextprotocol/protocolVersion");
  return typeof version === "string" ? version : undefined;
}

/** Which parameter of a method is its `Mcp-Name`. */
const nameParameters: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** The standard headers of a modern request. */
export function requestHeaders(message: RequestMessage): Readonly<Record<string, string>> {
  const { method, params } = message;
  const parameter = Object.hasOwn(nameParameters, method) ? nameParameters[method] : undefined;
  const name = parameter === undefined ? undefined : params[parameter];
  return {
    // A value that no header can hold is left out; the hub reports the problem.
    ...plainHeader("mcp-protocol-version", versionOf(message)),
    ...plainHeader("mcp-method", method),
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** A text as the value of a header: as it is if that is possible, else as Base64 with marks around it. */
export function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function plainHeader(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value !== undefined && headerValue(value) === value ? { [name]: value } : {};
}

interface ParameterHeaders {
  /** Learns from a list of tools. The first page of a list makes everything before it outdated. */
  remember(result: JsonObject, isFirstPage: boolean): void;
  of(call: JsonObject): Readonly<Record<string, string>>;
}

/** The path of an argument, and the header it is copied to. */
interface Mark {
  readonly path: readonly string[];
  readonly header: string;
}

export function createParameterHeaders(): ParameterHeaders {
  const marksOfTools = new Map<string, readonly Mark[]>();
  return {
    remember({ tools }, isFirstPage) {
      if (isFirstPage) marksOfTools.clear();
      for (const tool of Array.isArray(tools) ? (tools as readonly Json[]) : []) {
        if (!isJsonObject(tool) || typeof tool["name"] !== "string") continue;
        const marks = marksIn(tool["inputSchema"], []);
        if (marks.length > 0) marksOfTools.set(tool["name"], marks);
      }
    },
    of({ name, arguments: given }) {
      const marks = typeof name === "string" ? (marksOfTools.get(name) ?? []) : [];
      return Object.fromEntries(
        marks.flatMap(({ path, header }) => {
          const value = textOf(valueAt(given, path));
          return value === undefined ? [] : [[`mcp-param-${header.toLowerCase()}`, headerValue(value)]];
        }),
      );
    },
  };
}

/** Marks count only where a chain of `properties` leads to them. */
function marksIn(schema: Json | undefined, path: readonly string[]): readonly Mark[] {
  if (!isJsonObject(schema)) return [];
  const { "x-mcp-header": header, properties } = schema;
  const isName = typeof header === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header);
  const below = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    ...(isName && path.length > 0 ? [{ path, header }] : []),
    ...below.flatMap(([name, child]) => marksIn(child, [...path, name])),
  ];
}

function valueAt(value: Json | undefined, [name, ...more]: readonly string[]): Json | undefined {
  if (name === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? valueAt(value[name], more) : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  const isSayable = typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isSayable ? String(value) : undefined;
}
