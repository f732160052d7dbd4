// A journey: something that happens to every user of an agent sooner or later. One file of this folder for each.
import type { Turn } from "../model/scripted-model.ts";
import type { Tab } from "../../e2e/support/tab.ts";
import type { ModelRequest, ToolCall } from "../model/model-format.ts";
import type { Program } from "../programs/program.ts";
import type { Agent } from "../support/agent.ts";
import type { Machine } from "../support/machine.ts";

/** The start of a journey: a program that `pagewire connect` has connected, and one tab of the warehouse. */
export interface Stage {
  readonly machine: Machine;
  readonly agent: Agent;
  readonly tab: Tab;
  /** Another connected program of the same machine. */
  other(): Promise<Agent>;
}

/** The result in the words of the reference, and the program's time. */
export interface Outcome {
  readonly result: string;
  readonly ms: number;
  /** A screen that a guide shows. */
  readonly screen?: string;
}

/** Knowledge of a program that took no time to find out. */
export type Fact = Pick<Outcome, "result">;

/** Why a program does not take part. */
export interface NotRun {
  readonly notRun: string;
}

export interface Journey {
  readonly title: string;
  /** It takes seconds, or a second program, so `npm test` leaves it out. */
  readonly isSlow?: true;
  /** Throws where the program or Pagewire does not do what it must. Where programs differ, the result says how. */
  run(stage: Stage): Promise<Outcome | NotRun>;
}

/** The model calls a tool of the page. */
export function call({ toolName }: Program, tool: string, input: object = {}): Turn {
  return () => ({ call: { tool: toolName(tool), input } });
}

/** The model calls a tool of the program's own. */
export function ask(asked: ToolCall): Turn {
  return () => ({ call: asked });
}

/** The model ends the conversation with a text. */
export function say(text: string): Turn {
  return () => ({ text });
}

/** Has the page offer resources and a prompt, and a tool whose result has resources. */
export async function offerWarehouse({ machine, tab }: Stage): Promise<void> {
  await tab.evaluate("offerResources()");
  await machine.hasTools(["show_plan"]);
}

/** The text of the last result that the model of this request got. */
export function lastResult(request: ModelRequest | undefined): string {
  return request?.results.at(-1)?.text ?? "(no result)";
}

/** How the model of this request knows a tool of the page: programs name some tools only, and load their schemas when asked. */
export function knows(
  request: ModelRequest | undefined,
  { toolName }: Program,
  tool: string,
): "with its schema" | "by its name" | undefined {
  if (!request) return undefined;
  const wanted = toolName(tool);
  const isWhole = request.tools.some(({ name, namespace }) => name === wanted.name && namespace === wanted.namespace);
  if (isWhole) return "with its schema";
  return new RegExp(`(?<![\\w-])${wanted.name}(?![\\w-])`).test(request.instructions) ? "by its name" : undefined;
}

/** The beginning of a result, without what Codex and Gemini CLI put around it. */
export function quoted(result: string): string {
  const inside = /"(?:text|error|message)":("(?:[^"\\]|\\.)*")/.exec(result)?.[1];
  const text = (inside === undefined ? result : (JSON.parse(inside) as string))
    .replace(/^Wall time: .*\nOutput:\s*/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return `“${text.length > 140 ? `${text.slice(0, 140)}…` : text}”`;
}
