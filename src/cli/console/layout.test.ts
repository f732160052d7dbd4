import { expect, test } from "vitest";
import { indent, wrap } from "./layout.ts";

test("text is wrapped between words", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("one two three", 13)).toEqual(["one two three"]);
  expect(wrap("one two three", Infinity)).toEqual(["one two three"]);
  expect(wrap("", 7)).toEqual([""]);
});

test("a word that is longer than the line is not split, so that it can be copied", () => {
  expect(wrap("open http://127.0.0.1:7337/demo/ now", 10)).toEqual(["open", "http://127.0.0.1:7337/demo/", "now"]);
});

test("indented text keeps within the width, and is readable on the narrowest terminal", () => {
  expect(indent("one two three four five", 4, 24)).toEqual(["    one two three four", "    five"]);
  expect(indent("one two three four five", 4, 0)).toEqual(["    one two three four", "    five"]);
});
