// Toolboxes for a test's servers, and calls of their tools, in Node and in the browser.
import { expect, onTestFinished } from "vitest";
import type { CallEnvironment, CallOutcome } from "../toolbox/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import { connectMcpToolbox } from "./connect-mcp-toolbox.ts";
import type { McpToolbox, McpToolboxOptions } from "./mcp-toolbox.ts";

export interface TestToolbox extends McpToolbox {
  readonly problems: readonly { readonly message: string; readonly code: unknown; readonly stage: string }[];
}

/** Connects a toolbox with minimal delays, which records its errors. */
export async function connect(url: string, options: McpToolboxOptions = {}): Promise<TestToolbox> {
  const problems: { message: string; code: unknown; stage: string }[] = [];
  const toolbox = await connectMcpToolbox(url, {
    random: () => 0.01,
    onError: (error, { stage }) => {
      const { message, code } = error as Error & { readonly code?: unknown };
      problems.push({ message, code, stage });
    },
    ...options,
    // Long enough for a busy machine.
    limits: { discoverTime: 20_000, ...options.limits },
  });
  onTestFinished(() => toolbox.close());
  return Object.assign(toolbox, { problems });
}

export interface HeardEnvironment extends CallEnvironment {
  readonly heard: unknown[][];
}

export interface EnvironmentSetting {
  readonly signal?: AbortSignal;
  /** The call's deadline in milliseconds. */
  readonly left?: number;
  readonly rounds?: boolean;
  readonly input?: CallEnvironment["input"];
  readonly answer?: (method: AskMethod, parameters: JsonObject) => Promise<JsonObject>;
}

/** The caller of a call, and what it receives. */
export function environment(setting: EnvironmentSetting = {}): HeardEnvironment {
  const { signal = new AbortController().signal, left = 60_000, rounds = false, input, answer } = setting;
  const heard: unknown[][] = [];
  return {
    callId: "call-1",
    agent: { name: "a test" },
    signal,
    deadline: Date.now() + left,
    asks: ["elicitation/create", "sampling/createMessage"],
    rounds,
    input,
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

/** The parsed result of a call; fails the test if there is none. */
export function resultOf(outcome: CallOutcome): JsonObject {
  expect(outcome).toMatchObject({ kind: "result" });
  return JSON.parse((outcome as { readonly payload: string }).payload) as JsonObject;
}

export function toolNames(toolbox: McpToolbox): string[] {
  return toolbox.offer().tools.map(({ name }) => name);
}
