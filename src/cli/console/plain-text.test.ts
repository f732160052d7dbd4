import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, oneLine, plainText } from "./plain-text.ts";

test("CL7: of others' text lines and tabs are kept, and what would control a terminal is not", () => {
  expect(plainText("a\tb\r\nc\u001b[2J\u009b31m\u0007\u202ed")).toBe("a\tb\nc\u{fffd}[2J\u{fffd}31m\u{fffd}\u{fffd}d");
});

test("CL7: text on one line is one line, cut where it is too long", () => {
  expect(oneLine("  a\n\tb  ")).toBe("a b");
  expect(oneLine("🦊🦊🦊🦊", 3)).toBe("🦊🦊…");
  expect(oneLine("abc", 3)).toBe("abc");
});

test("CL7: JSON holds the same value, and nothing that a terminal would obey", () => {
  // oxlint-disable-next-line no-control-regex -- these must not be there
  const controls = /[\u0000-\u001f\u007f-\u009f]/;
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const json = jsonText({ value, text });
      expect(json).not.toMatch(controls);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })));
    }),
  );
});
