import fc from "fast-check";
import { expect, test } from "vitest";
import { createLateness } from "./lateness.ts";

test("P22: a frame is as late as its journey took longer than the quickest one, whatever the two clocks say", () => {
  const offset = fc.integer({ min: -1e12, max: 1e12 });
  const journeys = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(offset, journeys, (ahead, times) => {
      let now = 0;
      let quickest = Infinity;
      const lateness = createLateness(() => now);
      for (const time of times) {
        const sentAt = now + ahead;
        now += time;
        quickest = Math.min(quickest, time);
        expect(lateness.of(sentAt)).toBe(time - quickest);
      }
    }),
  );
});

test("P22: another hub has another clock, and what was known of the last one's is forgotten", () => {
  let now = 1000;
  const lateness = createLateness(() => now);
  lateness.reset(500_000);
  expect(lateness.of(500_000)).toBe(0);
  lateness.reset(7);
  now = 1300;
  expect(lateness.of(107)).toBe(200);
});
