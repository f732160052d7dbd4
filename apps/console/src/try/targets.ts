// The tools, resources, families of resources and prompts of a tab, each with the schema of its arguments.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import type { HubTab } from "../hub/facts.ts";
import type { WrittenCall } from "./as-code.ts";

export type Kind = "tool" | "resource" | "template" | "prompt";

export interface Target {
  readonly kind: Kind;
  readonly tab: HubTab;
  readonly method: WrittenCall["method"];
  /** The page's own name: a tool's, a prompt's, a URI or its template. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly isDestructive: boolean;
  readonly isReadOnly: boolean;
  /** The text of its button. */
  readonly verb: string;
  callWith(given: JsonObject): WrittenCall;
}

/** Everything that a tab offers. */
export function targetsOf(tab: HubTab): readonly Target[] {
  return [
    ...tab.tools.map((tool) => toolTarget(tab, tool)),
    ...tab.resources.map(({ uri, title, name, description }) =>
      resourceTarget(tab, "resource", { name: uri, title: title ?? name, description }),
    ),
    ...tab.resourceTemplates.map(({ uriTemplate, title, name, description }) =>
      resourceTarget(tab, "template", { name: uriTemplate, title: title ?? name, description }),
    ),
    ...tab.prompts.map((prompt) => promptTarget(tab, prompt)),
  ];
}

export function isKind(text: string | null): text is Kind {
  return text === "tool" || text === "resource" || text === "template" || text === "prompt";
}

function toolTarget(tab: HubTab, tool: HubTab["tools"][number]): Target {
  const { name, title, description, annotations, inputSchema } = tool;
  const method = "tools/call";
  return {
    ...{ kind: "tool", tab, method, name, title: title ?? annotations?.title, description, verb: "Run" },
    schema: isJsonObject(inputSchema) ? inputSchema : { type: "object" },
    isDestructive: annotations?.destructiveHint === true && annotations.readOnlyHint !== true,
    isReadOnly: annotations?.readOnlyHint === true,
    callWith: (given) => ({ method, name, tabId: tab.tabId, arguments: given }),
  };
}

type Described = Pick<Target, "name" | "title" | "description">;

function resourceTarget(tab: HubTab, kind: "resource" | "template", about: Described): Target {
  const variables = kind === "template" ? variablesOf(about.name) : [];
  const method = "resources/read";
  return {
    ...{ kind, tab, method, ...about, verb: "Read", isDestructive: false, isReadOnly: true },
    schema: textsSchema(variables.map((name) => ({ name, required: true }))),
    callWith: (given) => ({ method, name: filled(about.name, variables, given), tabId: tab.tabId, arguments: {} }),
  };
}

function promptTarget(tab: HubTab, prompt: HubTab["prompts"][number]): Target {
  const { name, title, description } = prompt;
  const method = "prompts/get";
  return {
    ...{ kind: "prompt", tab, method, name, title, description, verb: "Get", isDestructive: false, isReadOnly: true },
    schema: textsSchema(prompt.arguments ?? []),
    callWith: (given) => ({ method, name, tabId: tab.tabId, arguments: given }),
  };
}

interface TextArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

function textsSchema(texts: readonly TextArgument[]): JsonObject {
  const properties = texts.map(({ name, title, description }) => {
    const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
    return [name, { type: "string", ...about }] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: texts.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** The variables of a URI template, level 1. */
function variablesOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))];
}

function filled(template: string, variables: readonly string[], given: JsonObject): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    variables.includes(name) && typeof given[name] === "string" ? encodeURIComponent(given[name]) : whole,
  );
}
