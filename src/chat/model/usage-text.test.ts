import { expect, test } from "vitest";
import { usageText } from "./usage-text.ts";

const usage = { promptTokens: 1000, completionTokens: 234, totalTokens: 1234 };
const quota = { period: "day", tokens: 200_000, left: 12_345, newAt: "2026-11-30T00:00:00.000Z" } as const;

test("below an answer is what it used, and what is left where a hub limits that", () => {
  expect(usageText({ model: "m", usage })).toBe("m · 1,234 tokens: 1,000 in, 234 out");
  expect(usageText({ usage: { ...usage, quota } })).toBe("1,234 tokens: 1,000 in, 234 out · 12,345 tokens left today");
  expect(usageText({ usage: { ...usage, quota: { ...quota, period: "month", left: 0 } } })).toContain(
    "0 tokens left this month",
  );
});

test("a quota of another form is left out", () => {
  for (const wrong of [5, null, {}, { left: "many" }, { left: Number.NaN }])
    expect(usageText({ usage: { ...usage, quota: wrong as never } })).toBe("1,234 tokens: 1,000 in, 234 out");
});
