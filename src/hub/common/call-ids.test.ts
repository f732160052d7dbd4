import { expect, test } from "vitest";
import { createCallIds } from "./call-ids.ts";

test("ids are unique, and do not show how many were made in between", () => {
  const newId = createCallIds();
  const ids = Array.from({ length: 50_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  const numbers = ids.map((id) => Number.parseInt(id.split(".")[1] ?? "", 36));
  const rising = numbers.filter((number, at) => number > (numbers[at - 1] ?? 0)).length;
  expect(rising / numbers.length).toBeGreaterThan(0.4);
  expect(rising / numbers.length).toBeLessThan(0.6);
  const steps = new Set(numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0)));
  expect(steps.size).toBeGreaterThan(numbers.length / 4);
});

test("two runs make different ids", () => {
  expect(createCallIds()().split(".")[0]).not.toBe(createCallIds()().split(".")[0]);
});
