import {
  PagewireError,
  isJsonObject,
  itemNamePattern,
  itemNameProblem,
  pageLimits,
  schemaProblem,
  typedSchema,
} from "../wire/index.ts";
import type { ErrorCode, JsonObject, ToolAnnotations } from "../wire/index.ts";
import { boundedObject } from "./bounded-json.ts";
import type { WindowTool } from "./tool-definition.ts";

/** The valid tools of a list, and the problems of the others. */
export interface ReadTools {
  readonly tools: readonly WindowTool[];
  readonly problems: readonly PagewireError[];
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "untrustedContentHint"] as const;

/** Parses a list of tools. An invalid one is dropped; the later of two with one name wins. */
export function readTools(list: readonly unknown[]): ReadTools {
  const max = pageLimits.offersPerPage;
  const tools = new Map<string, WindowTool>();
  const problems: PagewireError[] = [];
  for (const item of list.slice(0, max)) {
    const tool = readTool(item);
    if (PagewireError.isInstance(tool)) problems.push(tool);
    else tools.set(tool.name, tool);
  }
  if (list.length > max) {
    const message = `${list.length} tools are offered, and the limit offersPerPage is ${max}: the last ones are left out.`;
    problems.push(new PagewireError("offers-too-many", message));
  }
  return { tools: [...tools.values()], problems };
}

/** One tool, or its problem. Invalid optional fields are dropped. */
export function readTool(posted: unknown): WindowTool | PagewireError {
  const given = isJsonObject(posted) ? (posted as Record<string, unknown>) : {};
  const { name, description, title, annotations, parameters = {} } = given;
  if (typeof name !== "string" || !itemNamePattern.test(name))
    return leftOut("name-invalid", `The tool name ${JSON.stringify(textOf(name)?.slice(0, 128))} ${itemNameProblem}`);
  const read = boundedObject({ description, title, annotations, parameters }, bounds);
  if (!read) return leftOut("schema-too-large", `The definition of the tool "${name}" ${unbounded}`);
  const schema = typedSchema(read["parameters"] ?? null);
  const wrong = schemaProblem("inputSchema", schema, pageLimits.schemaBytes);
  if (wrong) return leftOut(wrong.code, `The schema of the tool "${name}" ${wrong.problem}`);
  return {
    name,
    description: textOf(read["description"]) ?? "",
    parameters: schema as JsonObject,
    ...defined("title", textOf(read["title"])),
    ...defined("annotations", readAnnotations(read["annotations"])),
  };
}

/** The hub reads the tools inside a list inside a message, which adds levels. */
const bounds = { characters: pageLimits.schemaBytes, depth: pageLimits.jsonDepth - 8 };
const unbounded = `takes more than ${bounds.characters} characters, nests deeper than ${bounds.depth}, or is not JSON`;

function leftOut(code: ErrorCode, problem: string): PagewireError {
  return new PagewireError(code, `${problem}. It is left out.`);
}

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
