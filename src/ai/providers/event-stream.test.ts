import { expect, test } from "vitest";
import { chunkStreamOf, converseStreamOf, encodeFrame, exceptionFrame } from "../event-stream.test-helper.ts";
import { asServerSentEvents } from "./event-stream.ts";

const headers = { "Content-Type": "application/vnd.amazon.eventstream" };

function streamOf(pieces: readonly Uint8Array[]): Response {
  return asServerSentEvents(new Response(new Blob(pieces.map((piece) => new Uint8Array(piece))).stream(), { headers }));
}

test("a frame is an event with its name; one in base64 is the event that it holds", async () => {
  const response = streamOf([
    converseStreamOf([["messageStart", { role: "assistant" }]]),
    chunkStreamOf([{ type: "message_start", text: "ünïcödé" }]),
  ]);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(await response.text()).toBe(
    'event: messageStart\ndata: {"role":"assistant","p":"abcdefgh"}\n\n' +
      'event: message_start\ndata: {"type":"message_start","text":"ünïcödé"}\n\n',
  );
});

test.each([
  ["throttlingException", 429],
  ["modelStreamErrorException", 424],
  ["serviceUnavailableException", 503],
  ["internalServerException", 500],
  ["newException", undefined],
])("%s is an error with the status %s", async (type, code) => {
  const text = await streamOf([exceptionFrame(type, "Slow down.")]).text();
  expect(text).toMatch(/^event: error\ndata: /);
  const found = JSON.parse(text.split("data: ")[1] ?? "") as { error: object };
  expect(found.error).toEqual({ type, message: "Slow down.", ...(code && { code }) });
});

test("a failure without a body says what its headers say", async () => {
  const failed = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "Broken." };
  expect(await streamOf([encodeFrame(failed, "")]).text()).toContain(
    '{"error":{"type":"InternalError","message":"Broken."}}',
  );
});

test("headers of other types than text are passed over", async () => {
  // A name of one letter each, then the type: true, a byte, an integer, bytes, a timestamp, a UUID.
  const more = Buffer.concat([
    Buffer.from([1, 97, 0, 1, 98, 2, 9, 1, 99, 4, 0, 0, 0, 9, 1, 100, 6, 0, 2, 9, 9, 1, 101, 8]),
    Buffer.alloc(8),
    Buffer.from([1, 102, 9]),
    Buffer.alloc(16),
  ]);
  const event = { ":message-type": "event", ":event-type": "metadata" };
  expect(await streamOf([encodeFrame(event, "{}", more)]).text()).toBe("event: metadata\ndata: {}\n\n");
});

test("a damaged frame, and one that is too large, end the stream with an error", async () => {
  const whole = converseStreamOf([["messageStart", { role: "assistant" }]]);
  for (let at = 0; at < whole.length; at++) {
    const damaged = new Uint8Array(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await expect(streamOf([damaged]).text()).rejects.toThrow("The event stream is damaged.");
  }
  const { crc32 } = await import("node:zlib");
  const large = Buffer.alloc(16);
  large.writeUInt32BE(0x7fff_ffff, 0);
  large.writeUInt32BE(crc32(large.subarray(0, 8)), 8);
  await expect(streamOf([large]).text()).rejects.toThrow("The event stream has a frame of 2147483647 bytes.");
});

test("a response of another type stays as it is", () => {
  const response = Response.json({});
  expect(asServerSentEvents(response)).toBe(response);
});
