import { expect, test, vi } from "vitest";
import { createConversation, holdTime } from "./model.test-helper.ts";

test("an HTTP error resolves to null, undoes the turn, and is told as it came", async () => {
  const { core, model, send } = createConversation();
  const answer = send("Hello");
  (await model.next()).respond(new Response('{"error":"no"}', { status: 401, statusText: "Unauthorized" }));
  expect(await answer).toBeNull();
  expect(core.error).toEqual({ status: 401, statusText: "Unauthorized", body: '{"error":"no"}' });
  expect(core.messages).toEqual([]);
  expect([core.loading, core.streaming]).toEqual([false, false]);
  const again = send("Hello");
  expect(core.error).toBeNull();
  (await model.next()).finish({ delta: "Hi." });
  expect(await again).toBe("Hi.");
});

test("an error whose body does not end is reported with the part that arrived in time", async () => {
  holdTime();
  const { core, model, send } = createConversation();
  const answer = send("Hello");
  const request = await model.next();
  await new Promise<void>((resolve) => {
    const start = (stream: ReadableStreamDefaultController) => stream.enqueue(new TextEncoder().encode("overloa"));
    request.respond(new Response(new ReadableStream({ start, pull: () => resolve() }), { status: 529 }));
  });
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status: 529, body: "overloa" });
});

test("of an error whose body is endless only the beginning is read", async () => {
  const { core, model, send } = createConversation();
  const answer = send("Hello");
  const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(10_000).fill(97)) });
  (await model.next()).respond(new Response(body, { status: 500 }));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ status: 500, body: expect.stringMatching(/^a{65536,90000}$/) });
});

const inFiveSeconds = "Sun, 22 Nov 2026 06:00:05 GMT";

test.each([
  ["7", 7],
  [" 0 ", 0],
  ["1.5", 1.5],
  [inFiveSeconds, 5],
  ["Sun, 22 Nov 2026 05:00:00 GMT", undefined],
  ["soon", undefined],
  ["", undefined],
])("Retry-After %j is %j seconds", async (header, seconds) => {
  holdTime("2026-11-22T06:00:00Z");
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).respond(new Response("", { status: 529, headers: header ? { "Retry-After": header } : {} }));
  await answer;
  expect(core.error).toEqual({
    status: 529,
    statusText: "",
    body: "",
    ...(seconds !== undefined && { retryAfter: seconds }),
  });
});
