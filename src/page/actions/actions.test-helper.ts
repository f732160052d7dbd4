// A page's toolbox, and callers that record the output of an action.
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import type { CallEnvironment, CallOutcome, LocalToolbox } from "../../toolbox/index.ts";
import type { CallToolResult } from "../../wire/index.ts";
import type { Action, ActionContext } from "./registration/action.ts";

export const hub = "http://127.0.0.1:7337";

/** The part of a page that actions use; collects background failures. */
export interface ActionsPage {
  readonly toolbox: LocalToolbox;
  readonly hub: string;
  readonly errors: readonly unknown[];
}

export function makePage(): ActionsPage {
  const errors: unknown[] = [];
  const toolbox = createToolbox({
    loadCalls,
    loadValidator: loadJsonSchemaValidator,
    onError: (error) => errors.push(error),
  });
  return { toolbox, hub, errors };
}

/** A call, and what its caller has received so far. */
export interface MadeCall {
  readonly outcome: Promise<CallOutcome>;
  readonly heard: readonly (readonly unknown[])[];
  cancel(): void;
}

export function call({ toolbox }: ActionsPage, name: string, input: object = {}): MadeCall {
  const heard: unknown[][] = [];
  const aborter = new AbortController();
  const environment: CallEnvironment = {
    callId: "call-1",
    agent: { name: "a test" },
    signal: aborter.signal,
    deadline: Date.now() + 60_000,
    asks: [],
    rounds: false,
    progress: (...said) => heard.push(["progress", ...said]),
    log: (...said) => heard.push(["log", ...said]),
    ask: () => Promise.reject(new Error("nobody is there")),
  };
  return { outcome: toolbox.callTool(name, input, environment), heard, cancel: () => aborter.abort(new Error("stop")) };
}

/** The result of a call; throws if the call failed. */
export async function resultOf({ outcome }: MadeCall): Promise<CallToolResult> {
  const ended = await outcome;
  if (ended.kind !== "result") throw new Error(`There is no result: ${JSON.stringify(ended)}`);
  return JSON.parse(ended.payload) as CallToolResult;
}

/** A handler's context, from a caller that ignores all output. */
export function makeContext(given: Partial<ActionContext> = {}): ActionContext {
  return {
    signal: new AbortController().signal,
    callId: "call-1",
    agent: { name: "a test" },
    hub,
    progress() {},
    chunk() {},
    ...given,
  };
}

export async function run(action: Action, input: object = {}, given: Partial<ActionContext> = {}): Promise<unknown> {
  return action.handler({ ...input }, makeContext(given));
}
