import fc from "fast-check";
import { expect, test } from "vitest";
import { createSseParser } from "./sse.ts";

function readPieces(pieces: readonly string[], limit?: number): (readonly [string | undefined, string])[] {
  const events: (readonly [string | undefined, string])[] = [];
  const parser = createSseParser((event, data) => events.push([event, data]), limit);
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return events;
}

const stream = [
  "\uFEFF: a comment first",
  "event: message_start",
  'data: {"a":1}',
  "",
  ":",
  ": keep-alive",
  "",
  "id: 7",
  "retry: 10",
  "data:no space",
  "data:  two spaces",
  "data",
  "",
  "event: without data",
  "",
  "data: “ünïcödé” 🎈",
  "",
  "database: another field",
  "data: [DONE]",
  "",
  "",
];
const events = [
  ["message_start", '{"a":1}'],
  [undefined, "no space\n two spaces\n"],
  [undefined, "“ünïcödé” 🎈"],
  [undefined, "[DONE]"],
];

test("events have their name and their data; comments, other fields and a byte order mark say nothing", () => {
  expect(readPieces([stream.join("\n")])).toEqual(events);
});

test.each([
  ["a line feed", "\n"],
  ["a carriage return", "\r"],
  ["both", "\r\n"],
])("lines end with %s, and the stream may be cut anywhere", (_, ending) => {
  const bytes = new TextEncoder().encode(stream.join(ending));
  for (const size of [1, 2, 3, 5, 17]) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      pieces.push(decoder.decode(bytes.subarray(at, at + size), { stream: true }));
    }
    expect(readPieces(pieces)).toEqual(events);
  }
});

test("where a stream is cut makes no difference", () => {
  const line = fc.oneof(
    fc.constantFrom("", "data", "data:", "event: a", ": comment"),
    fc.string({ unit: fc.constantFrom("a", ":", " ") }).map((text) => `data:${text}`),
  );
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(fc.array(fc.tuple(line, ending)), fc.array(fc.nat(9)), (lines, cuts) => {
      const text = lines.flat().join("");
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) pieces.push(text.slice(at, (at += cut)));
      expect(readPieces([...pieces, text.slice(at)])).toEqual(readPieces([text]));
    }),
  );
});

test("the last event counts where nothing ended it", () => {
  expect(readPieces(["data: 1\n\ndata: 2"])).toEqual([
    [undefined, "1"],
    [undefined, "2"],
  ]);
  expect(readPieces(["event: a\ndata: 1\n"])).toEqual([["a", "1"]]);
  expect(readPieces(["event: a"])).toEqual([]);
});

test("an event is given as soon as its blank line came", () => {
  const seen: string[] = [];
  const parser = createSseParser((_, data) => seen.push(data));
  parser.push("data: 1\r\n\r");
  expect(seen).toEqual(["1"]);
  parser.push("\ndata: 2\r\n\r\n");
  expect(seen).toEqual(["1", "2"]);
});

test("an event of a megabyte that comes byte by byte is one event", () => {
  const text = `data: ${"x".repeat(1 << 20)}\n\n`;
  expect(readPieces(text.match(/[^]/g) ?? [])).toEqual([[undefined, "x".repeat(1 << 20)]]);
});

test("an event beyond the limit ends the stream with an error that names the limit", () => {
  const parser = createSseParser(() => {}, 100);
  parser.push(`data: ${"x".repeat(80)}`);
  expect(() => parser.push("x".repeat(30))).toThrow("more than 100 characters (sseEventLimit)");
  const lines = createSseParser(() => {}, 100);
  for (let line = 0; line < 9; line++) lines.push("data: 0123456789\n");
  expect(() => lines.push("data: 0123456789\n")).toThrow("sseEventLimit");
  expect(
    readPieces(
      Array.from({ length: 99 }, () => "data: 0123456789\n\n"),
      100,
    ),
  ).toHaveLength(99);
});
