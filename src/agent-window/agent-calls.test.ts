import { describe, expect, test, vi } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import { held, withTool } from "./calling.test-helper.ts";
import { agentOrigin, tool } from "./fake-tab.test-helper.ts";
import type { ToolCallHandler } from "./tool-definition.ts";

describe("a handler's arguments and answers", () => {
  test("BR30: a handler gets the arguments, and its return value is the result", async () => {
    const { answerOf } = await withTool(async (args, { callId, signal }) => ({ args, callId, on: !signal.aborted }));
    expect(await answerOf({ days: 30 })).toEqual({
      call_id: "c1",
      success: true,
      result: { args: { days: 30 }, callId: "c1", on: true },
    });
  });

  test("handlers of the page and of a toolbox get the trace of the call, and an invalid trace is ignored", async () => {
    const seen: unknown[] = [];
    const note = ({ trace }: { readonly trace?: unknown }) => void seen.push(trace);
    const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator });
    toolbox.registerTool({ name: "other", execute: (_, context) => note(context) });
    const { answerOf } = await withTool((_args, context) => note(context), { toolbox });
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
    await answerOf({}, { id: "c1", trace });
    await answerOf({}, { id: "c2", name: "other", trace });
    for (const [index, wrong] of [undefined, {}, 7, null, [], { traceparent: "00" }].entries()) {
      await answerOf({}, { id: `w${index}`, trace: wrong });
    }
    expect(seen).toEqual([trace, trace, ...Array.from({ length: 6 }, () => undefined)]);
  });

  test("BR30: invalid arguments are refused by their paths", async () => {
    const handler = vi.fn<ToolCallHandler>();
    const { answerOf } = await withTool(handler);
    const answer = await answerOf({ days: "many" });
    expect(answer).toMatchObject({ success: false, code: "input-invalid" });
    expect(answer?.error).toContain("/days");
    expect(handler).not.toHaveBeenCalled();
  });

  test("BR31: an unknown tool, or one without a handler, is an error with advice", async () => {
    const { answerOf } = await withTool();
    expect(await answerOf({}, { id: "c1", name: "other" })).toMatchObject({
      code: "tool-not-found",
      error: expect.stringContaining('registerTool({ name: "other"'),
    });
    expect(await answerOf({}, { id: "c2" })).toMatchObject({
      code: "tool-not-found",
      error: expect.stringContaining('onToolCall("work"'),
    });
  });

  test("BR31: a handler that is not a function is refused", async () => {
    const { bridge } = await withTool();
    expect(() => bridge.onToolCall("work", "run" as unknown as ToolCallHandler)).toThrow('tool "work"');
  });

  test.each<[string, unknown]>([
    ["No such row.", new Error("No such row.")],
    ["plain words", "plain words"],
    ["undefined", undefined],
    ["null", null],
    ["TypeError", new TypeError("")],
  ])("a handler that throws %s answers with that, and the page reports the error", async (text, thrown) => {
    for (const handler of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const { tab, answerOf } = await withTool(handler);
      const answer = await answerOf();
      expect(answer).toMatchObject({ success: false, code: "handler-failed" });
      expect(answer?.error).toContain(text);
      expect(tab.errors).toEqual([thrown]);
    }
  });

  test.each<[string, unknown]>([
    ["$.total", { total: Number.NaN }],
    ["$.rows[1]", { rows: [1, 1n] }],
    ["$.run", { run() {} }],
    ["$.all", { all: new Map() }],
    ["is a Symbol", Symbol("s")],
  ])("BR33: what JSON cannot say is an error that names %s", async (path, value) => {
    const { answerOf } = await withTool(() => value);
    const answer = await answerOf();
    expect(answer).toMatchObject({ success: false, code: "result-unsendable" });
    expect(answer?.error).toContain(path);
  });

  test("BR33: a value that contains itself is an error, too", async () => {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    const { answerOf } = await withTool(() => value);
    expect(await answerOf()).toMatchObject({ code: "result-unsendable" });
  });

  test("BR33: a value that windows cannot clone but JSON can is sent: a proxy, an object with methods' data", async () => {
    class Row {
      readonly id = 7;
      toJSON() {
        return { id: this.id };
      }
    }
    const { answerOf } = await withTool(() => new Proxy({ row: new Row(), at: new Date(0) }, {}));
    expect(await answerOf()).toMatchObject({ result: { row: { id: 7 }, at: "1970-01-01T00:00:00.000Z" } });
  });

  test("BR33: undefined gives no result, one megabyte passes, and a larger result is refused", async () => {
    const values: unknown[] = [undefined, "x".repeat(1_000_000), "x".repeat(17_000_000)];
    const { answerOf } = await withTool(() => values.shift());
    expect(await answerOf({}, { id: "c1" })).toEqual({ call_id: "c1", success: true });
    expect((await answerOf({}, { id: "c2" }))?.result).toHaveLength(1_000_000);
    expect(await answerOf({}, { id: "c3" })).toMatchObject({ success: false, code: "result-too-large" });
  });
});

describe("the end of a call", () => {
  test("BR35: a call that the agent cancels is aborted and answered at once, and what it returns is dropped", async () => {
    const { handler, contexts, end } = held();
    const { tab, agent, call, answers } = await withTool(handler);
    call();
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    agent.say({ type: "tool_cancel", payload: { call_id: "c1" } });
    await vi.waitFor(() => expect(answers()).toMatchObject([{ success: false, code: "cancelled" }]));
    expect(contexts[0]?.signal.reason).toMatchObject({ code: "cancelled" });
    end("late");
    await tab.clock.advance(1000);
    expect([answers().length, tab.errors]).toEqual([1, []]);
  });

  test("BR35: the agent's timeout is the call's timeout", async () => {
    const { handler, contexts } = held();
    const { tab, call, answers } = await withTool(handler);
    call({}, { left: 30_000 });
    await tab.clock.advance(29_999);
    expect([contexts[0]?.signal.aborted, answers()]).toEqual([false, []]);
    await tab.clock.advance(1);
    expect(answers()).toMatchObject([{ success: false, code: "deadline-exceeded" }]);
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test("BR47: a call past the agent's deadline, as after a page was frozen, does not run", async () => {
    const handler = vi.fn<ToolCallHandler>();
    const { answerOf } = await withTool(handler);
    for (const left of [0, -1]) {
      const answer = await answerOf({}, { id: `c${left}`, left });
      expect(answer).toMatchObject({
        success: false,
        code: "deadline-exceeded",
        error: expect.stringContaining("not run"),
      });
    }
    expect(handler).not.toHaveBeenCalled();
  });

  test("BR11: a window that was given up is ignored until the page retries, so that its calls do not run", async () => {
    const handler = vi.fn<ToolCallHandler>(() => "ran");
    const { tab, bridge, agent, call, answerOf } = await withTool(handler, { autoRecover: false });
    agent.answers = false;
    await tab.clock.advance(60_000);
    call();
    await tab.clock.advance(1000);
    expect([bridge.getConnectionState(), handler.mock.calls.length]).toEqual(["disconnected", 0]);
    agent.answers = true;
    bridge.reconnect();
    expect(await answerOf()).toMatchObject({ result: "ran" });
  });

  test("a call does not run if the bridge ends on reconnecting because of it", async () => {
    const handler = vi.fn<ToolCallHandler>();
    let connected = () => {};
    const { tab, bridge, agent, call } = await withTool(handler, {
      onConnectionChange: (state) => state === "connected" && connected(),
    });
    agent.answers = false;
    await tab.clock.advance(60_000);
    connected = () => bridge.destroy();
    call();
    await tab.clock.advance(1000);
    expect([bridge.isAgentOpen(), handler.mock.calls.length]).toEqual([false, 0]);
  });

  test("BR35: a call without a deadline of the agent's ends after ten minutes (limit callTime)", async () => {
    const { handler, contexts } = held();
    const { tab, call } = await withTool(handler);
    call();
    await tab.clock.advance(599_999);
    expect(contexts[0]?.signal.aborted).toBe(false);
    await tab.clock.advance(1);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: "deadline-exceeded" });
  });

  test("BR35: closing the window ends the running calls; a destroyed bridge also answers them", async () => {
    for (const [method, codes] of [
      ["closeAgent", []],
      ["destroy", ["cancelled"]],
    ] as const) {
      const { handler, contexts } = held();
      const { tab, bridge, call, answers } = await withTool(handler);
      call();
      await tab.clock.advance(100);
      bridge[method]();
      expect(contexts[0]?.signal.reason).toMatchObject({ code: "cancelled" });
      expect(answers().map(({ code }) => code)).toEqual(codes);
    }
  });

  test("BR37: fifty calls at once each get their own answer", async () => {
    const { answers, call } = await withTool(async ({ days }) => Number(days) * 2);
    for (let days = 0; days < 50; days++) call({ days }, { id: `c${days}` });
    await vi.waitFor(() => expect(answers()).toHaveLength(50));
    for (const { call_id, result } of answers()) expect(result).toBe(Number(call_id.slice(1)) * 2);
  });

  test("BR37: calls beyond the max running at one time are refused, and may be repeated", async () => {
    const { handler, end } = held();
    const { call, answers, answerOf } = await withTool(handler);
    for (let index = 0; index < 128; index++) call({}, { id: `c${index}` });
    expect(await answerOf({}, { id: "more" })).toMatchObject({ code: "calls-too-many" });
    end("done");
    await vi.waitFor(() => expect(answers()).toHaveLength(2));
    call({}, { id: "more" });
    await Promise.resolve();
    expect(answers()).toHaveLength(2);
  });

  test("a running call of a withdrawn or changed tool ends normally; the next call uses the current tools", async () => {
    const { handler, contexts, end } = held();
    const { bridge, call, answers, answerOf } = await withTool(handler);
    call();
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    bridge.unregisterTool("work");
    expect(await answerOf({}, { id: "c2" })).toMatchObject({ code: "tool-not-found" });
    bridge.registerTool({ ...tool("work"), parameters: { type: "object", required: ["id"] } });
    bridge.onToolCall("work", () => "new");
    expect(await answerOf({}, { id: "c3" })).toMatchObject({ code: "input-invalid" });
    expect(await answerOf({ id: 1 }, { id: "c4" })).toMatchObject({ result: "new" });
    end("old");
    await vi.waitFor(() => expect(answers().at(-1)).toMatchObject({ call_id: "c1", result: "old" }));
  });
});

test("an unfinished call is answered with its outcome", async () => {
  const { handler } = held();
  const { tab, agent, bridge, call, answerOf, answers } = await withTool(handler);
  call({}, { id: "cancelled" });
  await tab.clock.advance(10);
  agent.say({ type: "tool_cancel", payload: { call_id: "cancelled" } });
  call({}, { id: "late", left: 50 });
  await tab.clock.advance(50);
  await answerOf({}, { id: "overdue", left: 0 });
  agent.say({ type: "tool_call", payload: { call_id: "again", tool_name: "work", arguments: {}, again: true } });
  call({}, { id: "last" });
  await tab.clock.advance(10);
  bridge.destroy();
  expect(answers().map(({ call_id, code, error }) => [call_id, code, error])).toEqual([
    ["cancelled", "cancelled", "The agent cancelled the call. Its handler may have run in part."],
    ["late", "deadline-exceeded", "The time for this call is up."],
    ["overdue", "deadline-exceeded", "The call came too late and was not run."],
    ["again", "outcome-unknown", "The page was reloaded while the call ran, or forgot it."],
    ["last", "cancelled", "The call was ended: the page let go of the agent's window (destroyed)."],
  ]);
});

describe("a toolbox's tools", () => {
  test("they are called as the agent, with its timeout, and answer with the MCP result", async () => {
    const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
    const seen: unknown[] = [];
    toolbox.registerTool({
      name: "sales",
      inputSchema: { type: "object", properties: { days: { type: "number" } } },
      execute({ days }, { agent, callId, deadline, asks }) {
        seen.push([agent, callId, deadline, asks]);
        return { days };
      },
    });
    const { tab, answerOf } = await withTool(undefined, { toolbox });
    expect(await answerOf({ days: 3 }, { name: "sales", left: 5000 })).toEqual({
      call_id: "c1",
      success: true,
      result: { content: [{ type: "text", text: '{"days":3}' }], structuredContent: { days: 3 } },
    });
    expect(seen).toEqual([[{ name: agentOrigin }, "c1", 1_800_000_000_000 + tab.clock.now() + 5000, []]]);
  });

  test("their errors are texts with codes", async () => {
    const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
    toolbox.registerTool({ name: "asks", execute: (_input, { ask }) => ask({ message: "Sure?" }) });
    toolbox.registerTool({
      name: "sales",
      inputSchema: { type: "object", properties: { days: { type: "number" } } },
      execute: () => ({ content: [{ type: "text", text: "No sales." }], isError: true }),
    });
    const { answerOf } = await withTool(undefined, { toolbox });
    expect(await answerOf({ days: "x" }, { id: "c1", name: "sales" })).toMatchObject({ code: "input-invalid" });
    expect(await answerOf({}, { id: "c2", name: "sales" })).toEqual({
      call_id: "c2",
      success: false,
      error: "No sales.",
      code: "handler-failed",
    });
    expect(await answerOf({}, { id: "c3", name: "asks" })).toMatchObject({ success: false, code: "ask-unsupported" });
  });
});
