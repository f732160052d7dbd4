import fc from "fast-check";
import { expect, test } from "vitest";
import { inParts } from "./in-parts.ts";

const block = (text: string, isTight = false) => ({ text, isTight });

test("blocks share a part while they fit, and stay whole", () => {
  expect(inParts([block("aaa"), block("bbb"), block("ccc", true)], 8)).toEqual(["aaa\n\nbbb", "ccc"]);
  expect(inParts([block("aaa"), block("bbb", true)], 7)).toEqual(["aaa\nbbb"]);
  expect(inParts([])).toEqual([]);
});

test("a block that is longer than a part is divided at a line, a space, or where it has to be", () => {
  expect(inParts([block("ab\ncd ef")], 6)).toEqual(["ab", "cd ef"]);
  expect(inParts([block("ab cdef")], 6)).toEqual(["ab", "cdef"]);
  expect(inParts([block("abcdefgh")], 3)).toEqual(["abc", "def", "gh"]);
  expect(inParts([block("😀😀")], 3)).toEqual(["😀", "😀"]);
});

test("no part is too long, and nothing but spaces is lost", () => {
  const blocks = fc.array(fc.tuple(fc.string({ maxLength: 60, unit: "grapheme" }), fc.boolean()));
  fc.assert(
    fc.property(blocks, fc.integer({ min: 4, max: 40 }), (pairs, longest) => {
      const parts = inParts(
        pairs.map(([text, isTight]) => block(text, isTight)),
        longest,
      );
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(longest);
      const bare = (text: string) => text.replace(/\s/g, "");
      expect(bare(parts.join(""))).toBe(bare(pairs.map(([text]) => text).join("")));
    }),
  );
});
