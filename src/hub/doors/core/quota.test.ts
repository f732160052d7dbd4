import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { openStore } from "../../store/index.ts";
import { makeFolder } from "../../store/test-support/store-contract.test-helper.ts";
import { startCore } from "./core.test-helper.ts";
import { playModel, sayAlways, streamByHand } from "./model.test-helper.ts";
import type { TestModel } from "./model.test-helper.ts";

const page = { origin: shop };
const secret = "s".repeat(40);

afterEach(() => void vi.useRealTimers());

function ai({ fetch }: Pick<TestModel, "fetch">, quota: number) {
  return { provider: "openai", model: "m", apiKey: "sk-server", fetch, quota } as const;
}

/** Changes only the date; timers run as usual. */
function setDate(iso: string): void {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(iso) });
}

test("a principal that has used up today's tokens is refused, with the time of the reset", async () => {
  setDate("2026-11-21T22:00:00Z");
  const model = sayAlways("Hi.", 60);
  const hub = await startHub({ ai: ai(model, 100) });
  const client = await startCore(hub.url, page);
  await client.run("send", "one", {});
  await client.run("send", "two", {});
  const used = {
    code: "quota-exceeded",
    message:
      "Today's 100 tokens are used up. There are new ones from 2026-11-22, 00:00 UTC on. The hub's owner can allow more.",
  };
  await expect(client.run("send", "three", {})).rejects.toMatchObject(used);
  await expect((await startCore(hub.url, page)).run("send", "three", {})).rejects.toMatchObject(used);
  expect(model.requests).toHaveLength(2);
  vi.setSystemTime(new Date("2026-11-22T00:00:00Z"));
  expect(await client.run("send", "three", {})).toBe("Hi.");
});

test("a restarted hub remembers the tokens used today by each principal", async () => {
  const database = join(makeFolder(), "hub.db");
  const options = { jwt: { secret }, store: () => openStore({ database }), ai: ai(sayAlways("Hi.", 60), 50) };
  const hub = await startHub(options);
  const start = async (url: string, subject: string) => {
    const token = await signPageToken({ secret, subject });
    return startCore(url, { ...page, protocols: [`pagewire.bearer.${token}`] });
  };
  await (await start(hub.url, "ada")).run("send", "one", {});
  await hub.close();
  const again = await startHub(options);
  await expect((await start(again.url, "ada")).run("send", "two", {})).rejects.toMatchObject({
    code: "quota-exceeded",
  });
  expect(await (await start(again.url, "bob")).run("send", "two", {})).toBe("Hi.");
});

test("an answer of many rounds ends where the quota does", async () => {
  const model = playModel(() => ({ calls: [{ name: "again" }], tokens: 60 }));
  const again = { name: "again", description: "x", parameters: { type: "object" }, handler: () => "once more" };
  const hub = await startHub({ ai: { ...ai(model, 100), tools: [again] } });
  const client = await startCore(hub.url, page);
  expect(await client.run("send", "one", {})).toBeNull();
  expect(client.values["error"]).toMatchObject({
    status: 429,
    // The chat says the hub's words alone.
    body: expect.stringMatching(/100 tokens are used up.*"type":"pagewire"/) as string,
  });
  expect(model.requests).toHaveLength(2);
});

test.each([
  ["less than nothing", "-50", (tokens: number) => tokens > 10 && tokens < 1000],
  ["no number", '"many"', (tokens: number) => tokens > 10 && tokens < 1000],
  ["more than a number can be", "1e999", (tokens: number) => tokens > 10 && tokens < 1000],
  ["more than there can be", "1e300", (tokens: number) => tokens === 1_000_000_000],
  ["a part of a token", "10.5", (tokens: number) => tokens === 11],
])("of a model server that reports %s, a whole number of tokens is counted", async (_, count, isRight) => {
  const text = JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(80) }, finish_reason: "stop" }] });
  const usage = `{"prompt_tokens":${count},"completion_tokens":${count},"total_tokens":${count}}`;
  const body = `data: ${text}\n\ndata: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`;
  const headers = { "Content-Type": "text/event-stream" };
  const database = join(makeFolder(), "hub.db");
  const store = () => openStore({ database });
  const hub = await startHub({
    store,
    ai: ai(
      playModel(() => new Response(body, { headers })),
      2_000_000_000,
    ),
  });
  const client = await startCore(hub.url, page);
  expect(await client.run("send", "z".repeat(80), {})).toBe("x".repeat(80));
  const tokens = (await hub.metric("pagewire_model_tokens_total")) ?? 0;
  expect(tokens).toSatisfy(isRight);
  await hub.close();
  const kept = await store();
  const today = new Date().toISOString().slice(0, 10);
  expect(await kept.tokens("local", today)).toBe(tokens);
  await kept.close();
});

test("an answer whose connection breaks in the middle counts what was asked and written until then", async () => {
  const live = streamByHand();
  const hub = await startHub({ ai: ai({ fetch: playModel(() => live.response).fetch }, 100_000) });
  const client = await startCore(hub.url, page);
  const answer = client.run("send", "z".repeat(400), {});
  live.say({ choices: [{ index: 0, delta: { content: "x".repeat(8000) } }] });
  await client.until(({ content }) => String(content).length === 8000);
  live.fail();
  expect(await answer).toBeNull();
  expect(await hub.metric("pagewire_model_tokens_total")).toBeGreaterThanOrEqual(2100);
});

test("an answer that was stopped counts, and one that the provider refused does not", async () => {
  const model = playModel((_, round) => {
    if (round < 5) return new Response("{}", { status: 500 });
    return { text: "x".repeat(400), waits: new Promise(() => {}) };
  });
  const hub = await startHub({ ai: ai(model, 100) });
  const client = await startCore(hub.url, page);
  for (let round = 0; round < 5; round++) await client.run("send", "y".repeat(400), {});
  const answer = client.run("send", "z", {});
  await client.until(({ content }) => content !== "");
  await client.run("abort");
  await answer;
  await expect(client.run("send", "more", {})).rejects.toMatchObject({ code: "quota-exceeded" });
});

test("an image is not counted by its bytes if the provider reports no tokens", async () => {
  const model = playModel(() => ({ text: "A cat.", waits: new Promise(() => {}) }));
  const hub = await startHub({ ai: ai(model, 5000) });
  const client = await startCore(hub.url, page);
  const image = { type: "image", url: `data:image/png;base64,${"A".repeat(1_000_000)}` };
  const answer = client.run("send", [image], {});
  await client.until(({ content }) => content === "A cat.");
  await client.run("abort");
  await answer;
  expect(await hub.metric("pagewire_model_tokens_total")).toBeLessThan(2000);
});

test("answers, tokens and conversations are counted, and logged without their contents", async () => {
  const model = playModel((_, round) =>
    round === 0 ? { text: "canary-answer", tokens: 7 } : new Response("canary", { status: 500 }),
  );
  const hub = await startHub({ ai: ai(model, 100) });
  const client = await startCore(hub.url, page);
  await client.run("send", "canary-question", {});
  await client.run("send", "canary-question", {});
  client.say({ type: "canary-message" });
  await expect(client.run("send", "x", { system: "canary-system" })).rejects.toThrow();
  expect(await hub.metric("pagewire_conversations")).toBe(1);
  expect(await hub.metric("pagewire_answers_in_flight")).toBe(0);
  expect(await hub.metric('pagewire_answers_total{outcome="done"}')).toBe(1);
  expect(await hub.metric('pagewire_answers_total{outcome="failed"}')).toBe(1);
  expect(await hub.metric("pagewire_model_tokens_total")).toBe(7);
  expect(hub.records).toContainEqual(expect.objectContaining({ event: "core-connected", origin: shop }));
  expect(hub.records).toContainEqual(
    expect.objectContaining({ event: "model-answered", isDone: true, tokens: 7, model: "m", ms: expect.any(Number) }),
  );
  expect(JSON.stringify(hub.records)).not.toMatch(/canary|sk-server/);
});

test.each([
  ["text", (text: string) => ({ content: text })],
  ["thoughts", (text: string) => ({ reasoning_content: text })],
  ["arguments", (text: string) => ({ tool_calls: [{ index: 0, id: "c", function: { name: "x", arguments: text } }] })],
])("%s of a stopped answer that came after the provider's last count are counted", async (_, deltaOf) => {
  const live = streamByHand();
  const model = playModel(() => live.response);
  const tool = { name: "x", description: "x", parameters: { type: "object" }, handler: () => "" };
  const hub = await startHub({ ai: { ...ai(model, 1000), tools: [tool] } });
  const client = await startCore(hub.url, page);
  const answer = client.run("send", "z", {});
  live.say({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } });
  await client.until(({ usage }) => usage !== null);
  live.say({ choices: [{ index: 0, delta: deltaOf("x".repeat(8000)) }] });
  await client.until(
    ({ content, reasoning, toolCalls }) => JSON.stringify([content, reasoning, toolCalls]).length > 8000,
  );
  await client.run("abort");
  await answer;
  await expect(client.run("send", "more", {})).rejects.toMatchObject({ code: "quota-exceeded" });
});

test("what a client calls the model that the rehearsal plays is not in the log", async () => {
  const hub = await startHub();
  const client = await startCore(hub.url, page);
  expect(await client.run("send", "Hello", { model: "canary-model" })).toContain("rehearsal");
  expect(hub.records).toContainEqual(expect.objectContaining({ event: "model-answered", model: "rehearsal" }));
  expect(JSON.stringify(hub.records)).not.toContain("canary");
});
