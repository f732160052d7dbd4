import { expect, test } from "vitest";
import { allIn, inputOverTurns, sumOf } from "./cost.ts";

const search = { calls: 1, read: 100, written: 10, milliseconds: 5 };
const archive = { calls: 2, read: 60, written: 20, milliseconds: 7 };

test("costs add up", () => {
  expect(sumOf([search, archive])).toEqual({ calls: 3, read: 160, written: 30, milliseconds: 12 });
});

test("all in counts every token once", () => {
  expect(allIn({ list: 1000, parts: [search, archive] })).toBe(1190);
});

test("the input over all turns has the list and all that was said before once for each turn", () => {
  // 1000 + 1110 + 1150, and 1190 for the last words to the user.
  expect(inputOverTurns({ list: 1000, parts: [search, archive] })).toBe(4450);
  expect(inputOverTurns({ list: 1000, parts: [] })).toBe(1000);
});
