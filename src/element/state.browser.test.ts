import { expect, test } from "vitest";
import { nextEvent, prepare, record, show } from "./agent.test-helper.ts";
import { AiAgent, AiCore, OpenAiProvider } from "./index.ts";

test("the element is bindable as its core is, with `trigger` beside it", () => {
  expect(AiAgent.wcBindable).toEqual({
    ...AiCore.wcBindable,
    properties: [...AiCore.wcBindable.properties, { name: "trigger", event: "ai-agent:trigger-changed" }],
  });
});

test("an answer is reported by events of the element, which bubble, and by its properties", async () => {
  const { agent, model } = prepare();
  const heard = record(agent, "ai-agent:loading-changed", "ai-agent:streaming-changed", "ai-agent:error");
  let bubbled = "";
  document.addEventListener("ai-agent:content-changed", (event) => (bubbled = event.detail), { once: true });
  const sending = agent.send();
  expect(agent.loading).toBe(true);
  const request = await model.next();
  request.end("Hi there");
  expect(await sending).toBe("Hi there");
  expect([agent.content, bubbled, agent.loading, agent.streaming]).toEqual(["Hi there", "Hi there", false, false]);
  expect(agent.messages).toMatchObject([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi there", finishReason: "stop" },
  ]);
  expect(heard).toEqual(
    expect.arrayContaining([
      ["loading-changed", true],
      ["streaming-changed", true],
      ["streaming-changed", false],
      ["loading-changed", false],
    ]),
  );
});

test("a provider that does not exist stops the request, is an error, and refuses sends until it is mended", async () => {
  const { agent, model } = prepare();
  const heard = record(agent, "ai-agent:error");
  const sending = agent.send();
  const request = await model.next();
  agent.setAttribute("provider", "bogus");
  expect(await sending).toBeNull();
  expect([request.signal.aborted, agent.getAttribute("provider"), agent.provider]).toEqual([true, "bogus", "bogus"]);
  expect(agent.error).toMatchObject({ message: expect.stringContaining("bogus") });
  await expect(agent.send()).rejects.toBe(agent.error);
  agent.provider = "openai";
  expect(agent.error).toBeNull();
  expect(heard).toEqual([
    ["error", expect.objectContaining({ message: expect.stringContaining("bogus") })],
    ["error", null],
  ]);
  const again = agent.send();
  await model.answer("Hi");
  expect(await again).toBe("Hi");
});

test("markup with a provider that does not exist can be put into the document", async () => {
  const agent = show(`<ai-agent provider="bogus" model="m"></ai-agent>`);
  expect(agent.error).toBeInstanceOf(Error);
  agent.prompt = "Hello";
  await expect(agent.send()).rejects.toThrow("bogus");
});

test("a provider of one's own is given as the property, and an attribute takes its place", async () => {
  const { agent, model } = prepare(`<ai-agent model="m"></ai-agent>`);
  const provider = new OpenAiProvider();
  const own = Object.assign(Object.create(provider), {
    buildRequest: (...given: Parameters<OpenAiProvider["buildRequest"]>) => ({
      ...provider.buildRequest(...given),
      url: "/own",
    }),
  });
  agent.provider = own;
  expect(agent.provider).toBe(own);
  const sending = agent.send();
  const request = await model.next();
  request.end("Hi");
  expect([await sending, request.url]).toEqual(["Hi", "/own"]);
  agent.setAttribute("provider", "openai");
  expect(agent.provider).toBe("openai");
  agent.provider = null;
  await expect(agent.send()).rejects.toThrow(/provider/);
});

test("`trigger` sends, is true until there is an answer, and can only be set to true", async () => {
  const { agent, model } = prepare();
  const heard = record(agent, "ai-agent:trigger-changed");
  agent.trigger = false;
  expect(agent.trigger).toBe(false);
  agent.trigger = true;
  expect(agent.trigger).toBe(true);
  const ended = nextEvent(agent, "ai-agent:trigger-changed");
  await model.answer("Hi");
  expect(await ended).toBe(false);
  expect([agent.trigger, agent.content, heard]).toEqual([
    false,
    "Hi",
    [
      ["trigger-changed", true],
      ["trigger-changed", false],
    ],
  ]);
});

test("what a send would reject with is the element's error when it was triggered, until the next send", async () => {
  const { agent, model } = prepare();
  agent.prompt = "";
  const failed = nextEvent(agent, "ai-agent:error");
  agent.trigger = true;
  expect(await failed).toBe(agent.error);
  expect(agent.error).toMatchObject({ message: expect.stringContaining("prompt") });
  agent.prompt = "Hello";
  const sending = agent.send();
  expect(agent.error).toBeNull();
  await model.answer("Hi");
  expect(await sending).toBe("Hi");
});
