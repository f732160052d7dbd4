import { expect, onTestFinished, test } from "vitest";
import { createModel, record, show } from "./agent.test-helper.ts";
import { AiAgent, OpenAiProvider } from "./index.ts";
import type { AiRequestOptions } from "./index.ts";

type Names = Partial<Record<keyof AiAgent, unknown>>;

const texts = ["model", "baseUrl", "apiKey", "apiVersion", "system", "streamOptions", "reasoningEffort"] as const;
const numbers = ["temperature", "maxTokens", "topP", "seed", "toolTimeout", "reasoningBudget"] as const;

test.each(texts)("%s is its attribute", (name) => {
  const agent = show("<ai-agent></ai-agent>");
  const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  expect(agent[name]).toBe("");
  agent.setAttribute(attribute, "some");
  expect(agent[name]).toBe("some");
  agent[name] = "other";
  expect(agent.getAttribute(attribute)).toBe("other");
  Object.assign(agent, { [name]: null });
  expect(agent.hasAttribute(attribute)).toBe(false);
});

test.each(numbers)("%s is its attribute, as a number", (name) => {
  const agent = show("<ai-agent></ai-agent>");
  const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  expect(agent[name]).toBeUndefined();
  agent.setAttribute(attribute, " 0.5 ");
  expect(agent[name]).toBe(0.5);
  agent.setAttribute(attribute, "");
  expect(agent[name]).toBeUndefined();
  agent[name] = 0;
  expect(agent.getAttribute(attribute)).toBe("0");
  agent[name] = undefined;
  expect(agent.hasAttribute(attribute)).toBe(false);
});

test("stream, forwardCredentials and keepOnFailure are attributes that are there or not", () => {
  const agent = show(`<ai-agent no-stream forward-credentials="false"></ai-agent>`);
  const flags = (): Names => ({
    stream: agent.stream,
    forwardCredentials: agent.forwardCredentials,
    keepOnFailure: agent.keepOnFailure,
  });
  expect(flags()).toEqual({ stream: false, forwardCredentials: false, keepOnFailure: false });
  Object.assign(agent, { stream: true, forwardCredentials: true, keepOnFailure: true });
  expect(flags()).toEqual({ stream: true, forwardCredentials: true, keepOnFailure: true });
  expect(agent.getAttributeNames().toSorted()).toEqual(["forward-credentials", "keep-on-failure"]);
});

test("a request's options are read when it is sent", async () => {
  const model = createModel();
  const agent = show(`<ai-agent provider="openai" model="first" base-url="/api/ai" stream-options="always"
    temperature="0.5" max-tokens="" api-key="sk-1" top-p="0.9" seed="7" system="Be brief."></ai-agent>`);
  Object.assign(agent, { fetch: model.fetch, model: "second", stop: ["END"], prompt: "Hello" });
  Object.assign(agent, { headers: { "X-Team": "a" }, body: { user: "u1" } });
  const sending = agent.send();
  agent.model = "third";
  agent.prompt = "Something else";
  const request = await model.next();
  request.end("Hi");
  expect(await sending).toBe("Hi");
  expect(request.url).toMatch(/\/api\/ai\/v1\/chat\/completions$/);
  expect([request.headers.get("authorization"), request.headers.get("x-team")]).toEqual(["Bearer sk-1", "a"]);
  expect(request.body).toEqual({
    model: "second",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ["END"],
    user: "u1",
  });
});

test("reasoning, its budget and what is kept of failures are asked for by attributes", async () => {
  const agent = show(`<ai-agent model="m" reasoning-effort="low" reasoning-budget="2048" keep-on-failure></ai-agent>`);
  const asked: AiRequestOptions[] = [];
  agent.provider = Object.assign(new OpenAiProvider(), {
    buildRequest: (_: unknown, options: AiRequestOptions) => (asked.push(options), refuse()),
  });
  agent.prompt = "Hello";
  expect(await agent.send()).toBeNull();
  expect(asked[0]).toMatchObject({ reasoning: { effort: "low", budgetTokens: 2048 }, onFailure: "keep" });
});

test.each([
  ["temperature", "warm"],
  ["temperature", "Infinity"],
  ["max-tokens", "0"],
  ["max-tokens", "-1"],
  ["max-tokens", "1.5"],
  ["max-tokens", "many"],
])("%s=%s rejects the send and asks nothing", async (attribute, value) => {
  const model = createModel();
  const agent = show(`<ai-agent provider="openai" model="m" ${attribute}="${value}"></ai-agent>`);
  Object.assign(agent, { fetch: model.fetch, prompt: "Hello" });
  const heard = record(agent, "ai-agent:error", "ai-agent:loading-changed");
  await expect(agent.send()).rejects.toThrow(attribute === "temperature" ? "temperature must be" : "maxTokens must be");
  expect([model.requests, agent.messages, agent.error, heard]).toEqual([[], [], null, []]);
});

test("properties that were set before the element was defined hold", async () => {
  const model = createModel();
  const early = document.createElement("early-agent");
  const history = [
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
  ];
  Object.assign(early, { model: "m", fetch: model.fetch, prompt: "Three", messages: history, provider: "openai" });
  document.body.append(early);
  onTestFinished(() => early.remove());
  class EarlyAgent extends AiAgent {}
  customElements.define("early-agent", EarlyAgent);
  if (!(early instanceof EarlyAgent)) throw new Error("The element was not upgraded.");
  expect([early.getAttribute("model"), early.getAttribute("provider")]).toEqual(["m", "openai"]);
  const sending = early.send();
  const request = await model.next();
  expect(request.body.messages).toHaveLength(3);
  request.end("Four");
  expect(await sending).toBe("Four");
});

function refuse(): never {
  throw new Error("not built");
}
