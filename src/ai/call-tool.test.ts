import { expect, test, vi } from "vitest";
import { callTool } from "./call-tool.ts";
import { createCoreState } from "./core-state.ts";
import type { AiTool, AiToolCallState, AiToolContext } from "./index.ts";
import { createConversation, holdTime, nextEvent, record, settled } from "./model.test-helper.ts";
import { call, resultsOf, weather } from "./tools.test-helper.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

test.each<[string, unknown, string]>([
  ["a string", "as it is", "as it is"],
  ["an object", { a: [1] }, '{"a":[1]}'],
  ["nothing", undefined, "null"],
  ["null", null, "null"],
  ["a promise", Promise.resolve(7), "7"],
])("a handler may give %s", async (_, result, told) => {
  const { results } = await resultsOf({ tools: [weather({ handler: () => result })] }, ["weather", { city: "Rome" }]);
  expect(results).toEqual([told]);
});

test.each<[string, Partial<AiTool>, string]>([
  ["throws", { handler: () => Promise.reject(new Error("No wind.")) }, "No wind."],
  [
    "throws at once",
    {
      handler: () => {
        throw new Error("No sun.");
      },
    },
    "No sun.",
  ],
  ["throws no error", { handler: () => Promise.reject(7) }, "A value that is not an error was thrown: 7"],
  ["gives a BigInt", { handler: () => 7n }, "BigInt"],
  ["gives what contains itself", { handler: () => cyclic }, "circular"],
  ["gives a function", { handler: () => () => 1 }, "cannot be written as JSON: it is a function"],
])("a handler that %s is told to the model as an error, and the send goes on", async (_, more, message) => {
  const { core, heard, results } = await resultsOf({ tools: [weather(more)] }, ["weather", { city: "Rome" }]);
  expect(JSON.parse(results[0] ?? "")).toEqual({ error: expect.stringContaining(message) });
  expect(core.toolCalls[0]).toMatchObject({ status: "failed", result: results[0] });
  expect(heard[1]).toEqual([
    "tool-call-completed",
    { toolCall: expect.anything(), error: expect.stringContaining(message) },
  ]);
});

test.each<[string, [string, unknown], string]>([
  [
    "names a tool that was not declared",
    ["delete_account", {}],
    'The tool "delete_account" is not defined on this send() invocation.',
  ],
  ["has no name", ["", {}], "is not defined on this send() invocation."],
  ["has arguments that are not JSON", ["weather", '{"city": "Ro'], 'The arguments of the tool "weather" are not JSON'],
  ["has arguments that are no object", ["weather", "[1]"], "are not a JSON object"],
  ["has none of the arguments", ["weather", ""], "do not match its parameters: /city is required."],
  ["has arguments of another type", ["weather", { city: 7 }], "do not match its parameters: /city must be string."],
])("a call that %s is told to the model as an error, and runs nothing", async (_, wanted, message) => {
  const handler = vi.fn<() => void>();
  const { heard, results } = await resultsOf({ tools: [weather({ handler })] }, wanted);
  expect(JSON.parse(results[0] ?? "")).toEqual({ error: expect.stringContaining(message) });
  expect(handler).not.toHaveBeenCalled();
  expect(heard.map(([name]) => name)).toEqual(["tool-call-requested", "tool-call-completed"]);
});

test("a tool that validates its own arguments is given them whatever its schema says, and no pattern is evaluated", async () => {
  const handler = vi.fn<(args: unknown) => void>();
  const hostile = { type: "object", properties: { city: { type: "string", pattern: "^(a+)+$" } }, required: ["city"] };
  const city = `${"a".repeat(40)}!`;
  await resultsOf({ tools: [weather({ handler, parameters: hostile, validatesArguments: true })] }, [
    "weather",
    { city },
  ]);
  expect(handler.mock.calls[0]?.[0]).toEqual({ city });
});

test("a handler is given the call's id, the tool's name and a signal", async () => {
  let given: AiToolContext | undefined;
  const handler = (_: unknown, context: AiToolContext) => void (given = context);
  await resultsOf({ tools: [weather({ handler })] }, ["weather", { city: "Rome" }]);
  expect(given).toEqual({ callId: "c0", name: "weather", signal: expect.any(AbortSignal) });
  expect(given?.signal.aborted).toBe(false);
});

test.each<{ after: string; own?: Partial<AiTool>; request?: { toolTimeout: number }; time: number }>([
  { after: "the tool's own time", own: { timeout: 50 }, request: { toolTimeout: 70 }, time: 50 },
  { after: "the request's time", request: { toolTimeout: 70 }, time: 70 },
  { after: "a minute", time: 60_000 },
])("a handler that hangs is given up after $after, and its signal is aborted", async ({ own, request, time }) => {
  holdTime();
  let signal: AbortSignal | undefined;
  const handler: AiTool["handler"] = (_args, context) => new Promise(() => (signal = context.signal));
  const { core, model, send } = createConversation({
    tools: [weather({ handler, ...own })],
    ...request,
  });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  await nextEvent<AiToolCallState[]>(core, "tool-calls-changed", ([shown]) => shown?.status === "running");
  await settled();
  vi.advanceTimersByTime(time - 1);
  expect(signal?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal?.aborted).toBe(true);
  const second = await model.next();
  expect(second.body.messages.at(-1)?.content).toBe(`{"error":"The tool \\"weather\\" took more than ${time} ms."}`);
  second.finish({ delta: "Sorry." });
  expect(await answer).toBe("Sorry.");
});

test("a time of 0 is no limit", async () => {
  holdTime();
  let release: (result: string) => void = () => {};
  const handler = () => new Promise((resolve) => (release = resolve));
  const { core, model, send } = createConversation({ tools: [weather({ handler, timeout: 0 })] });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  await nextEvent<AiToolCallState[]>(core, "tool-calls-changed", ([shown]) => shown?.status === "running");
  await settled();
  vi.advanceTimersByTime(86_400_000);
  release("rain");
  const request = await model.next();
  expect(request.body.messages.at(-1)?.content).toBe("rain");
  request.finish({ delta: "Rain." });
  expect(await answer).toBe("Rain.");
});

test("abort while a handler runs aborts its signal, ends the send and undoes all of its turns", async () => {
  let signal: AbortSignal | undefined;
  const handler: AiTool["handler"] = (_args, context) => new Promise(() => (signal = context.signal));
  const { core, model, send } = createConversation({ tools: [weather({ handler })] });
  const heard = record(core, "tool-call-completed");
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  await nextEvent<AiToolCallState[]>(core, "tool-calls-changed", ([shown]) => shown?.status === "running");
  await settled();
  core.abort();
  expect(await answer).toBeNull();
  expect(signal?.aborted).toBe(true);
  expect([core.messages, core.error]).toEqual([[], null]);
  expect(core.toolCalls).toMatchObject([{ status: "failed" }]);
  await settled();
  expect(heard).toEqual([]);
  expect(model.requests).toHaveLength(1);
});

test.each(["waiting", "running"])(
  "a listener that stops the send as a call is %s keeps its handler from running",
  async (status) => {
    const handler = vi.fn<() => void>();
    const { core, model, send } = createConversation({ tools: [weather({ handler, needsApproval: true })] });
    core.addEventListener("ai-agent:tool-calls-changed", () => {
      const [shown] = core.toolCalls;
      if (shown?.status === status) core.abort();
      else if (shown?.status === "waiting") core.settleToolCall(shown.id, true);
    });
    const answer = send("Hi");
    call(await model.next(), ["weather", { city: "Rome" }]);
    expect(await answer).toBeNull();
    await settled();
    expect(handler).not.toHaveBeenCalled();
  },
);

test.each(["abort", "failure"])("%s in a later round undoes the rounds before it, too", async (how) => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  const request = await model.next();
  if (how === "abort") core.abort();
  else request.respond(new Response("", { status: 500 }));
  expect(await answer).toBeNull();
  expect(core.messages).toEqual([]);
});

test("with onFailure keep, finished rounds stay, and open calls are answered as stopped", async () => {
  const handler: AiTool["handler"] = ({ city }) => (city === "Rome" ? "rain" : new Promise(() => {}));
  const { core, model, send } = createConversation({ tools: [weather({ handler })], onFailure: "keep" });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  call(await model.next(), ["weather", { city: "Rome" }], ["weather", { city: "Oslo" }]);
  await nextEvent<AiToolCallState[]>(
    core,
    "tool-calls-changed",
    (calls) => calls[1]?.status === "done" && calls[2]?.status === "running",
  );
  core.abort();
  expect(await answer).toBeNull();
  expect(core.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "Hi"],
    ["assistant", "One moment."],
    ["tool", "rain"],
    ["assistant", "One moment."],
    ["tool", "rain"],
    [
      "tool",
      '{"error":"It was stopped while it ran: whether it did anything is not known. Look before you call it again."}',
    ],
  ]);
});

test("the message of a call that has no result says how it ended", async () => {
  const handler: AiTool["handler"] = ({ city }) => {
    if (city === "Oslo") throw new Error("broken");
    return city === "Rome" ? '{"error":"made up"}' : new Promise(() => {});
  };
  const tools = [weather({ handler, needsApproval: ({ city }: { readonly city: string }) => city === "Bern" })];
  const { core, model, send } = createConversation({ tools, onFailure: "keep" });
  const answer = send("Hi");
  const cities = ["Rome", "Oslo", "Bern", "Kyiv"];
  call(await model.next(), ...cities.map((city): [string, object] => ["weather", { city }]));
  const bern = await nextEvent<AiToolCallState[]>(
    core,
    "tool-calls-changed",
    (calls) => calls[2]?.status === "waiting",
  );
  core.settleToolCall(bern[2]?.id ?? "", false);
  await nextEvent<AiToolCallState[]>(
    core,
    "tool-calls-changed",
    (calls) => calls[2]?.status === "refused" && calls[3]?.status === "running",
  );
  core.abort();
  await answer;
  expect(core.messages.filter(({ role }) => role === "tool").map(({ toolStatus }) => toolStatus)).toEqual([
    undefined,
    "failed",
    "refused",
    "stopped",
  ]);
});

test("a call that was stopped while it waited for the user is answered as one that did not run", async () => {
  const { core, model, send } = createConversation({
    tools: [weather({ needsApproval: true })],
    onFailure: "keep",
  });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  await nextEvent<AiToolCallState[]>(core, "tool-calls-changed", (calls) => calls[0]?.status === "waiting");
  core.abort();
  await answer;
  expect(core.messages.at(-1)?.content).toBe('{"error":"It was stopped before it ran."}');
});

test("the result of a call that was stopped is thrown away, also where its handler fails late", async () => {
  let reject: (error: Error) => void = () => {};
  const handler = () => new Promise((_resolve, fail) => (reject = fail));
  const { core, model, send } = createConversation({ tools: [weather({ handler })] });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  await nextEvent<AiToolCallState[]>(core, "tool-calls-changed", ([shown]) => shown?.status === "running");
  await settled();
  core.abort();
  reject(new Error("too late"));
  expect(await answer).toBeNull();
  await settled();
  expect(core.toolCalls).toMatchObject([{ status: "failed" }]);
});

test.each<[string, Partial<AiTool>]>([
  ["the user", { needsApproval: true }],
  ["whether to ask the user", { needsApproval: () => new Promise<boolean>(() => {}) }],
  ["its handler", { handler: () => new Promise(() => {}) }],
])("a call that waits for %s is over once its send is stopped", async (_, tool) => {
  const stop = new AbortController();
  const state = createCoreState(new EventTarget());
  const run = {
    desk: { waiting: new Map(), decisions: new Map(), handlerOf: () => undefined },
    state,
    options: { model: "m" },
    signal: stop.signal,
    loadProvider: () => Promise.reject(new Error("Nobody is asked.")),
    add: () => {},
    added: new Set<string>(),
    undo: () => ({}),
  };
  const given: AiToolCallState = { id: "c0", name: "weather", arguments: '{"city":"Rome"}', status: "streaming" };
  const called = callTool(given, { run, tools: [weather(tool)], show: () => {} });
  await settled();
  stop.abort();
  await called;
  expect(given).not.toHaveProperty("result");
});
