import { expect, test, vi } from "vitest";
import type { AiToolCallState } from "./index.ts";
import { createConversation, nextEvent, record, withoutIds } from "./model.test-helper.ts";
import { call, parameters, resultsOf, weather } from "./tools.test-helper.ts";

test("the calls of a turn run, and the model receives their results and is asked again", async () => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const heard = record(core, "tool-call-requested", "tool-call-completed");
  const answer = send("Weather in Tokyo?");
  const first = await model.next();
  expect(first.body.tools).toEqual([{ name: "weather", description: "The weather.", parameters }]);
  expect(first.body).not.toHaveProperty("toolChoice");
  call(first, ["weather", { city: "Tokyo" }]);
  const second = await model.next();
  const turn = [
    { role: "user", content: "Weather in Tokyo?" },
    {
      role: "assistant",
      content: "One moment.",
      toolCalls: [{ id: "c0", name: "weather", arguments: '{"city":"Tokyo"}' }],
      finishReason: "tool_use",
    },
    { role: "tool", content: '{"city":"Tokyo","sky":"blue"}', toolCallId: "c0" },
  ];
  expect(withoutIds(second.body.messages)).toEqual(turn);
  second.finish({ delta: "It is blue.", finishReason: "stop", usage: { promptTokens: 20, completionTokens: 3 } });
  expect(await answer).toBe("It is blue.");
  expect(core.content).toBe("It is blue.");
  expect(withoutIds(core.messages)).toEqual([
    ...turn,
    { role: "assistant", content: "It is blue.", finishReason: "stop" },
  ]);
  const toolCall = { id: "c0", name: "weather", arguments: '{"city":"Tokyo"}' };
  expect(heard).toEqual([
    ["tool-call-requested", { toolCall }],
    ["tool-call-completed", { toolCall, result: { city: "Tokyo", sky: "blue" } }],
  ]);
  expect(core.usage).toEqual({ promptTokens: 30, completionTokens: 4, totalTokens: 34 });
});

test("the calls of a turn run in parallel, and their results are sent in order", async () => {
  const started: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = weather({
    handler: async ({ city }) => {
      started.push(city);
      if (city === "Rome") release();
      await held;
      return city;
    },
  });
  const { results } = await resultsOf({ tools: [slow] }, ["weather", { city: "Tokyo" }], ["weather", { city: "Rome" }]);
  expect(started).toEqual(["Tokyo", "Rome"]);
  expect(results).toEqual(["Tokyo", "Rome"]);
});

test("many calls of a turn make no runtime warn of a leak, also where all of them are stopped", async () => {
  const warn = vi.spyOn(process, "emitWarning");
  let started = 0;
  const held = weather({
    handler: (_args, { signal }) => new Promise(() => (started++, signal.addEventListener("abort", () => started--))),
  });
  const many = Array.from({ length: 50 }, (): [string, object] => ["weather", { city: "Rome" }]);
  await resultsOf({ tools: [weather()] }, ...many);
  const { core, model, send } = createConversation({ tools: [held] });
  const answer = send("Hi");
  call(await model.next(), ...many);
  await vi.waitUntil(() => started === 50);
  core.abort();
  expect(await answer).toBeNull();
  expect([started, warn.mock.calls]).toEqual([0, []]);
});

test("the arguments of a call grow in toolCalls while they stream, and its status says how far it is", async () => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const seen: string[] = [];
  core.addEventListener("ai-agent:tool-calls-changed", (event) => {
    const [shown] = (event as CustomEvent<AiToolCallState[]>).detail;
    seen.push(shown ? `${shown.status} ${shown.name} ${shown.arguments}` : "none");
  });
  const answer = send("Hi");
  const request = await model.next();
  for (const argumentsDelta of ['{"city"', ':"Tokyo"}']) {
    const changed = nextEvent(core, "tool-calls-changed");
    const delta = { index: 0, id: "c0", name: "weather", argumentsDelta };
    if (seen.length === 0) request.stream({ toolCallDeltas: [delta] });
    else request.say({ toolCallDeltas: [{ index: 0, argumentsDelta }] });
    await changed;
  }
  request.finish({ finishReason: "tool_use" });
  const second = await model.next();
  expect(core.toolCalls).toEqual([
    {
      id: "c0",
      name: "weather",
      arguments: '{"city":"Tokyo"}',
      status: "done",
      result: '{"city":"Tokyo","sky":"blue"}',
    },
  ]);
  call(second, ["weather", { city: "Rome" }]);
  (await model.next()).finish({ delta: "Blue." });
  await answer;
  expect(core.toolCalls.map(({ status, arguments: args }) => [status, args])).toEqual([
    ["done", '{"city":"Tokyo"}'],
    ["done", '{"city":"Rome"}'],
  ]);
  expect(seen.slice(0, 4)).toEqual([
    'streaming weather {"city"',
    'streaming weather {"city":"Tokyo"}',
    'running weather {"city":"Tokyo"}',
    'done weather {"city":"Tokyo"}',
  ]);
  const again = send("Hi");
  expect(core.toolCalls).toEqual([]);
  (await model.next()).finish({ delta: "Hi." });
  await again;
});

test("calls past maxToolRoundtrips end the send with an error, undone", async () => {
  const handler = vi.fn<() => string>(() => "rain");
  const { core, model, send } = createConversation({ tools: [weather({ handler })], maxToolRoundtrips: 2 });
  const answer = send("Hi");
  for (let round = 0; round < 3; round++) call(await model.next(), ["weather", { city: "Rome" }]);
  expect(await answer).toBeNull();
  expect(core.error).toBeInstanceOf(Error);
  expect(core.error).toMatchObject({ message: expect.stringContaining("maxToolRoundtrips exceeded") });
  expect(core.messages).toEqual([]);
  expect(handler).toHaveBeenCalledTimes(2);
});

test("without maxToolRoundtrips there may be ten rounds", async () => {
  const handler = vi.fn<() => string>(() => "rain");
  const { model, send } = createConversation({ tools: [weather({ handler })] });
  const answer = send("Hi");
  for (let round = 0; round < 11; round++) call(await model.next(), ["weather", { city: "Rome" }]);
  expect(await answer).toBeNull();
  expect(handler).toHaveBeenCalledTimes(10);
});

test("with maxToolRoundtrips 0 the model sees no tools, and calls that it makes all the same are dropped", async () => {
  const handler = vi.fn<() => void>();
  const { core, model, send } = createConversation({
    tools: [weather({ handler })],
    toolChoice: { name: "weather" },
    maxToolRoundtrips: 0,
  });
  const answer = send("Hi");
  const request = await model.next();
  expect(request.body).not.toHaveProperty("tools");
  expect(request.body).not.toHaveProperty("toolChoice");
  call(request, ["weather", { city: "Rome" }]);
  expect(await answer).toBe("One moment.");
  expect(handler).not.toHaveBeenCalled();
  expect(withoutIds(core.messages).at(-1)).toEqual({
    role: "assistant",
    content: "One moment.",
    finishReason: "tool_use",
  });
  expect([core.error, core.toolCalls]).toEqual([null, []]);
});

test("the model receives an error for calls of undeclared tools", async () => {
  const { results } = await resultsOf({}, ["weather", { city: "Rome" }]);
  expect(results).toEqual(['{"error":"The tool \\"weather\\" is not defined on this send() invocation."}']);
});

test("without a choice the provider's own default holds in every round", async () => {
  const { model, send } = createConversation({ tools: [weather()] });
  const answer = send("Hi");
  const first = await model.next();
  call(first, ["weather", { city: "Rome" }]);
  const second = await model.next();
  expect([first, second].map(({ body }) => body.toolChoice)).toEqual([undefined, undefined]);
  second.finish({ delta: "Blue." });
  expect(await answer).toBe("Blue.");
});

test.each(["required", { name: "weather" }] as const)(
  "the choice %j is forced in the first round only",
  async (toolChoice) => {
    const { model, send } = createConversation({ tools: [weather()], toolChoice });
    const answer = send("Hi");
    const first = await model.next();
    expect(first.body.toolChoice).toEqual(toolChoice);
    call(first, ["weather", { city: "Rome" }]);
    const second = await model.next();
    expect(second.body.toolChoice).toBe("auto");
    second.finish({ delta: "Blue." });
    expect(await answer).toBe("Blue.");
  },
);

test("the choice none holds in every round", async () => {
  const { model, send } = createConversation({ tools: [weather()], toolChoice: "none" });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  const second = await model.next();
  expect(second.body.toolChoice).toBe("none");
  second.finish({ delta: "Blue." });
  await answer;
});

test("each round's content begins empty, and the rounds before it are in the messages", async () => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const heard = record(core, "content-changed", "streaming-changed");
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  (await model.next()).finish({ delta: "Blue." });
  await answer;
  expect(heard).toEqual([
    ["streaming-changed", true],
    ["content-changed", "One moment."],
    ["streaming-changed", false],
    ["content-changed", ""],
    ["streaming-changed", true],
    ["content-changed", "Blue."],
    ["streaming-changed", false],
  ]);
});

test("a whole answer's calls run as those of a stream do", async () => {
  const { core, model, send } = createConversation({ tools: [weather()], stream: false });
  const answer = send("Hi");
  const toolCalls = [{ id: "c0", name: "weather", arguments: '{"city":"Rome"}' }];
  (await model.next()).json({
    content: "",
    toolCalls,
    usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
  });
  (await model.next()).json({ content: "Blue.", usage: { promptTokens: 2, completionTokens: 1, totalTokens: 3 } });
  expect(await answer).toBe("Blue.");
  expect(core.messages[1]).toMatchObject({ toolCalls });
  expect(core.usage).toEqual({ promptTokens: 3, completionTokens: 2, totalTokens: 5 });
});

test("two tools of one name are an error", async () => {
  const { core, send } = createConversation({ tools: [weather(), weather()] });
  expect(await send("Hi")).toBeNull();
  expect(core.error).toMatchObject({ message: 'Two tools are named "weather": give one of them another name.' });
});

test("a handler that sends on its own core stops the send that waits for it", async () => {
  const { core, model, send } = createConversation();
  let inner: Promise<string | null> | undefined;
  const answer = send("Hi", { tools: [weather({ handler: () => (inner = send("Inner")) })] });
  call(await model.next(), ["weather", { city: "Rome" }]);
  expect(await answer).toBeNull();
  (await model.next()).finish({ delta: "Inner answer." });
  expect(await inner).toBe("Inner answer.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Inner", "Inner answer."]);
});
