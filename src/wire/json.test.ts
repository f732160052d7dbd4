import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, parseJson, parseJsonObject } from "./json.ts";

const nested = (depth: number, [open, close]: readonly [string, string]) => open.repeat(depth) + close.repeat(depth);

test("JSON at the max depth is parsed, one level deeper is not", () => {
  for (const depth of [1, 2, 64]) {
    for (const text of [
      nested(depth, ["[", "]"]),
      `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
      `[${nested(depth - 1, ["[", "]"])}]`,
    ]) {
      expect(parseJson(text, depth)).toEqual(JSON.parse(text));
      expect(parseJson(text, depth - 1)).toBeUndefined();
    }
  }
  expect(parseJson("7", 0)).toBe(7);
  expect(parseJson("[".repeat(1_000_000), 64)).toBeUndefined();
});

test("brackets inside strings do not count as nesting, whatever precedes them", () => {
  for (const value of ["[[[[", '"[[[[', "\\[[[[", '\\"[[[[', "\\\\", '"', "{{{{"]) {
    expect(parseJson(JSON.stringify([value]), 1)).toEqual([value]);
    expect(parseJson(JSON.stringify({ [value]: [value] }), 2)).toEqual({ [value]: [value] });
  }
});

test("any JSON is parsed as by the platform, and its depth is counted exactly", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), (text) => {
      const value: unknown = JSON.parse(text);
      const depth = depthOf(value);
      expect(parseJson(text, depth)).toEqual(value);
      expect(parseJson(`[${text}]`, depth)).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

test("text that is not JSON gives undefined, and nothing is thrown", () => {
  for (const text of ["", " ", "undefined", "{", "]", "]]]][[[[", '"', '"\\', "{'a':1}", "[1,]", "NaN", "\ufeff{}"]) {
    expect(parseJson(text, 64)).toBeUndefined();
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseJson(text, 3)));
});

test("isJsonObject accepts only objects: not null, a list or anything that is not JSON", () => {
  expect(parseJsonObject('{"a":1}', 64)).toEqual({ a: 1 });
  for (const text of ["null", "[]", '"a"', "1", "true", "{"]) expect(parseJsonObject(text, 64)).toBeUndefined();
  expect([{}, [], null, "a", undefined].map(isJsonObject)).toEqual([true, false, false, false, false]);
});
