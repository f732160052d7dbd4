import { PagewireError, itemNamePattern, itemNameProblem, wrongItemField } from "../wire/index.ts";
import type { JsonObject, Offer, Prompt, Resource, ResourceTemplate, Tool } from "../wire/index.ts";
import type {
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from "./definitions.ts";
import type { Listed } from "./registry.ts";
import type { Schema } from "./schema.ts";
import { deepestPart, toJson } from "./to-json.ts";
import type { ToolboxLimits } from "./toolbox.ts";

export interface EntryOf<Kind extends keyof Offer, Item extends object, Definition> extends Listed {
  readonly kind: Kind;
  readonly item: Item;
  readonly definition: Definition;
}

interface ToolEntry extends EntryOf<"tools", Tool, ToolDefinition> {
  readonly input: Schema;
  readonly output: Schema | undefined;
}

/** A registered definition, with its handlers. */
export type Entry =
  | ToolEntry
  | EntryOf<"resources", Resource, ResourceDefinition>
  | EntryOf<"resourceTemplates", ResourceTemplate, ResourceTemplateDefinition>
  | EntryOf<"prompts", Prompt, PromptDefinition>;

/** Public fields, in the order used for comparing definitions. */
const fields =
  "uri uriTemplate name title description mimeType size inputSchema outputSchema arguments annotations icons _meta";

const name = ["name", itemNamePattern, itemNameProblem] as const;

/** By kind: the key's field and format, the error for other keys, and the handler's field. */
const shapes = {
  tools: [...name, "execute"],
  prompts: [...name, "get"],
  resources: [
    "uri",
    /^(?!.{2049})[a-z][\w+.-]*:\S+$/i,
    "is not a URI such as app://report of at most 2048 characters",
    "read",
  ],
  resourceTemplates: [
    "uriTemplate",
    /^[^{}]*\{\w+\}([^{}]+\{\w+\})*[^{}]*$/,
    "is not a URI with parts such as {id} and text between them",
    "read",
  ],
} as const;

/** A tool's schemas as agents see them. */
export type ListedSchemas = Readonly<Record<string, JsonObject | undefined>>;

/** Parses the key of a definition; throws if it is invalid. */
export function readKey(kind: keyof Offer, key: unknown): string {
  const [keyField, pattern, wrong] = shapes[kind];
  if (typeof key === "string" && pattern.test(key)) return key;
  const code = keyField === "name" ? "name-invalid" : "options-invalid";
  throw new PagewireError(code, `The ${keyField} "${String(key).slice(0, 140)}" ${wrong}.`);
}

/** Parses a definition; throws if it is invalid. The listed definition is a copy that its author cannot change. */
export function readDefinition<Kind extends keyof Offer, Definition extends object>(
  kind: Kind,
  definition: Definition,
  { limits, schemas = {} }: { readonly limits: ToolboxLimits; readonly schemas?: ListedSchemas },
): EntryOf<Kind, Offer[Kind][number], Definition> {
  const [keyField, , , handler] = shapes[kind];
  const given = definition as Readonly<Record<string, unknown>>;
  const key = readKey(kind, given[keyField]);
  const sending = {
    what: `The definition of "${key}"`,
    code: "options-invalid",
    deepest: deepestPart(limits),
  } as const;
  const listed = fields.split(" ").map((field) => [field, schemas[field] ?? given[field] ?? undefined]);
  const json = toJson(Object.fromEntries(listed), sending);
  const item = JSON.parse(json) as Offer[Kind][number] & JsonObject;
  const wrongField = typeof given[handler] === "function" ? wrongItemField(item) : handler;
  if (wrongField) throw new PagewireError("options-invalid", `${sending.what} has no usable ${wrongField}.`);
  return { kind, key, item, json, definition };
}
