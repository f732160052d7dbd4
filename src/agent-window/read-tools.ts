import { PagewireError, isJsonObject, itemNamePattern, pageLimits } from "../wire/index.ts";
import type { ToolAnnotations } from "../wire/index.ts";
import { boundedObject } from "./bounded-json.ts";
import type { WindowTool } from "./tool-definition.ts";

/** The tools of a list that can be used, and what is wrong with each of the others. */
export interface ReadTools {
  readonly tools: readonly WindowTool[];
  readonly problems: readonly PagewireError[];
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "untrustedContentHint"] as const;

/** Reads a list of tools. One that is wrong is left out; of two with one name the later holds. */
export function readTools(list: readonly unknown[]): ReadTools {
  const most = pageLimits.offersPerPage;
  const tools = new Map<string, WindowTool>();
  const problems: PagewireError[] = [];
  for (const item of list.slice(0, most)) {
    const tool = readTool(item);
    if (PagewireError.isInstance(tool)) problems.push(tool);
    else tools.set(tool.name, tool);
  }
  if (list.length > most) {
    const message = `${list.length} tools are offered, and the limit offersPerPage is ${most}: the last ones are left out.`;
    problems.push(new PagewireError("offers-too-many", message));
  }
  return { tools: [...tools.values()], problems };
}

/** One tool, or what is wrong with it. */
export function readTool(posted: unknown): WindowTool | PagewireError {
  const name = isJsonObject(posted) ? posted["name"] : undefined;
  if (!isJsonObject(posted) || typeof name !== "string" || !itemNamePattern.test(name)) return nameInvalid(name);
  const { description, title, annotations, parameters = {} } = posted as Record<string, unknown>;
  const read = boundedObject({ description, title, annotations, parameters }, bounds);
  if (!read) return tooLarge(name);
  const schema = read["parameters"];
  if (!isJsonObject(schema) || (schema["type"] ?? "object") !== "object") return schemaInvalid(name);
  if (new TextEncoder().encode(JSON.stringify(schema)).length > pageLimits.schemaBytes) return tooLarge(name);
  return {
    name,
    description: textOf(read["description"]) ?? "",
    parameters: { type: "object", ...schema },
    ...defined("title", textOf(read["title"])),
    ...defined("annotations", readAnnotations(read["annotations"])),
  };
}

/** The hub reads the tools inside a list inside a message, and counts these, too. */
const bounds = { characters: pageLimits.schemaBytes, depth: pageLimits.jsonDepth - 8 };

function readAnnotations(given: unknown): ToolAnnotations | undefined {
  if (!isJsonObject(given)) return undefined;
  const known: Record<string, boolean> = {};
  for (const hint of hints) {
    const value = given[hint];
    if (typeof value === "boolean") known[hint] = value;
  }
  const read: ToolAnnotations = { ...defined("title", textOf(given["title"])), ...known };
  return Object.keys(read).length > 0 ? read : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}

function nameInvalid(name: unknown): PagewireError {
  const which = typeof name === "string" ? `named "${name.slice(0, 128)}"` : "without a name";
  const rule = "A name is 1 to 128 letters, digits, dots, dashes or underscores.";
  return new PagewireError("name-invalid", `A tool ${which} is left out. ${rule}`);
}

function schemaInvalid(name: string): PagewireError {
  const message = `The tool "${name}" is left out: its parameters are not a JSON Schema of type object.`;
  return new PagewireError("schema-invalid", message);
}

function tooLarge(name: string): PagewireError {
  const { characters, depth } = bounds;
  const message = `The tool "${name}" is left out: its definition is larger than ${characters} bytes, nests deeper than ${depth}, or is not JSON.`;
  return new PagewireError("schema-too-large", message);
}
