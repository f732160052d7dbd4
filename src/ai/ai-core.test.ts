import { expect, test } from "vitest";
import { bind, isWcBindable } from "../bindable/index.ts";
import { AiCore, aiRemoteDeclaration } from "./index.ts";
import { createConversation, nextEvent, plainProvider, record, withoutIds } from "./model.test-helper.ts";

test("AiCore declares six properties, two inputs and two commands to wc-bindable", () => {
  expect(AiCore.wcBindable).toEqual({
    protocol: "wc-bindable",
    version: 1,
    properties: [
      { name: "content", event: "ai-agent:content-changed" },
      { name: "messages", event: "ai-agent:messages-changed" },
      { name: "usage", event: "ai-agent:usage-changed" },
      { name: "loading", event: "ai-agent:loading-changed" },
      { name: "streaming", event: "ai-agent:streaming-changed" },
      { name: "error", event: "ai-agent:error" },
    ],
    inputs: [{ name: "provider" }, { name: "messages" }],
    commands: [{ name: "send", async: true }, { name: "abort" }],
  });
  expect(isWcBindable(new AiCore())).toBe(true);
});

test("the declaration for remote peers has all of that, and what AiCore adds to it", () => {
  const { properties, inputs, commands } = aiRemoteDeclaration;
  expect(properties).toEqual([
    ...AiCore.wcBindable.properties,
    { name: "reasoning", event: "ai-agent:reasoning-changed" },
    { name: "object", event: "ai-agent:object-changed" },
    { name: "toolCalls", event: "ai-agent:tool-calls-changed" },
  ]);
  expect(inputs).toEqual(AiCore.wcBindable.inputs);
  expect(commands?.map(({ name }) => name)).toEqual(["send", "abort", "regenerate", "edit", "settleToolCall"]);
});

test("a core begins empty and idle", () => {
  const { content, messages, usage, loading, streaming, error, reasoning, object, toolCalls, provider } = new AiCore();
  expect({ content, messages, usage, loading, streaming, error, reasoning, object, toolCalls, provider }).toEqual({
    content: "",
    messages: [],
    usage: null,
    loading: false,
    streaming: false,
    error: null,
    reasoning: "",
    object: null,
    toolCalls: [],
    provider: null,
  });
});

test("send resolves with the streamed answer, and both turns are in the conversation", async () => {
  const { core, model, send } = createConversation();
  const answer = send("Hello");
  const request = await model.next();
  expect(request.body.messages).toMatchObject([{ role: "user", content: "Hello" }]);
  request.finish(
    { delta: "Good " },
    { delta: "day.", finishReason: "stop", usage: { promptTokens: 3, completionTokens: 2 } },
  );
  expect(await answer).toBe("Good day.");
  expect(core.content).toBe("Good day.");
  expect(withoutIds(core.messages)).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Good day.", finishReason: "stop" },
  ]);
  expect(core.usage).toEqual({ promptTokens: 3, completionTokens: 2, totalTokens: 5 });
  expect([core.loading, core.streaming, core.error]).toEqual([false, false, null]);
});

test("each change is reported in order, by an event whose detail is the new value", async () => {
  const { core, model, send } = createConversation();
  const heard = record(
    core,
    "loading-changed",
    "streaming-changed",
    "content-changed",
    "messages-changed",
    "usage-changed",
  );
  const answer = send("Hello");
  (await model.next()).finish({ delta: "Hi.", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 1 } });
  await answer;
  const [question, reply] = core.messages;
  expect(heard).toEqual([
    ["loading-changed", true],
    ["messages-changed", [question]],
    ["streaming-changed", true],
    ["content-changed", "Hi."],
    ["usage-changed", { promptTokens: 1, completionTokens: 1, totalTokens: 2 }],
    ["streaming-changed", false],
    ["messages-changed", [question, reply]],
    ["loading-changed", false],
  ]);
});

test("a value that stays as it is is not told again", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "error", "usage-changed", "reasoning-changed", "object-changed", "tool-calls-changed");
  for (const text of ["One.", "Two."]) {
    const answer = send();
    (await model.next()).finish({ delta: text, finishReason: "stop" });
    await answer;
  }
  expect(heard).toEqual([]);
});

test("events bubble, and go to the target that the core was given", async () => {
  const target = new EventTarget();
  const core = new AiCore(target);
  const told = new Promise<Event>((resolve) => target.addEventListener("ai-agent:messages-changed", resolve));
  const heard = record(core, "messages-changed");
  core.messages = [{ role: "user", content: "Hi" }];
  expect(await told).toMatchObject({ bubbles: true, detail: core.messages });
  expect(heard).toEqual([]);
});

test("bind receives the values of a core", async () => {
  const { core, model, send } = createConversation();
  const heard: [string, unknown][] = [];
  const unbind = bind(core, (name, value) => heard.push([name, value]));
  const answer = send("Hello");
  (await model.next()).finish({ delta: "Hi.", finishReason: "stop" });
  await answer;
  unbind();
  expect(heard).toContainEqual(["content", "Hi."]);
  expect(heard.at(-1)).toEqual(["loading", false]);
});

test("with stream false the whole answer comes at once, and streaming stays false", async () => {
  const { core, model, send } = createConversation({ stream: false });
  const heard = record(core, "content-changed", "streaming-changed");
  const answer = send();
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  (await model.next()).json({ content: "All of it.", reasoning: "Hm.", usage, finishReason: "length" });
  expect(await answer).toBe("All of it.");
  expect(heard).toEqual([["content-changed", "All of it."]]);
  expect(core.usage).toEqual(usage);
  expect(core.reasoning).toBe("Hm.");
  expect(core.messages.at(-1)).toMatchObject({ content: "All of it.", reasoning: "Hm.", finishReason: "length" });
});

test("an answer that does not stream although it was asked to is taken whole", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "streaming-changed");
  const answer = send();
  (await model.next()).json({ content: "Whole." });
  expect(await answer).toBe("Whole.");
  expect(heard).toEqual([]);
});

test("content keeps the last answer until the next one begins to come", async () => {
  const { core, model, send } = createConversation();
  const first = send();
  (await model.next()).finish({ delta: "One." });
  await first;
  const second = send();
  const request = await model.next();
  expect(core.content).toBe("One.");
  const emptied = nextEvent(core, "streaming-changed");
  request.stream();
  await emptied;
  expect(core.content).toBe("");
  request.finish({ delta: "Two." });
  expect(await second).toBe("Two.");
});

test("thoughts are shown in reasoning, and kept with the answer and with what its provider hints", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "reasoning-changed");
  const answer = send();
  (await model.next()).finish(
    { reasoningDelta: "Let me ", providerHints: { one: { a: 1 } } },
    { reasoningDelta: "think.", providerHints: { one: { b: 2 }, two: { c: 3 } } },
    { delta: "Yes.", finishReason: "stop" },
  );
  await answer;
  expect(core.reasoning).toBe("Let me think.");
  expect(heard.at(-1)).toEqual(["reasoning-changed", "Let me think."]);
  expect(core.messages.at(-1)).toMatchObject({
    content: "Yes.",
    reasoning: "Let me think.",
    providerHints: { one: { a: 1, b: 2 }, two: { c: 3 } },
  });
  const again = send();
  const request = await model.next();
  expect(request.body.messages[1]).toMatchObject({ reasoning: "Let me think.", providerHints: { two: { c: 3 } } });
  request.finish({ delta: "No." });
  await again;
  expect(core.reasoning).toBe("");
});

test("usage that arrives in parts is combined, and reset with each send", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "usage-changed");
  const answer = send();
  (await model.next()).finish(
    { usage: { promptTokens: 10, cachedTokens: 4 } },
    { delta: "Hi.", usage: { completionTokens: 5, reasoningTokens: 2 }, finishReason: "stop" },
  );
  await answer;
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedTokens: 4, reasoningTokens: 2 };
  expect(core.usage).toEqual(usage);
  const again = send();
  expect(heard.at(-1)).toEqual(["usage-changed", null]);
  (await model.next()).finish({ delta: "Hi." });
  await again;
});

test("a refusal is an answer, with the finish reason safety and no error", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).finish({ finishReason: "safety" });
  expect(await answer).toBe("");
  expect(core.error).toBeNull();
  expect(withoutIds(core.messages).at(-1)).toEqual({ role: "assistant", content: "", finishReason: "safety" });
});

test("a provider is the name of a built-in one, or an object; anything else is refused at once", () => {
  const core = new AiCore();
  for (const name of ["openai", "openai-responses", "azure-openai", "anthropic", "google"]) {
    core.provider = name;
    expect(core.provider).toBe(name);
  }
  core.provider = plainProvider;
  expect(core.provider).toBe(plainProvider);
  const refused = /^provider must be one of openai, .*, got /;
  for (const wrong of ["bogus", "", "toString", {}, { buildRequest: "x" }, [], 7, undefined]) {
    expect(() => Reflect.set(core, "provider", wrong)).toThrow(refused);
  }
  expect(core.provider).toBe(plainProvider);
  core.provider = null;
  expect(() => core.send("Hi", { model: "m" })).toThrow(refused);
  expect(core.messages).toEqual([]);
});

test("a built-in provider asks its own API, through the fetch of the options", async () => {
  const { core, model, options } = createConversation({
    apiKey: "key",
    headers: { "X-Own": "1" },
    body: { user: "u" },
  });
  core.provider = "openai";
  const answer = core.send("Hi", options);
  const request = await model.next();
  expect(request.url).toBe("https://api.openai.com/v1/chat/completions");
  expect(request.headers).toMatchObject({ Authorization: "Bearer key", "X-Own": "1" });
  expect(request.body).toMatchObject({ model: "test-model", user: "u", messages: [{ role: "user", content: "Hi" }] });
  request.stream();
  request.write('data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  expect(await answer).toBe("Hello");
});

test("what a caller or a provider does to what it was given changes nothing in the core", async () => {
  const { core, model, options } = createConversation();
  core.provider = {
    ...plainProvider,
    buildRequest(messages, given) {
      Object.assign(messages[0] ?? {}, { content: "Hi!" });
      messages.unshift({ role: "system", content: "Be kind." });
      return plainProvider.buildRequest(messages, given);
    },
  };
  const answer = core.send("Hi", options);
  options.temperature = 2;
  const request = await model.next();
  expect(request.body.messages).toHaveLength(2);
  expect(request.body.temperature).toBeUndefined();
  request.finish({ delta: "Hello.", usage: { promptTokens: 1, completionTokens: 1 } });
  await answer;
  Object.assign(core.usage ?? {}, { totalTokens: 99 });
  expect(core.usage?.totalTokens).toBe(2);
  core.messages.pop();
  Object.assign(core.messages[0] ?? {}, { content: "changed" });
  expect(withoutIds(core.messages)).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello." },
  ]);
});

test("a listener may send again as soon as it receives the answer, and loses nothing", async () => {
  const { core, model, send } = createConversation();
  let second: Promise<string | null> | undefined;
  core.addEventListener("ai-agent:messages-changed", () => {
    if (core.messages.length === 2) second = send("And then?");
  });
  const first = send("What?");
  (await model.next()).finish({ delta: "This." });
  expect(await first).toBe("This.");
  expect(core.loading).toBe(true);
  (await model.next()).finish({ delta: "That." });
  expect(await second).toBe("That.");
  expect(core.messages.map(({ content }) => content)).toEqual(["What?", "This.", "And then?", "That."]);
});

test("as JSON an error has its name, message and code, and no stack", async () => {
  const own = Object.assign(new TypeError("No."), { code: "EACCES" });
  for (const [thrown, told] of [
    [own, { name: "TypeError", message: "No.", code: "EACCES" }],
    [Object.freeze(new RangeError("Too far.")), {}],
    ["text", { name: "Error", message: "A non-error was thrown." }],
    [
      Object.assign(new Error("Slow down."), { status: 429, retryAfter: 3, headers: { authorization: "secret" } }),
      { name: "Error", message: "Slow down.", status: 429, retryAfter: 3 },
    ],
    [
      { status: 429, statusText: "", body: "" },
      { status: 429, statusText: "", body: "" },
    ],
  ] as const) {
    const buildRequest = () => {
      throw thrown;
    };
    const { core, send } = createConversation();
    core.provider = { ...plainProvider, buildRequest };
    expect(await send("Hi")).toBeNull();
    expect(JSON.parse(JSON.stringify(core.error))).toEqual(told);
  }
});
