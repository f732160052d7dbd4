import { expect, test, vi } from "vitest";
import { createConversation, holdTime, nextEvent, record, settled } from "./model.test-helper.ts";
import type { ModelRequest } from "./model.test-helper.ts";

const failing = (status: number, headers: Record<string, string> = {}) => new Response("", { status, headers });

async function pass(time: number): Promise<void> {
  await settled();
  vi.advanceTimersByTime(time);
  await settled();
}

test("nothing is tried again unless it is asked for", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).respond(failing(503));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status: 503 });
  expect(model.requests).toHaveLength(1);
});

const passing: [string, (request: ModelRequest) => void][] = [
  ["408", (request) => request.respond(failing(408))],
  ["429", (request) => request.respond(failing(429))],
  ["500", (request) => request.respond(failing(500))],
  ["529", (request) => request.respond(failing(529))],
  ["no connection", (request) => request.fail(new TypeError("fetch failed"))],
  [
    "a stream that ends before it says anything",
    (request) => {
      request.stream();
      request.close();
    },
  ],
  ["an overload in the stream", (request) => request.stream({ error: { status: 529, statusText: "", body: "" } })],
];

test.each(passing)("with retries, %s is tried again, and the user sees none of it", async (_, fail) => {
  holdTime();
  const { core, model, send } = createConversation({ retries: 1 });
  const heard = record(core, "error", "messages-changed", "loading-changed");
  const answer = send();
  fail(await model.next());
  await pass(500);
  const second = await model.next();
  expect(core.streaming).toBe(false);
  second.finish({ delta: "Hi." });
  expect(await answer).toBe("Hi.");
  expect(heard.map(([name]) => name)).toEqual([
    "loading-changed",
    "messages-changed",
    "messages-changed",
    "loading-changed",
  ]);
});

test.each([400, 401, 404, 422])("status %i is not tried again", async (status) => {
  const { core, model, send } = createConversation({ retries: 3 });
  const answer = send();
  (await model.next()).respond(failing(status));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status });
});

test("nor is a request that a provider refuses to build, or an answer that had started to arrive", async () => {
  const { core, model, send } = createConversation({ retries: 3 });
  const answer = send();
  const request = await model.next();
  request.stream({ delta: "Hm" });
  await nextEvent(core, "content-changed");
  request.close();
  expect(await answer).toBeNull();
  const { provider } = core;
  core.provider = {
    ...Object(provider),
    buildRequest: () => {
      throw new Error("No.");
    },
  };
  expect(await send()).toBeNull();
  expect(core.error).toMatchObject({ message: "No." });
  expect(model.requests).toHaveLength(1);
});

test("the wait doubles up to its longest, and the last failure is the error", async () => {
  holdTime();
  const { core, model, send } = createConversation({ retries: { attempts: 4, delay: 100, maxDelay: 300 } });
  const answer = send();
  for (const wait of [100, 200, 300, 300]) {
    (await model.next()).respond(failing(500));
    const before = model.requests.length;
    await pass(wait - 1);
    expect(model.requests).toHaveLength(before);
    await pass(1);
    expect(model.requests).toHaveLength(before + 1);
  }
  (await model.next()).respond(failing(503));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status: 503 });
});

test.each([["7"], ["Sun, 22 Nov 2026 06:00:07 GMT"]])("Retry-After %j is waited for", async (header) => {
  holdTime("2026-11-22T06:00:00Z");
  const { model, send } = createConversation({ retries: 1 });
  const answer = send();
  (await model.next()).respond(failing(429, { "Retry-After": header }));
  await pass(6999);
  expect(model.requests).toHaveLength(1);
  await pass(1);
  (await model.next()).finish({ delta: "Hi." });
  expect(await answer).toBe("Hi.");
});

test("one that is longer than the longest wait ends the retries", async () => {
  const { core, model, send } = createConversation({ retries: 3 });
  const answer = send();
  (await model.next()).respond(failing(429, { "Retry-After": "31" }));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status: 429, retryAfter: 31 });
});

test("abort during a wait ends the send at once", async () => {
  holdTime();
  const { core, model, send } = createConversation({ retries: 3 });
  const answer = send();
  (await model.next()).respond(failing(500));
  await settled();
  core.abort();
  expect(await answer).toBeNull();
  expect(core.error).toBeNull();
  await settled();
  expect(vi.getTimerCount()).toBe(0);
  expect(model.requests).toHaveLength(1);
});

test("retries of 0 are none, and leave the other options as they are", async () => {
  const { core, model, send } = createConversation({ retries: 0, responseSchema: {} });
  const answer = send();
  (await model.next()).finish({ delta: "{}" });
  await answer;
  expect(core.object).toEqual({});
});
