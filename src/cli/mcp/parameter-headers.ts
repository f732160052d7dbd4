// Tools can have some of their arguments repeated as headers, `Mcp-Param-*`, by marks in their input schemas. It
// remembers the marks of the lists of tools that pass through.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { headerValue } from "./request-headers.ts";

export interface ParameterHeaders {
  /** Learns from a list of tools. The first page of a list makes everything before it outdated. */
  remember(result: JsonObject, isFirstPage: boolean): void;
  /** The headers of a call. */
  of(call: JsonObject): Readonly<Record<string, string>>;
}

/** Where an argument is, and the header that it goes into. */
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
