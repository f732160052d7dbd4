import { expect, test } from "vitest";
import { intervalOf, isSettled, median, percentile, round } from "./statistics.ts";

test("the median is the middle value, or the mean of the two in the middle", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("a percentile is a value that occurs", () => {
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 4, 2, 3], 0.99)).toBe(5);
});

test("figures keep three digits, large ones four", () => {
  expect([round(0.98765), round(123.456), round(12_345.6)]).toEqual([0.988, 123, 12_350]);
});

test("the interval holds the geometric mean, is symmetric around it as a factor, and narrows with more ratios", () => {
  const [low = 0, high = 0] = intervalOf([0.5, 2, 1]) ?? [];
  expect(Math.sqrt(low * high)).toBeCloseTo(1, 10);
  // The logarithms' standard deviation is ln 2; 4.303 is Student's t for two degrees of freedom.
  expect(Math.log(high)).toBeCloseTo((4.303 * Math.LN2) / Math.sqrt(3), 6);
  const [, narrower = 0] = intervalOf([0.5, 2, 1, 0.5, 2, 1]) ?? [];
  expect(narrower).toBeLessThan(high);
});

test("one ratio, and what is no ratio, has no interval", () => {
  expect(intervalOf([1])).toBeUndefined();
  expect(intervalOf([1, NaN, 1])).toBeUndefined();
  expect(intervalOf([1, 0, 1])).toBeUndefined();
});

test.each([
  { name: "too few", ratios: [1, 1], settled: false },
  { name: "equal", ratios: [1, 1, 1], settled: true },
  { name: "close", ratios: [1, 1.01, 0.99], settled: true },
  { name: "far apart", ratios: [1, 1.3, 0.8], settled: false },
  { name: "clear of a bar above", ratios: [1, 1.03, 0.97], bar: 1.25, settled: true },
  { name: "clear of a bar below", ratios: [1, 1.03, 0.97], bar: 0.8, settled: true },
  { name: "around a bar", ratios: [1, 1.03, 0.97], bar: 1.02, settled: false },
  { name: "far apart, though clear of a bar", ratios: [1, 1.3, 0.8], bar: 9, settled: false },
  { name: "without figures", ratios: [NaN, NaN, NaN], settled: false },
])("ratios are settled when more would change nothing: $name", ({ ratios, bar, settled }) => {
  expect(isSettled(ratios, bar)).toBe(settled);
});
