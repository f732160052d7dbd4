import { isFromBrowser, isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject, Tool } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";
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
