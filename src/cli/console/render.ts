import type { Rewriting } from "../../hub/index.ts";
import { isJsonObject, isFromBrowser } from "../../wire/index.ts";
import type { Json, JsonObject, Tool } from "../../wire/index.ts";
import { jsonText, oneLine } from "../common/plain-text.ts";
import type { Style } from "../common/printer.ts";
import { indent } from "./layout.ts";

const maxArgumentsLength = 300;
const indentWidth = 4;

/** A tool for people: its name, its arguments, its description and its hints. */
export function renderTool(tool: Tool, style: Style, width = Infinity): readonly string[] {
  const { name, title, description, inputSchema, annotations = {} } = tool;
  const hints = [
    annotations.readOnlyHint === true && "reads only",
    annotations.destructiveHint === true && "may destroy",
    annotations.idempotentHint === true && "can be repeated",
    isFromBrowser(tool) && "came from document.modelContext",
  ].filter((hint) => hint !== false);
  const called = oneLine(name);
  const lines = (text: string) => (text === "" ? [] : indent(text, indentWidth, width));
  const [first = "", ...more] = lines(`${called} ${oneLine(renderArguments(inputSchema), maxArgumentsLength)}`);
  return [
    style.bold(called) + style.cyan(first.slice(indentWidth + called.length)),
    ...more.map(style.cyan),
    ...lines(oneLine(description ?? title ?? "")),
    ...lines(hints.length === 0 ? "" : `It says that it ${hints.join(", ")}.`).map(style.dim),
  ];
}

/** Which programs get a tool's schema otherwise, and how. */
export function renderRewritings(rewritings: readonly Rewriting[], style: Style, width = Infinity): readonly string[] {
  return rewritings
    .map(({ programs, changes }) => oneLine(`${programs.join(", ")}: ${changes.join("; ")}.`))
    .flatMap((line) => indent(line, indentWidth, width))
    .map(style.dim);
}

/** The properties of an object schema: `{days: number, region?: "north" | "south"}`. */
function renderArguments(schema: JsonObject): string {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return "{}";
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const parts = Object.entries(properties).map(([name, property]) => {
    return `${name}${needed.includes(name) ? "" : "?"}: ${renderType(property)}`;
  });
  return `{${parts.join(", ")}}`;
}

function renderType(schema: Json): string {
  if (!isJsonObject(schema)) return "any";
  const { type, enum: values, const: only, items, anyOf, oneOf } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "array") return `${renderType((items as Json | undefined) ?? {})}[]`;
  if (type === "object") return isJsonObject(schema["properties"]) ? renderArguments(schema) : "object";
  if (Array.isArray(type)) return type.join(" | ");
  if (typeof type === "string") return type;
  const choices = [anyOf, oneOf].find((list) => Array.isArray(list));
  return Array.isArray(choices) ? choices.map((choice) => renderType(choice as Json)).join(" | ") : "any";
}

/** A page's answer as text for people: texts as they are, everything else described. */
export function renderContent(result: JsonObject): readonly string[] {
  const { content, structuredContent, messages, contents } = result;
  const blocks = [content, contents].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  if (blocks.length > 0) return blocks.map(renderBlock);
  if (structuredContent !== undefined) return [jsonText(structuredContent, 2)];
  return content === undefined || messages !== undefined ? [jsonText(result, 2)] : [];
}

function renderBlock(block: Json): string {
  if (!isJsonObject(block)) return jsonText(block);
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (typeof text === "string" && (type === "text" || type === undefined)) return text;
  if ((type === "image" || type === "audio") && typeof data === "string")
    return `[${describe(type, mimeType, sizeOf(data))}]`;
  if (type === "resource" && isJsonObject(resource)) return renderResource(resource);
  if (type === "resource_link") return `[${describe("link", name, uri, mimeType)}]`;
  return jsonText(block);
}

function renderResource({ uri, mimeType, text, blob }: JsonObject): string {
  const size = typeof blob === "string" ? sizeOf(blob) : undefined;
  const title = `[${describe("resource", uri, mimeType, size)}]`;
  return typeof text === "string" ? `${title}\n${text}` : title;
}

function describe(...parts: readonly (Json | undefined)[]): string {
  return parts.flatMap((part) => (typeof part === "string" && part !== "" ? [oneLine(part, 200)] : [])).join(" ");
}

/** The decoded size of base64 text. */
function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
