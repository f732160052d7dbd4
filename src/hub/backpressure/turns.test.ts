import { afterEach, expect, test, vi } from "vitest";
import { createTurns } from "./turns.ts";

afterEach(() => void vi.restoreAllMocks());

/** Work items with a duration each, and the turn of the event loop in which each was done. */
function doOften(times: number, milliseconds: number): { readonly turns: number[]; end: Promise<void> } {
  let time = 1000;
  let turn = 0;
  vi.spyOn(performance, "now").mockImplementation(() => time);
  const takeTurn = createTurns();
  const turns: number[] = [];
  const end = new Promise<void>((resolve) => {
    const next = () => {
      turn++;
      if (turns.length === times) resolve();
      else setImmediate(next);
    };
    for (let count = 0; count < times; count++) {
      takeTurn(() => {
        turns.push(turn);
        time += milliseconds;
      });
    }
    setImmediate(next);
  });
  return { turns, end };
}

test("a little work is done at once", async () => {
  const { turns, end } = doOften(3, 1);
  expect(turns).toEqual([0, 0, 0]);
  await end;
});

test("much work is done in its order, a little in each turn of the event loop", async () => {
  const { turns, end } = doOften(20, 3);
  expect(turns).toEqual([0, 0, 0]);
  await end;
  expect(turns).toEqual(turns.toSorted((one, other) => one - other));
  expect(new Set(turns).size).toBeGreaterThan(5);
});
