import { expect, test } from "vitest";
import { chooseVersion, wireVersions } from "./words.ts";

test("W25: the best of our versions that both sides speak is chosen, in any order of the offer", () => {
  expect(wireVersions).toEqual([1]);
  expect(chooseVersion([1])).toBe(1);
  expect(chooseVersion([3, 2, 1])).toBe(1);
  expect(chooseVersion([1, 2])).toBe(1);
});

test("W25: without a common version none is chosen", () => {
  for (const offered of [[], [0], [2], [1.5], [-1]]) expect(chooseVersion(offered)).toBeUndefined();
});
