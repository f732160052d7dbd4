import type { Message } from "./json.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchBytes, batchFrames, createBatch, splitBatch } from "./batch.ts";

function createTestBatch() {
  const sent: Message[] = [];
  return { sent, ...createBatch((message) => sent.push(message)) };
}

const framesIn = (messages: readonly Message[]) =>
  messages.flatMap<Message>((message) => (typeof message === "string" ? splitBatch(message) : [message]));

test("W43: frames are split in order and unchanged", () => {
  const frame = fc.record({ type: fc.string(), id: fc.string() }).map((header) => JSON.stringify(header));
  const payload = fc.json().map((json) => `{"type":"result"}\n${json}`);
  const long = fc.integer({ min: 16_380, max: 16_400 }).map((length) => `{"type":"log"}\n"${"x".repeat(length)}"`);
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 8, arbitrary: fc.oneof(frame, payload) }, long)), (frames) => {
      const { add, flush, sent } = createTestBatch();
      for (const each of frames) add(each);
      flush();
      expect(framesIn(sent)).toEqual(frames);
    }),
  );
});

test("W43: a single queued frame is sent unchanged, and an empty batch sends nothing", () => {
  const { add, flush, sent } = createTestBatch();
  flush();
  add('{"type":"ack"}');
  flush();
  expect(sent).toEqual(['{"type":"ack"}']);
});

test("W43: a message holds at most 256 frames", () => {
  const { add, flush, sent } = createTestBatch();
  const frames = Array.from({ length: 2 * batchFrames + 1 }, (_, index) => `{"type":"ack","id":"${index}"}`);
  for (const frame of frames) add(frame);
  flush();
  expect(framesIn(sent)).toEqual(frames);
  expect(sent.map((message) => splitBatch(message as string).length)).toEqual([batchFrames, batchFrames, 1]);
});

test("W43: a message of several frames has at most 256 KiB, also in characters of three bytes each", () => {
  const { add, flush, sent } = createTestBatch();
  for (let count = 0; count < 100; count++) add(`{"type":"log"}\n"${"語".repeat(16_000)}"`);
  flush();
  expect(framesIn(sent)).toHaveLength(100);
  for (const message of sent) expect(new TextEncoder().encode(message as string).length).toBeLessThan(batchBytes);
});

test("W43: a message with more frames than allowed is not split, and one at the limit is", () => {
  const tooMany = "\x1e{}".repeat(batchFrames + 1);
  expect(splitBatch(tooMany)).toEqual([tooMany]);
  expect(splitBatch(tooMany.slice(3))).toEqual(Array(batchFrames).fill("{}"));
});

test("W44: a frame in bytes or with the separator in it is sent alone and keeps its place", () => {
  const smuggled = '{"type":"call"}\n{"note":"\x1e{\\"type\\":\\"cancel\\"}"}';
  const bytes = new Uint8Array([123, 125]);
  const { add, flush, sent } = createTestBatch();
  for (const frame of ['{"a":1}', smuggled, '{"b":2}', bytes, '{"c":3}', '{"d":4}']) add(frame);
  flush();
  expect(sent).toEqual(['{"a":1}', smuggled, '{"b":2}', bytes, '\x1e{"c":3}\x1e{"d":4}']);
  expect(framesIn(sent)).toEqual(['{"a":1}', smuggled, '{"b":2}', bytes, '{"c":3}', '{"d":4}']);
});
