import { expect, test, vi } from "vitest";
import { AiCore } from "./index.ts";
import type { AiMessage } from "./index.ts";
import { createConversation, nextEvent, record, settled, withoutIds } from "./model.test-helper.ts";

const earlier: AiMessage[] = [
  { id: "q1", role: "user", content: "One?" },
  { id: "a1", role: "assistant", content: "One." },
  { id: "q2", role: "user", content: "Two?" },
  { id: "a2", role: "assistant", content: "Two." },
];

test("messages can be set and read, whole and in copies; each is given an id that stays", () => {
  const core = new AiCore();
  const heard = record(core, "messages-changed");
  const given: AiMessage[] = [
    { id: "mine", role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "See:" },
        { type: "image", url: "data:image/png;base64,AA==" },
      ],
    },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "look", arguments: "{}" }],
      finishReason: "tool_use",
    },
    { role: "tool", content: "seen", toolCallId: "c" },
    { role: "assistant", content: "A cat.", reasoning: "Whiskers.", providerHints: { own: { a: [1] } } },
  ];
  core.messages = given;
  expect(withoutIds(core.messages)).toEqual(given.map(({ id: _id, ...message }) => message));
  expect(heard).toEqual([["messages-changed", core.messages]]);
  const ids = core.messages.map(({ id }) => id);
  expect(ids[0]).toBe("mine");
  expect(new Set(ids).size).toBe(5);
  expect(given[1]).not.toHaveProperty("id");
  const copies = core.messages;
  core.messages = copies;
  expect(core.messages.map(({ id }) => id)).toEqual(ids);
  core.messages = [];
  expect(core.messages).toEqual([]);
});

test.each<[unknown, string]>([
  ["no list", "messages must be an array, got no list."],
  [[null], "messages[0] must be a plain object, got null."],
  [
    [
      { role: "user", content: "a" },
      { role: "robot", content: "a" },
    ],
    "messages[1].role must be one of system, user, assistant, tool, got robot.",
  ],
  [[{ role: "user" }], "messages[0].content must be a string or an array, got undefined."],
  [[{ role: "user", content: {} }], "messages[0].content must be a string or an array, got an object."],
  [
    [{ role: "user", content: [{ type: "sound" }] }],
    "messages[0].content[0].type must be one of text, image, file, got sound.",
  ],
  [[{ role: "user", content: [{ type: "text" }] }], "messages[0].content[0].text must be a string, got undefined."],
  [
    [{ role: "user", content: [{ type: "image", url: "blob:x" }] }],
    "messages[0].content[0].url must be an http(s): or data: URL, got blob:x.",
  ],
  [[{ role: "user", content: "a", id: 7 }], "messages[0].id must be a string, got 7."],
  [[{ role: "assistant", content: "", toolCalls: {} }], "messages[0].toolCalls must be an array, got an object."],
  [
    [{ role: "assistant", content: "", toolCalls: [{ id: "c", name: "n", arguments: {} }] }],
    "messages[0].toolCalls[0].arguments must be a string, got an object.",
  ],
  [[{ role: "assistant", content: "", finishReason: 7 }], "messages[0].finishReason must be a string, got 7."],
  [
    [{ role: "assistant", content: "", providerHints: [] }],
    "messages[0].providerHints must be a plain object, got an array.",
  ],
])("messages that are none are refused by index and field, and change nothing: %j", (messages, message) => {
  const core = new AiCore();
  core.messages = earlier;
  expect(() => Reflect.set(core, "messages", messages)).toThrow(message);
  expect(core.messages).toEqual(earlier);
});

test("the model is given the whole conversation", async () => {
  const { core, model, send } = createConversation();
  core.messages = earlier;
  const answer = send("Three?");
  const request = await model.next();
  expect(request.body.messages.map(({ content }) => content)).toEqual(["One?", "One.", "Two?", "Two.", "Three?"]);
  request.finish({ delta: "Three." });
  await answer;
});

test("abort stops the answer, undoes the turn, keeps the text that was shown, and is no error", async () => {
  const { core, model, send } = createConversation();
  core.messages = earlier;
  const heard = record(core, "content-changed", "streaming-changed", "messages-changed", "error", "loading-changed");
  const answer = send("Three?");
  const request = await model.next();
  request.stream({ delta: "Thr", usage: { promptTokens: 9 } });
  await nextEvent(core, "content-changed");
  heard.length = 0;
  core.abort();
  expect(core.messages).toEqual(earlier);
  expect([core.content, core.loading, core.streaming, core.error]).toEqual(["Thr", false, false, null]);
  expect(core.usage).toMatchObject({ promptTokens: 9 });
  expect(heard).toEqual([
    ["streaming-changed", false],
    ["messages-changed", earlier],
    ["loading-changed", false],
  ]);
  expect(await answer).toBeNull();
  expect(request.signal?.aborted).toBe(true);
  await settled();
  expect(heard).toHaveLength(3);
});

test("abort shows what had come by then", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).stream({ delta: "Now" });
  await settled();
  expect(core.content).toBe("");
  core.abort();
  expect(core.content).toBe("Now");
  expect(await answer).toBeNull();
});

test("abort does nothing where nothing is asked, and once is enough", async () => {
  const { core, send } = createConversation();
  const heard = record(core, "messages-changed", "loading-changed");
  core.abort();
  expect(heard).toEqual([]);
  const answer = send();
  core.abort();
  core.abort();
  expect(await answer).toBeNull();
  expect(heard).toHaveLength(4);
});

/** Every point at which a send can be stopped, by what has happened by then. */
const stops = ["request", "headers", "text", "reason"] as const;

test.each(stops)("a send stopped after its %s ends with null and leaves nothing behind", async (stop) => {
  const { core, model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  if (stop !== "request") request.stream();
  await settled();
  if (stop === "text" || stop === "reason") request.say({ delta: "Hm" });
  if (stop === "reason") request.say({ finishReason: "stop" });
  await settled();
  core.abort();
  expect(await answer).toBeNull();
  expect([core.messages, core.loading, core.streaming, core.error]).toEqual([[], false, false, null]);
  await settled();
  expect([core.messages, core.loading, core.streaming, core.error]).toEqual([[], false, false, null]);
});

test("a send stopped before its provider was loaded asks nothing", async () => {
  const { core, model, send } = createConversation();
  core.provider = "openai";
  const answer = send();
  core.abort();
  expect(await answer).toBeNull();
  await settled();
  expect(model.requests).toEqual([]);
});

test("a fetch that does not listen to its signal holds nothing up, and its late answer is given up", async () => {
  const { core, model, options } = createConversation();
  const deaf: typeof fetch = (url, init) => model.fetch(url, { ...init, signal: null });
  const answer = core.send("Hi", { ...options, fetch: deaf });
  const request = await model.next();
  core.abort();
  expect(await answer).toBeNull();
  request.stream({ delta: "Late" });
  await settled();
  expect([core.content, core.streaming, request.isCancelled]).toEqual(["", false, true]);
});

test("a late answer that does not stream is given up, too", async () => {
  const { core, model, options } = createConversation();
  const deaf: typeof fetch = (url, init) => model.fetch(url, { ...init, signal: null });
  const answer = core.send("Hi", { ...options, fetch: deaf });
  const request = await model.next();
  core.abort();
  expect(await answer).toBeNull();
  const cancel = vi.fn<() => void>();
  request.respond(new Response(new ReadableStream({ cancel }), { status: 500 }));
  await settled();
  expect(cancel).toHaveBeenCalledOnce();
});

test("the signal of the options stops a send as abort does", async () => {
  const { core, model, send } = createConversation();
  const controller = new AbortController();
  const answer = send("Hi", { signal: controller.signal });
  const request = await model.next();
  controller.abort();
  expect(await answer).toBeNull();
  expect([core.messages, core.error, request.signal?.aborted]).toEqual([[], null, true]);
  expect(await send("Hi", { signal: controller.signal })).toBeNull();
  expect([core.messages, core.loading, model.requests.length]).toEqual([[], false, 1]);
});

test("the signal of a send that is over stops no other", async () => {
  const { model, send } = createConversation();
  const controller = new AbortController();
  const first = send("Hi", { signal: controller.signal });
  (await model.next()).finish({ delta: "Hello." });
  await first;
  const second = send("Again");
  controller.abort();
  (await model.next()).finish({ delta: "Again." });
  expect(await second).toBe("Again.");
});

test("a second send stops the first, and only its own turn stays", async () => {
  const { core, model, send } = createConversation();
  const first = send("First");
  const request = await model.next();
  request.stream({ delta: "I wa" });
  await nextEvent(core, "content-changed");
  const second = send("Second");
  expect(await first).toBeNull();
  expect(request.signal?.aborted).toBe(true);
  const other = await model.next();
  expect(other.body.messages.map(({ content }) => content)).toEqual(["Second"]);
  expect(core.loading).toBe(true);
  other.finish({ delta: "Two." });
  expect(await second).toBe("Two.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Second", "Two."]);
});

test("of two sends at once the first ends with null and the second is answered", async () => {
  const { core, model, send } = createConversation();
  const answers = Promise.all([send("First"), send("Second")]);
  (await model.next()).finish({ delta: "Two." });
  expect(await answers).toEqual([null, "Two."]);
  expect(core.messages.map(({ content }) => content)).toEqual(["Second", "Two."]);
  expect(core.error).toBeNull();
});

test("a send that is refused stops nothing", async () => {
  const { core, model, send } = createConversation();
  const answer = send("First");
  expect(() => send("")).toThrow("prompt");
  expect(() => send("Hi", { temperature: NaN })).toThrow("temperature");
  (await model.next()).finish({ delta: "One." });
  expect(await answer).toBe("One.");
  expect(core.messages).toHaveLength(2);
});

test("a listener may stop a send before it has asked", async () => {
  const { core, model, send } = createConversation();
  core.addEventListener("ai-agent:loading-changed", () => core.abort(), { once: true });
  expect(await send()).toBeNull();
  await settled();
  expect([core.messages, core.loading, model.requests]).toEqual([[], false, []]);
});

test("regenerate asks for the last answer again", async () => {
  const { core, model, options } = createConversation();
  core.messages = earlier;
  const answer = core.regenerate(options);
  expect(core.messages.map(({ id }) => id)).toEqual(["q1", "a1", "q2"]);
  (await model.next()).finish({ delta: "Two again." });
  expect(await answer).toBe("Two again.");
  expect(core.messages.map(({ content }) => content)).toEqual(["One?", "One.", "Two?", "Two again."]);
  expect(core.messages.at(-1)?.id).not.toBe("a2");
});

test("regenerate during an answer restarts that answer", async () => {
  const { core, model, options, send } = createConversation();
  const first = send("Hi");
  (await model.next()).stream({ delta: "Hel" });
  const second = core.regenerate(options);
  expect(await first).toBeNull();
  (await model.next()).finish({ delta: "Good day." });
  expect(await second).toBe("Good day.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Hi", "Good day."]);
});

test("edit replaces a message of the user's and what came after it", async () => {
  const { core, model, options } = createConversation();
  core.messages = earlier;
  const answer = core.edit("q1", "Uno?", options);
  const request = await model.next();
  expect(request.body.messages.map(({ content }) => content)).toEqual(["Uno?"]);
  request.finish({ delta: "Uno." });
  expect(await answer).toBe("Uno.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Uno?", "Uno."]);
  expect(core.messages[0]?.id).not.toBe("q1");
});

test("a message can be edited while it is answered", async () => {
  const { core, model, options, send } = createConversation();
  core.messages = earlier;
  const first = send("Tree?");
  await model.next();
  const second = core.edit(core.messages.at(-1)?.id ?? "", "Three?", options);
  expect(await first).toBeNull();
  (await model.next()).finish({ delta: "Three." });
  expect(await second).toBe("Three.");
  expect(core.messages.map(({ content }) => content)).toEqual(["One?", "One.", "Two?", "Two.", "Three?", "Three."]);
});

test.each(["aborted", "failed"])("regenerate and edit that are %s bring back what they had replaced", async (how) => {
  const { core, model, options } = createConversation();
  core.messages = earlier;
  for (const ask of [() => core.regenerate(options), () => core.edit("q1", "Uno?", options)]) {
    const answer = ask();
    const request = await model.next();
    request.stream({ delta: "Hm" });
    await nextEvent(core, "content-changed");
    if (how === "aborted") core.abort();
    else request.close();
    expect(await answer).toBeNull();
    expect(core.messages).toEqual(earlier);
  }
});

test("regenerate and edit throw where there is no such message of the user's", () => {
  const { core, options } = createConversation();
  expect(() => core.regenerate(options)).toThrow("no user message");
  core.messages = earlier;
  expect(() => core.edit("a1", "Hm?", options)).toThrow('"a1"');
  expect(() => core.edit("q9", "Hm?", options)).toThrow('"q9"');
  expect(() => core.edit("q1", "", options)).toThrow("prompt");
  expect(core.messages).toEqual(earlier);
});

test("messages that are set without the one being answered stop its answer", async () => {
  const { core, model, send } = createConversation();
  const answer = send("Hi");
  (await model.next()).stream({ delta: "Hel" });
  core.messages = [];
  expect(await answer).toBeNull();
  expect([core.messages, core.loading]).toEqual([[], false]);
});

test("messages that are set with the one being answered are answered on", async () => {
  const { core, model, send } = createConversation();
  const answer = send("Hi");
  core.messages = [{ role: "system", content: "Be brief." }, ...core.messages];
  (await model.next()).finish({ delta: "Hello." });
  expect(await answer).toBe("Hello.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Be brief.", "Hi", "Hello."]);
});

test("with onFailure keep, partial text stays in the conversation", async () => {
  const { core, model, send } = createConversation({ onFailure: "keep" });
  const stopped = send("Hi");
  (await model.next()).stream({ reasoningDelta: "A greeting.", delta: "Hel" });
  await nextEvent(core, "content-changed");
  core.abort();
  expect(await stopped).toBeNull();
  expect(withoutIds(core.messages)).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hel", reasoning: "A greeting.", partial: true },
  ]);
  const broken = send("Go on");
  const request = await model.next();
  request.stream({ delta: "lo" });
  await nextEvent(core, "content-changed");
  request.close();
  expect(await broken).toBeNull();
  expect(core.error).toBeInstanceOf(Error);
  expect(core.messages.map(({ content, partial }) => [content, partial])).toEqual([
    ["Hi", undefined],
    ["Hel", true],
    ["Go on", undefined],
    ["lo", true],
  ]);
});

test("with onFailure keep, a turn in which nothing was said is undone", async () => {
  const { core, model, options, send } = createConversation({ onFailure: "keep" });
  core.messages = earlier;
  for (const ask of [() => send("Hi"), () => core.regenerate(options)]) {
    const answer = ask();
    (await model.next()).respond(new Response("", { status: 500 }));
    expect(await answer).toBeNull();
    expect(core.messages).toEqual(earlier);
  }
});
