import { expect, test } from "vitest";
import { agoText, durationText } from "./time.tsx";

test("how long ago something was is as short as it can be said", () => {
  const now = new Date(2026, 5, 17, 15, 30).getTime();
  const texts = [-5, 1, 59.9, 60, 3599, 3600, 5 * 3600].map((seconds) => agoText(now - seconds * 1000, now));
  expect(texts).toEqual(["now", "now", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "5 h ago"]);
  expect(agoText(now - 7 * 3600_000, now)).toMatch(/8:30/);
});

test("a duration has one or two figures of one or two units", () => {
  expect([0.2, 1, 999.4, 1000, 59_900, 60_000, 3_599_600, 7_500_000].map(durationText)).toEqual([
    "< 1 ms",
    "1 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "1 h 0 min",
    "2 h 5 min",
  ]);
});
