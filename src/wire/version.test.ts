import { expect, test } from "vitest";
import { chooseVersion, wireVersions } from "./words.ts";

test("W25: of the versions that both sides speak the best of ours is chosen, in whatever order they are offered", () => {
  expect(wireVersions).toEqual([1]);
  expect(chooseVersion([1])).toBe(1);
  expect(chooseVersion([3, 2, 1])).toBe(1);
  expect(chooseVersion([1, 2])).toBe(1);
});

test("W25: where there is no common version none is chosen", () => {
  for (const offered of [[], [0], [2], [1.5], [-1]]) expect(chooseVersion(offered)).toBeUndefined();
});
