// A connected bridge with a tool, and an agent that calls it.
import { expect, vi } from "vitest";
import type { BridgeConfig } from "./bridge-config.ts";
import { connected, tool } from "./fake-tab.test-helper.ts";
import type { FakeAgent } from "./fake-tab.test-helper.ts";
import type { ToolCallContext, ToolCallHandler } from "./tool-definition.ts";

export interface Answer {
  readonly call_id: string;
  readonly success: boolean;
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: string;
}

export const answersIn = (agent: FakeAgent) => agent.payloads("tool_response") as unknown as Answer[];

/** A connected bridge with one tool, and functions to call it as the agent. */
export async function withTool(handler?: ToolCallHandler, config: Partial<BridgeConfig> = {}) {
  const setup = await connected(config);
  setup.bridge.registerTool({
    ...tool("work"),
    parameters: { type: "object", properties: { days: { type: "number" } }, required: [] },
  });
  if (handler) setup.bridge.onToolCall("work", handler);
  const call = (args: unknown = {}, { id = "c1", name = "work", left, trace }: Partial<Record<string, unknown>> = {}) =>
    setup.agent.say({
      type: "tool_call",
      payload: {
        call_id: id,
        tool_name: name,
        arguments: args,
        ...(typeof left === "number" && { until: setup.tab.date + left }),
        ...(trace !== undefined && { trace }),
      },
    });
  /** Calls, and returns the answer. */
  async function answerOf(args?: unknown, options?: Parameters<typeof call>[1]): Promise<Answer | undefined> {
    const before = answersIn(setup.agent).length;
    call(args, options);
    await vi.waitFor(() => expect(answersIn(setup.agent).length).toBeGreaterThan(before));
    return answersIn(setup.agent).at(-1);
  }
  return { ...setup, call, answerOf, answers: () => answersIn(setup.agent) };
}

/** A handler that the test ends. */
export function held() {
  let end = (_value: unknown) => {};
  let fail = (_error: unknown) => {};
  const contexts: ToolCallContext[] = [];
  const handler: ToolCallHandler = (_args, context) => {
    contexts.push(context);
    return new Promise((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
  };
  return { handler, contexts, end: (value: unknown) => end(value), fail: (error: unknown) => fail(error) };
}
