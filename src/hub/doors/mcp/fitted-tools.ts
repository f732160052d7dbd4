// Some programs pass on schemas that their model's vendor refuses, and then no tool of any server works: they get tools in the
// vendor's form. What each program does by itself is in docs/reference/agents.md.
import { fitTool } from "../../../ai/index.ts";
import type { SchemaRuleName } from "../../../ai/index.ts";
import type { ClientName } from "../../../mcp/index.ts";
import type { JsonObject, Offer, Tool } from "../../../wire/index.ts";

interface Program {
  readonly title: string;
  /** The beginning of the name that it gives itself. */
  readonly name: RegExp;
  readonly vendor: SchemaRuleName;
}

/** All others get schemas as their page gave them. */
const programs: readonly Program[] = [
  { title: "Claude", name: /^claude/, vendor: "anthropic" },
  { title: "Codex", name: /^codex/, vendor: "openai" },
  { title: "Gemini CLI", name: /^gemini-cli/, vendor: "google-json" },
  { title: "opencode", name: /^opencode/, vendor: "any" },
];

const fitted = new WeakMap<Offer, Map<SchemaRuleName, Offer>>();

/** The function that fits offers for a client; undefined for a client that gets them as they are. */
export function fitFor({ name }: ClientName): ((offer: Offer) => Offer) | undefined {
  const vendor = programs.find((program) => program.name.test(name))?.vendor;
  return vendor && ((offer) => fitOffer(offer, vendor));
}

function fitOffer(offer: Offer, vendor: SchemaRuleName): Offer {
  const known = fitted.get(offer) ?? new Map<SchemaRuleName, Offer>();
  fitted.set(offer, known);
  const made = known.get(vendor) ?? { ...offer, tools: offer.tools.map((tool) => fit(tool, vendor)) };
  known.set(vendor, made);
  return made;
}

function fit(tool: Tool, vendor: SchemaRuleName): Tool {
  const { inputSchema, description = "" } = tool;
  const { schema, words } = fitTool(inputSchema, vendor);
  if (schema === inputSchema || hasHeaders(inputSchema)) return tool;
  return {
    ...tool,
    inputSchema: { ...schema, type: "object" },
    description: [description, words].filter(Boolean).join(" "),
  };
}

/** A client must find the arguments that it has to repeat in headers. */
function hasHeaders(schema: JsonObject): boolean {
  return JSON.stringify(schema).includes("x-mcp-header");
}

/** What programs get otherwise than a tool's page gave it, for the page's developer. */
export interface Rewriting {
  readonly programs: readonly string[];
  readonly changes: readonly string[];
}

/** Programs that get the same are one entry. Empty for a schema that all get as it is. */
export function rewritingsOf(schema: JsonObject): readonly Rewriting[] {
  const found = new Map<string, { programs: string[]; changes: readonly string[] }>();
  if (hasHeaders(schema)) return [];
  for (const { title, vendor } of programs) {
    const { changes } = fitTool(schema, vendor);
    const known = found.get(JSON.stringify(changes));
    if (known) known.programs.push(title);
    else if (changes.length > 0) found.set(JSON.stringify(changes), { programs: [title], changes });
  }
  return [...found.values()];
}
