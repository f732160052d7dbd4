import { expect, test } from "vitest";
import { Kept } from "./kept.ts";

test("an entry is there until its time, and not at it", () => {
  const time = { now: 0 };
  const kept = new Kept<string>({ most: 10, now: () => time.now });
  kept.set("a", "one", 10);
  time.now = 9;
  expect(kept.get("a")).toBe("one");
  time.now = 10;
  expect(kept.get("a")).toBeUndefined();
  time.now = 9;
  expect(kept.get("a")).toBeUndefined();
});

test("a clock that is set back keeps nothing for longer", () => {
  const time = { now: 100 };
  const kept = new Kept<string>({ most: 10, now: () => time.now });
  kept.set("a", "one", 110);
  time.now = 50;
  expect(kept.get("a")).toBeUndefined();
  time.now = 100;
  expect(kept.get("a")).toBeUndefined();
});

test("beyond the max number the least recently used is dropped", () => {
  const kept = new Kept<number>({ most: 2, now: () => 0 });
  kept.set("a", 1, 1);
  kept.set("b", 2, 1);
  kept.get("a");
  kept.set("c", 3, 1);
  kept.set("c", 4, 1);
  expect(["a", "b", "c"].map((key) => kept.get(key))).toEqual([1, undefined, 4]);
});
