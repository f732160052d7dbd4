import { describe, expect, test, vi } from "vitest";
import { held, withTool } from "./calling.test-helper.ts";
import { tool } from "./fake-tab.test-helper.ts";
import type { ToolCallHandler } from "./tool-definition.ts";

/** Makes this many hundreds of calls, a hundred at a time. */
async function callHundreds(hundreds: number, { call, answers }: Awaited<ReturnType<typeof withTool>>): Promise<void> {
  for (let hundred = 0; hundred < hundreds; hundred++) {
    const before = answers().length;
    for (let made = 0; made < 100; made++) call({}, { id: `c${hundred}-${made}` });
    await vi.waitFor(() => expect(answers()).toHaveLength(before + 100));
  }
}

describe("each call runs once", () => {
  test("BR38: a call that is repeated while it runs is joined, and afterwards gets its outcome", async () => {
    const { handler, contexts, end } = held();
    const { call, answers } = await withTool(handler);
    call({ days: 1 });
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    call({ days: 1 });
    end("done");
    await vi.waitFor(() => expect(answers()).toHaveLength(1));
    call({ days: 1 });
    await vi.waitFor(() => expect(answers()).toHaveLength(2));
    expect(answers()).toEqual(Array(2).fill({ call_id: "c1", success: true, result: "done" }));
    expect(contexts).toHaveLength(1);
  });

  test("BR38: an id of another tool or other arguments is refused", async () => {
    const { answerOf } = await withTool(() => "done");
    await answerOf({ days: 1 });
    expect(await answerOf({ days: 2 })).toMatchObject({ code: "key-conflict" });
    expect(await answerOf({ days: 1 }, { name: "other" })).toMatchObject({ code: "key-conflict" });
    expect(await answerOf({ days: 1 })).toMatchObject({ result: "done" });
  });

  test("BR39: a call from before a reload of the page never runs again; a finished one has its outcome", async () => {
    const { handler, contexts, end } = held();
    const { tab, agent, call, answers } = await withTool(handler);
    call({}, { id: "done" });
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    end({ total: 7 });
    await vi.waitFor(() => expect(answers()).toHaveLength(1));
    call({}, { id: "running" });
    await vi.waitFor(() => expect(contexts).toHaveLength(2));
    tab.reload();
    const handlerAgain = vi.fn<ToolCallHandler>();
    const again = tab.bridge();
    again.registerTools([tool("work")]);
    again.onToolCall("work", handlerAgain);
    await tab.clock.advance(300);
    for (const call_id of ["done", "running"]) {
      agent.say({ type: "tool_call", payload: { call_id, tool_name: "work", arguments: {} } });
    }
    await vi.waitFor(() => expect(answers()).toHaveLength(3));
    expect(answers().slice(1)).toEqual([
      { call_id: "done", success: true, result: { total: 7 } },
      { call_id: "running", success: false, code: "outcome-unknown", error: expect.stringContaining("reloaded") },
    ]);
    expect(handlerAgain).not.toHaveBeenCalled();
  });

  test("BR39: bridges of one tab share their calls, also after a reload", async () => {
    const { tab, bridge, agent, answerOf, answers } = await withTool(() => "first");
    await answerOf({}, { id: "one" });
    bridge.destroy();
    const handler = vi.fn<ToolCallHandler>(() => "again");
    for (const reload of [() => {}, () => tab.reload()]) {
      reload();
      const next = tab.bridge();
      next.registerTools([tool("work")]);
      next.onToolCall("work", handler);
      await tab.clock.advance(300);
      agent.say({ type: "tool_call", payload: { call_id: "one", tool_name: "work", arguments: {} } });
      const before = answers().length;
      await vi.waitFor(() => expect(answers().length).toBeGreaterThan(before));
      expect(answers().at(-1)).toEqual({ call_id: "one", success: true, result: "first" });
      next.destroy();
    }
    expect(handler).not.toHaveBeenCalled();
  });

  test("BR39: one agent's outcomes are not given to another that uses the same id", async () => {
    let runs = 0;
    const handler = () => ++runs;
    const { tab, answerOf } = await withTool(handler);
    expect(await answerOf({}, { id: "one" })).toMatchObject({ result: 1 });
    const other = tab.bridge({ agentOrigin: "https://other.example" });
    other.registerTool(tool("work"));
    other.onToolCall("work", handler);
    other.openAgent();
    await tab.clock.advance(300);
    tab.agent.say({ type: "tool_call", payload: { call_id: "one", tool_name: "work", arguments: {} } });
    await vi.waitFor(() =>
      expect(tab.agent.payloads("tool_response").at(-1)).toMatchObject({ call_id: "one", result: 2 }),
    );
  });

  test("BR39: a call that was sent to another page before does not run in this one", async () => {
    const handler = vi.fn<ToolCallHandler>();
    const { agent, answers } = await withTool(handler);
    agent.say({ type: "tool_call", payload: { call_id: "c9", tool_name: "work", arguments: {}, again: true } });
    await vi.waitFor(() => expect(answers().at(-1)).toMatchObject({ call_id: "c9", code: "outcome-unknown" }));
    expect(handler).not.toHaveBeenCalled();
  });
});

test.each<[string, (called: Awaited<ReturnType<typeof withTool>>) => Promise<unknown>]>([
  ["a thousand calls", (called) => callHundreds(10, called)],
  ["ten minutes and a call", ({ tab, answerOf }) => tab.clock.advance(600_000).then(() => answerOf())],
])("a call is known until %s came after it", async (_, forget) => {
  const handler = vi.fn<ToolCallHandler>(({ days }) => days);
  const called = await withTool(handler);
  for (let time = 0; time < 2; time++) await called.answerOf({ days: 1 }, { id: "first" });
  expect(handler).toHaveBeenCalledTimes(1);
  await forget(called);
  const before = handler.mock.calls.length;
  expect(await called.answerOf({ days: 2 }, { id: "first" })).toMatchObject({ result: 2 });
  expect(handler).toHaveBeenCalledTimes(before + 1);
});
