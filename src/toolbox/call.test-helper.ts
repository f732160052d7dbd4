import type { AskMethod, JsonObject, TraceContext } from "../wire/index.ts";
import type { CallEnvironment, CallInput } from "./context.ts";
import { createToolbox } from "./create-toolbox.ts";
import type { LocalToolbox, ToolboxOptions } from "./create-toolbox.ts";
import { loadCalls } from "./load-calls.ts";
import { loadJsonSchemaValidator } from "./validate-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** A toolbox whose errors are collected, with its parts loaded as a package loads them. */
export function makeToolbox(
  options: Partial<ToolboxOptions> = {},
): LocalToolbox & { readonly errors: { stage: string; error: unknown }[] } {
  const errors: { stage: string; error: unknown }[] = [];
  const toolbox = createToolbox({
    loadCalls,
    loadValidator: loadJsonSchemaValidator,
    onError: (error, { stage }) => errors.push({ stage, error }),
    ...options,
  });
  return Object.assign(toolbox, { errors });
}

/** Records everything that a caller receives while its call runs. */
export interface RecordedEnvironment extends CallEnvironment {
  readonly heard: unknown[][];
}

export interface GivenEnvironment {
  readonly signal?: AbortSignal;
  readonly answer?: (method: string, parameters: JsonObject) => Promise<JsonObject>;
  readonly asks?: readonly AskMethod[];
  readonly rounds?: boolean;
  readonly input?: CallInput;
  readonly trace?: TraceContext;
}

/** An environment that records what it receives and answers every question in the same way. */
export function environment(given: GivenEnvironment = {}): RecordedEnvironment {
  const heard: unknown[][] = [];
  const { signal = new AbortController().signal, answer, asks = [], rounds = false, input, trace } = given;
  return {
    callId: "call-1",
    agent: { name: "a test" },
    signal,
    deadline: 1000,
    asks,
    rounds,
    input,
    trace,
    progress: (...said) => heard.push(["progress", ...said]),
    log: (...said) => heard.push(["log", ...said]),
    async ask(method, parameters) {
      heard.push([method, parameters]);
      if (answer) return answer(method, parameters);
      throw new Error("nobody is there");
    },
    heard,
  };
}

/** The parsed result of a call; throws where there is none. */
export function resultOf(outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "result") throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return JSON.parse(outcome.payload) as JsonObject;
}

/** The first text of a tool's result. */
export function textOf(outcome: CallOutcome): string {
  const { content } = resultOf(outcome) as { content: readonly { text: string }[] };
  return content[0]?.text ?? "";
}

/** The answer to a caller from a tool with this handler. */
export async function answerOf(execute: () => unknown, options: Partial<ToolboxOptions> = {}): Promise<CallOutcome> {
  const toolbox = makeToolbox(options);
  toolbox.registerTool({ name: "x", execute });
  return toolbox.callTool("x", {}, environment());
}

/** Runs everything that is due in this task, without waiting for timers. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
