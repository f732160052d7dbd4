// Some programs pass on schemas that their model's vendor refuses, and then no tool of any server works: they get tools in the
// vendor's form. One does not read instructions. What each program does by itself is in docs/reference/agents.md.
import { fitTool, openTool } from "../../../ai/index.ts";
import type { SchemaRuleName } from "../../../ai/index.ts";
import type { ClientName } from "../../../mcp/index.ts";
import type { JsonObject, Offer, Tool } from "../../../wire/index.ts";
import { declaredHeaders } from "./headers.ts";
import { lastingInstructions } from "./instructions.ts";

interface Program {
  readonly title: string;
  /** The beginning of the name that it gives itself. */
  readonly name: RegExp;
  readonly vendor?: SchemaRuleName;
  /** Its model gets the instructions in a tool's description. */
  readonly readsNoInstructions?: true;
}

/** All others get schemas as their page gave them. */
const programs: readonly Program[] = [
  { title: "Claude", name: /^claude/, vendor: "anthropic" },
  { title: "Codex", name: /^codex/, vendor: "openai" },
  { title: "Gemini CLI", name: /^gemini-cli/, vendor: "google-json" },
  { title: "opencode", name: /^opencode/, vendor: "any" },
  { title: "Copilot CLI", name: /^(github-)?copilot/, readsNoInstructions: true },
];

/** Work on one offer, in parts of schemas and what is put together: it keeps the hub from all else. */
const mostWork = 60_000;

const fitted = new WeakMap<Offer, Map<Program, Offer>>();

/** The function that fits offers for a client; undefined for a client that gets them as they are. */
export function fitFor({ name }: ClientName): ((offer: Offer) => Offer) | undefined {
  const program = programs.find((each) => each.name.test(name));
  return program && ((offer) => fitOffer(offer, program));
}

function fitOffer(offer: Offer, program: Program): Offer {
  const known = fitted.get(offer) ?? new Map<Program, Offer>();
  fitted.set(offer, known);
  const { vendor, readsNoInstructions } = program;
  const tools = () => (vendor ? fitAll(offer.tools, vendor) : offer.tools);
  const made = known.get(program) ?? {
    ...offer,
    tools: readsNoInstructions ? tools().map(withInstructions) : tools(),
  };
  known.set(program, made);
  return made;
}

/** In the first of the built-in tools, which all clients list. */
function withInstructions(tool: Tool): Tool {
  if (tool.name !== "list_browser_tabs") return tool;
  return { ...tool, description: `${tool.description} ${lastingInstructions}` };
}

type Fitted = ReturnType<typeof fitTool>;

const fittedSchemas = new WeakMap<JsonObject, Map<SchemaRuleName, Fitted>>();

/** An offer's schemas never change: what was fitted before costs nothing. Undefined for what needs all of this work. */
function fitOnce(schema: JsonObject, vendor: SchemaRuleName, most: number): { made?: Fitted; cost: number } {
  const known = fittedSchemas.get(schema) ?? new Map<SchemaRuleName, Fitted>();
  fittedSchemas.set(schema, known);
  const before = known.get(vendor);
  if (before) return { made: before, cost: 0 };
  if (most <= 0) return { cost: 0 };
  const made = fitTool(schema, vendor, most);
  if (made.cost >= most) return { cost: made.cost };
  known.set(vendor, made);
  return { made, cost: made.cost };
}

/** Half of the work is shared out, so that no tool keeps the others from theirs; the rest goes to those that need more, in order. */
function fitAll(tools: readonly Tool[], vendor: SchemaRuleName): readonly Tool[] {
  let left = mostWork;
  const take = ({ inputSchema }: Tool, most: number) => {
    const { made, cost } = fitOnce(inputSchema, vendor, most);
    left -= cost;
    return made;
  };
  const share = mostWork / 2 / Math.max(1, tools.length);
  const atFirst = tools.map((tool) => take(tool, share));
  return tools.map((tool, index) => {
    const { inputSchema, description = "" } = tool;
    const { schema, words } = atFirst[index] ?? take(tool, left) ?? openTool(inputSchema, vendor);
    if (schema === inputSchema || losesHeaders(inputSchema, schema)) return tool;
    return {
      ...tool,
      inputSchema: { ...schema, type: "object" },
      description: [description, words].filter(Boolean).join(" "),
    };
  });
}

/** A client must find the arguments that it has to repeat in headers: the hub refuses its calls otherwise. */
function losesHeaders(given: JsonObject, made: JsonObject): boolean {
  return declaredHeaders(made).length < declaredHeaders(given).length;
}

/** The differences between a page's tool and the one that programs get, for the page's developer. */
export interface Rewriting {
  readonly programs: readonly string[];
  readonly changes: readonly string[];
}

/** Programs that get the same are one entry. Empty for a schema that all get as it is. */
export function rewritingsOf(schema: JsonObject): readonly Rewriting[] {
  const found = new Map<string, { programs: string[]; changes: readonly string[] }>();
  for (const { title, vendor } of programs) {
    if (!vendor) continue;
    const { made } = fitOnce(schema, vendor, Infinity);
    if (!made || made.changes.length === 0 || losesHeaders(schema, made.schema)) continue;
    const { changes } = made;
    const known = found.get(JSON.stringify(changes));
    if (known) known.programs.push(title);
    else found.set(JSON.stringify(changes), { programs: [title], changes });
  }
  return [...found.values()];
}
