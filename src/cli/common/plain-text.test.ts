import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, oneLine, plainText } from "./plain-text.ts";

test("CL7: of others' text lines and tabs are kept; what would control a terminal, or is not to be seen, is written by its number", () => {
  expect(plainText("a\tb\r\nc\u001b[2J\u009b31m\u0007\u202ed")).toBe("a\tb\nc⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+0007⟩⟨U+202E⟩d");
});

test("CL7: text on one line is one line, cut where it is too long", () => {
  expect(oneLine("  a\n\tb  ")).toBe("a b");
  expect(oneLine("🦊🦊🦊🦊", 3)).toBe("🦊🦊…");
  expect(oneLine("abc", 3)).toBe("abc");
});

test("CL7: JSON holds the same value, and nothing that a terminal would obey", () => {
  const controls = /[\p{Cc}\u200b\u200e\u2028\u202e\u2066\ufeff\u{e0041}]/u;
  const hidden = "a\u200b\u200eb\u2028\u202ec\u2066\ufeff\u{e0041}\u001b]52;c;eA==\u0007";
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const json = jsonText({ value, text, hidden });
      expect(json).not.toMatch(controls);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text, hidden })));
    }),
  );
});
