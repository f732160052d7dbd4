import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeText, sizeOf, splitText } from "./codec.ts";

const text = fc.string({ unit: "binary" });

test("W1: header, newline and payload", () => {
  expect(encodeText({ type: "call", id: "1" }, '{ "a": 1 }\n')).toBe('{"type":"call","id":"1"}\n{ "a": 1 }\n');
  expect(encodeText({ type: "heartbeat" })).toBe('{"type":"heartbeat"}');
});

test("W1: any header and any text payload are split as they were joined", () => {
  fc.assert(
    fc.property(fc.object(), text, (header, payload) => {
      const parts = splitText(encodeText(header, payload));
      expect(parts).toEqual({ line: JSON.stringify(header), payload });
    }),
  );
});

test("the size of a message is never overestimated, and at least a third of the real one", () => {
  fc.assert(
    fc.property(text, (given) => {
      const bytes = new TextEncoder().encode(given);
      expect(sizeOf(bytes)).toBe(bytes.length);
      expect(sizeOf(given)).toBeLessThanOrEqual(bytes.length);
      expect(sizeOf(given) * 3).toBeGreaterThanOrEqual(bytes.length);
    }),
  );
});
