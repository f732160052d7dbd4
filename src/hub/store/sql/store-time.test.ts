import { expect, test } from "vitest";
import { createStoreTime } from "./store-time.ts";

function setUp(latest = 0) {
  const clocks = { wall: 1_000_000, steady: 0 };
  const time = createStoreTime({ latest, wallClock: () => clocks.wall, steadyClock: () => clocks.steady });
  return { clocks, time };
}

test("the store's time is the machine's, and goes on where that was set back", () => {
  const { clocks, time } = setUp();
  expect(time.now()).toBe(1_000_000);
  clocks.wall = 400_000;
  expect(time.now()).toBe(1_000_000);
  clocks.steady = 2500.5;
  expect(time.now()).toBe(1_002_500);
  clocks.steady = 2501.4;
  expect(time.now()).toBe(1_002_501);
  clocks.wall = 2_000_000;
  expect(time.now()).toBe(2_000_000);
});

test("what comes next is later than everything before, also what stands in the database", () => {
  const { time } = setUp(5_000_000);
  const times = [time.next(), time.next(), time.next()];
  expect(times).toEqual([5_000_001, 5_000_002, 5_000_003]);
  expect(time.now()).toBe(5_000_003);
});
