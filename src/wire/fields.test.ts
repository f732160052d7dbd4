import { expect, test } from "vitest";
import { duration, flag, group, identifier, list, number, oneOf, optional, text, whole, wrongField } from "./fields.ts";
import type { Field } from "./fields.ts";

const accepts = (field: Field<unknown>, ...values: unknown[]) => values.map((value) => field(value));

test("an identifier is 1 to 128 printable characters without spaces", () => {
  expect(accepts(identifier, "a", "~!{}", "x".repeat(128))).toEqual([true, true, true]);
  const wrong = ["", "x".repeat(129), "a b", "a\n", "\n", "a\u007f", "ä", "語", 7, null, ["a"]];
  expect(accepts(identifier, ...wrong)).toEqual(wrong.map(() => false));
});

test("a text is as long as its field allows, and no longer", () => {
  expect(accepts(text(3), "", "abc", "abcd", 3, null)).toEqual([true, true, false, false, false]);
});

test("a number is finite, and a time is also not below zero", () => {
  expect(accepts(number, 0, -1.5, 1e308, NaN, Infinity, "1", null)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(accepts(duration, 0, 0.5, -0.001, NaN, Infinity, "1", null)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("W40: a whole number is within its bounds, and within JavaScript's safe integers", () => {
  expect(accepts(whole(1, 3), 1, 2, 3)).toEqual([true, true, true]);
  const wrong = [0, 4, -1, 1.5, NaN, Infinity, "2", null, [2]];
  expect(accepts(whole(1, 3), ...wrong)).toEqual(wrong.map(() => false));
  expect(accepts(whole(0, Infinity), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1)).toEqual([true, false]);
});

test("a flag is true or false, and a word is one of its list", () => {
  expect(accepts(flag, true, false, 0, "true", null)).toEqual([true, true, false, false, false]);
  expect(accepts(oneOf(["yes", "no"]), "yes", "no", "maybe", "", 0, "length")).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a list has a max length, and values of one kind", () => {
  expect(accepts(list(number, 2), [], [1, 2], [1, 2, 3], [1, "2"], { length: 1 }, "12")).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a group is an object with the right fields, of its own", () => {
  const agent = group({ name: text(10), version: optional(text(10)) });
  expect(accepts(agent, { name: "a" }, { name: "a", version: "1", more: 2 })).toEqual([true, true]);
  expect(accepts(agent, {}, { version: "1" }, { name: "a", version: 1 }, null, "name", [])).toEqual(
    Array(6).fill(false),
  );
});

test("W8: the first wrong field is named", () => {
  const shape = { id: identifier, on: flag, note: optional(text(5)) };
  expect(wrongField(shape, { id: "1", on: true })).toBeUndefined();
  expect(wrongField(shape, { id: "", on: 1 })).toBe("id");
  expect(wrongField(shape, { id: "1" })).toBe("on");
  expect(wrongField(shape, { id: "1", on: true, note: "longer" })).toBe("note");
});
