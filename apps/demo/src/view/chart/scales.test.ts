import { describe, expect, test } from "vitest";
import { createScales, labelledDays, niceAmounts } from "./scales.ts";

describe("the chart's scales", () => {
  test("the lines across are at round amounts, from zero to just above the highest", () => {
    expect(niceAmounts(1_033_000)).toEqual([0, 250_000, 500_000, 750_000, 1_000_000, 1_250_000]);
    expect(niceAmounts(0)).toEqual([0, 2000, 4000, 6000, 8000, 10_000]);
    for (const highest of [7, 99, 4321, 888_888]) expect(niceAmounts(highest).at(-1)).toBeGreaterThanOrEqual(highest);
  });

  test("the pointer finds the nearest day, and never one that is not there", () => {
    const scales = createScales({ width: 1000, height: 300, count: 30, highest: 100 });
    for (let index = 0; index < 30; index++) expect(scales.indexAt(scales.x(index) + 3)).toBe(index);
    expect(scales.indexAt(-50)).toBe(0);
    expect(scales.indexAt(5000)).toBe(29);
  });

  test("days are named at even distances and never crowd, on a phone as on a wide screen", () => {
    for (const width of [260, 600, 1000]) {
      for (const count of [7, 30, 90, 194]) {
        const places = labelledDays(count, width);
        const [first = 0, second = 0] = places;
        expect(((second - first) * width) / (count - 1)).toBeGreaterThan(60);
      }
    }
  });
});
