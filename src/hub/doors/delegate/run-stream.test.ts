import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand, plainResult } from "../../test-support/page.test-helper.ts";
import { delegate, openBoth, openStream, sayChunk, toldIn } from "./delegate.test-helper.ts";
import { watchSilence } from "./run-stream.ts";

const done = { type: "done", result: { status: "ok", result: "done" } };

test("DL21: the pieces of an answer come as lines, each at once, and the answer last", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  for (const prefix of ["/api", "/api/v1"]) {
    const opening = openStream(hub, terminal, { prefix });
    const { id } = await page.nextCall();
    page.ack(id);
    sayChunk(page, id, "one");
    const stream = await opening;
    expect([stream.response.statusCode, stream.response.headers["content-type"]]).toEqual([
      200,
      "application/x-ndjson",
    ]);
    expect(await stream.next()).toEqual({ type: "chunk", delta: "one" });
    // The next chunk is sent when this one has been read: nothing is buffered for more.
    for (const [said, delta] of [
      ["ä𝄞\n", "ä𝄞\n"],
      [{ n: 1 }, '{"n":1}'],
      ["", ""],
      [null, "null"],
    ] as const) {
      sayChunk(page, id, said);
      expect(await stream.next()).toEqual({ type: "chunk", delta });
    }
    page.send({ type: "log", id, level: "info", logger: "other" }, '"not a piece"');
    page.result(id, plainResult);
    expect(await stream.next()).toEqual(done);
    expect(await stream.next()).toBeUndefined();
  }
});

test("DL21: of very many pieces none is left out, and their order stays", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  const count = 5000;
  for (let n = 0; n < count; n++) sayChunk(page, id, `${n} `);
  page.result(id, plainResult);
  const stream = await opening;
  for (let n = 0; n < count; n++) expect((await stream.next())?.["delta"]).toBe(`${n} `);
  expect(await stream.next()).toEqual(done);
});

test("DL21: the result of a stream has the fields that it would have as a whole", async () => {
  const hub = await startHub();
  const fields = { content: [], structuredContent: { status: 200, body: "x" }, _meta: { "pagewire/fields": true } };
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  page.result((await page.nextCall()).id, JSON.stringify(fields));
  expect(await (await opening).next()).toEqual({ type: "done", result: { status: 200, body: "x" } });
});

test("DL22: what fails before the first line is answered as a whole, and later as the last line", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const failure =
    '{"isError":true,"content":[{"type":"text","text":"No."}],"_meta":{"pagewire/code":"action-refused"}}';
  const early = delegate(hub, terminal, { path: "/stream" });
  page.result((await page.nextCall()).id, failure);
  expect(toldIn(await early)).toEqual([502, "action-refused", "No."]);
  expect((await early).headers["content-type"]).toBe("application/json");
  for (const fields of [{ action: "none" }, { browser_id: "x" }])
    expect((await delegate(hub, terminal, { path: "/stream", fields })).status).toBe("action" in fields ? 502 : 403);

  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "one");
  const stream = await opening;
  await stream.next();
  page.result(id, failure);
  expect(await stream.next()).toEqual({
    type: "error",
    error: "No.",
    code: "action-refused",
    outcome: "tool-error",
    ran: "yes",
  });
  expect(await stream.next()).toBeUndefined();
});

test("DL22: a tab that is lost in the middle of a stream ends it", async () => {
  const hub = await startHub({ limits: { graceTime: 20 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  page.ack(id);
  sayChunk(page, id, "one");
  const stream = await opening;
  await stream.next();
  page.socket.terminate();
  expect(await stream.next()).toMatchObject({ type: "error", code: "outcome-unknown", ran: "maybe" });
});

test("DL23: progress is sent to programs that ask for it", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const say = (id: string) => {
    page.send({ type: "progress", id, progress: 1, total: 2, message: "half" });
    page.send({ type: "progress", id, progress: 2 });
    page.result(id, plainResult);
  };
  const asked = openStream(hub, terminal, { headers: { "Pagewire-Progress": "1" } });
  say((await page.nextCall()).id);
  const stream = await asked;
  expect(await stream.next()).toEqual({ type: "progress", progress: 1, total: 2, message: "half" });
  expect(await stream.next()).toEqual({ type: "progress", progress: 2 });
  expect(await stream.next()).toEqual(done);
  const plain = openStream(hub, terminal);
  say((await page.nextCall()).id);
  expect(await (await plain).next()).toEqual(done);
});

const saying = (text: string, count: unknown) =>
  JSON.stringify({ content: [{ type: "text", text }], _meta: { "pagewire/chunks": count } });

test("DL38: a stream with lost chunks ends with an error about them", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "one");
  sayChunk(page, id, "three");
  page.result(id, saying("all", 3));
  const stream = await opening;
  expect([await stream.next(), await stream.next()].map((line) => line?.["delta"])).toEqual(["one", "three"]);
  expect(await stream.next()).toEqual({
    type: "error",
    error: expect.stringContaining("1 of 3"),
    code: "pieces-lost",
    outcome: "tool-error",
    ran: "yes",
  });
  expect(await stream.next()).toBeUndefined();
  const nothing = delegate(hub, terminal, { path: "/stream" });
  page.result((await page.nextCall()).id, saying("all", 2));
  expect(toldIn(await nothing)).toEqual([502, "pieces-lost", expect.stringContaining("2 of 2")]);
});

test("DL38: the count of pieces is in no answer, and what is no count is none", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  for (const count of [1, 0, -1, "2", null, {}, 0.5]) {
    const opening = openStream(hub, terminal);
    const { id } = await page.nextCall();
    sayChunk(page, id, "one");
    page.result(id, saying("all", count));
    const stream = await opening;
    expect(await stream.next()).toEqual({ type: "chunk", delta: "one" });
    expect(await stream.next()).toEqual({ type: "done", result: { status: "ok", result: "all" } });
  }
  const whole = delegate(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "one");
  page.result(id, saying("all", 1));
  expect((await whole).json).toEqual({ cmd: "browser_response", id, status: "ok", result: "all" });
});

test("DL38: under the same key there is the result again, marked as such, without its pieces", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const headers = { "Idempotency-Key": "one" };
  const opening = openStream(hub, terminal, { headers });
  const { id } = await page.nextCall();
  sayChunk(page, id, "one");
  page.result(id, saying("all", 1));
  const first = await opening;
  for (const type of ["chunk", "done"]) expect(await first.next()).toMatchObject({ type });
  const again = await openStream(hub, terminal, { headers });
  expect(await again.next()).toEqual({ type: "done", result: { status: "ok", result: "all", replay: true } });
});

test("DL24: a stream whose tab falls silent ends, and so does its call", async () => {
  const hub = await startHub({ limits: { delegateTime: 3000 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const silent = delegate(hub, terminal, { path: "/stream" });
  const first = await page.nextCall();
  expect(toldIn(await silent)).toMatchObject([502, "deadline-exceeded", expect.stringContaining("did not respond")]);
  expect((await page.next("cancel")).frame.id).toBe(first.id);
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "one");
  const stream = await opening;
  await stream.next();
  expect(await stream.next()).toMatchObject({ type: "error", code: "deadline-exceeded", outcome: "deadline-exceeded" });
  expect((await page.next("cancel")).frame.id).toBe(id);
});

test("DL24: any sign of life resets the silence timeout", async () => {
  const clock = createFakeClock();
  let silences = 0;
  const watch = watchSilence(clock, 100, () => silences++);
  for (let n = 0; n < 50; n++) {
    await clock.advance(99);
    watch.reset();
  }
  expect(silences).toBe(0);
  await clock.advance(99);
  expect(silences).toBe(0);
  await clock.advance(1);
  expect([silences, clock.pending]).toEqual([1, 0]);
  const stopped = watchSilence(clock, 100, () => silences++);
  await clock.advance(50);
  stopped.stop();
  await clock.advance(1000);
  expect([silences, clock.pending]).toEqual([1, 0]);
});

test("DL24: a stream that goes on for longer than any call may take ends", async () => {
  const hub = await startHub({ limits: { callTimeMost: 3000 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal, { headers: { "Pagewire-Timeout": "60" } });
  const { id, left } = await page.nextCall();
  expect(left).toBeLessThanOrEqual(3000);
  sayChunk(page, id, "one");
  const stream = await opening;
  await stream.next();
  expect(await stream.next()).toMatchObject({ type: "error", code: "deadline-exceeded" });
});

test("DL25: a program that does not read its stream is disconnected, and its call is cancelled", async () => {
  const hub = await startHub({ limits: { queuedBytes: 1024 * 1024 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "first");
  const stream = await opening;
  stream.response.pause();
  const cancelled = page.next("cancel");
  let isOver = false;
  void cancelled.then(() => (isOver = true));
  let pieces = 0;
  while (!isOver && pieces < 2000) {
    sayChunk(page, id, "x".repeat(64 * 1024));
    pieces++;
    await page.settled();
  }
  expect((await cancelled).frame.id).toBe(id);
  stream.sent.destroy();
  expect(await hub.metric("pagewire_calls_in_flight")).toBe(0);
  recordFault("hub", {
    fault: "A program in a terminal that does not read the stream that it asked for",
    expected: "hung up on at queuedBytes, the call cancelled",
    observed: "hung up on at queuedBytes, the call cancelled",
    count: 1,
  });
});

test("DL25: a program that leaves its stream unread for too long is disconnected", async () => {
  const hub = await startHub({ limits: { requestTime: 2000 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const opening = openStream(hub, terminal);
  const { id } = await page.nextCall();
  sayChunk(page, id, "first");
  const stream = await opening;
  stream.response.pause();
  for (let n = 0; n < 200; n++) sayChunk(page, id, "x".repeat(64 * 1024));
  expect((await page.next("cancel")).frame.id).toBe(id);
  stream.sent.destroy();
});
