import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["hub", "open", "tabs", "tools", "call", "watch", "allow", "token", "doctor", "help"];

test.each([
  ["tab", "tabs"],
  ["tols", "tools"],
  ["tosl", "tools"],
  ["cal", "call"],
  ["clal", "call"],
  ["docter", "doctor"],
  ["hbu", "hub"],
  ["poen", "open"],
])("%s was probably meant to be %s", (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

test.each(["", "x", "nope", "serve", "configuration"])("nothing like %j is known", (word) => {
  expect(nearest(word, known)).toBeUndefined();
});
