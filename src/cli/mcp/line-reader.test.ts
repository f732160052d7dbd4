import { expect, test } from "vitest";
import { createLineReader } from "./serve-client.ts";
import { idOfLongRequest } from "./message.ts";

/** The lines read from these chunks. */
function read(chunks: Iterable<Uint8Array | string>, longest = 1000): readonly string[] {
  const seen: string[] = [];
  const reader = createLineReader({
    longest,
    onLine: (line) => seen.push(line),
    onNotText: () => seen.push("not text"),
    onTooLong: (begin, end) => seen.push(`too long: ${begin}...${end}`),
  });
  for (const chunk of chunks) reader.read(Buffer.from(chunk as string));
  return seen;
}

test("lines are whole however their bytes were split, even within a character", () => {
  const text = '{"a":"Grüße 世界 🎈"}\r\n\n  \n{"b":1}\nunfinished';
  const bytes = Buffer.from(text);
  const expected = ['{"a":"Grüße 世界 🎈"}', '{"b":1}'];
  expect(read([bytes])).toEqual(expected);
  expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
  }
});

test("a byte order mark is not part of the first line", () => {
  expect(read(['\u{feff}{"a":1}\n'])).toEqual(['{"a":1}']);
});

test("a line that is not UTF-8 is refused, and the next one is read", () => {
  expect(read([Uint8Array.of(0x22, 0xc3, 0x22, 0x0a), "next\n"])).toEqual(["not text", "next"]);
});

test("a line of the longest size is read, and one byte more is not", () => {
  expect(read(["x".repeat(10), "\n", "x".repeat(11), "\nnext\n"], 10)).toEqual([
    "x".repeat(10),
    `too long: ${"x".repeat(11)}...${"x".repeat(11)}`,
    "next",
  ]);
});

test("only the ends of an oversized line are kept, while it arrives and afterwards", () => {
  const chunks = ["begin", ...Array.from({ length: 5000 }, () => "-"), "end", "\nnext\n"];
  const [refused = "", next] = read(chunks, 100);
  expect(refused).toMatch(/^too long: begin-+\.\.\.-+end$/);
  expect(refused.length).toBeLessThan(1100);
  expect(next).toBe("next");
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{', "}}", 7],
  ['{ "id" : "a b" , "method" : "tools/call", "params":', "}", "a b"],
  ['{"method":"tools/call","params":{"id":1', '"}},"jsonrpc":"2.0","id":-3}', -3],
  ['{"method":"tools/call","params":{', '},"id":"x","jsonrpc":"2.0"}\r', "x"],
])("of a request that begins with %s and ends with %s the id is known", (begin, end, id) => {
  expect(idOfLongRequest(begin, end)).toBe(id);
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{', "}}"],
  ['{"result":{"method":1', '},"jsonrpc":"2.0","id":7}'],
  ['{"method":"tools/call","params":{', '"id":7}}'],
  ['{"method":"tools/call","params":"', '\\"id\\":7}"}'],
  ['{"method":"tools/call","params":{', '},"id":007}'],
  ['{"method":"tools/call","params":{', '},"id":"\\x"}'],
  ["xxxxxx", "xxxxxx"],
])("of what begins with %s and ends with %s no id is made up", (begin, end) => {
  expect(idOfLongRequest(begin, end)).toBeUndefined();
});
