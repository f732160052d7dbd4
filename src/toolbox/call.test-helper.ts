import type { AskMethod, JsonObject, TraceContext } from "../wire/index.ts";
import type { CallEnvironment, CallInput } from "./context.ts";
import { createToolbox } from "./create-toolbox.ts";
import type { LocalToolbox, ToolboxOptions } from "./create-toolbox.ts";
import { loadCalls } from "./load-calls.ts";
import { loadJsonSchemaValidator } from "./validate-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** A toolbox with its parts loaded as a package loads them, whose errors are collected. */
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

/** What a caller hears of a call while it runs. */
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

/** An environment that writes down what it hears and answers every question in the same way. */
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

/** What a tool whose handler does this gives its caller. */
export async function answerOf(execute: () => unknown, options: Partial<ToolboxOptions> = {}): Promise<CallOutcome> {
  const toolbox = makeToolbox(options);
  toolbox.registerTool({ name: "x", execute });
  return toolbox.callTool("x", {}, environment());
}

/** Lets everything that is due in this task happen, without waiting for time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
