import { expect, test } from "vitest";
import { leastOf, quotaNotice, quotaStanding } from "./quota-texts.ts";
import type { Quota } from "./quota-texts.ts";

const newAt = "2026-11-30T00:00:00.000Z";
const quota: Quota = { period: "day", tokens: 200_000, left: 150_000, newAt, by: "organisation" };
// The user's time, in any zone that the test runs in.
const time = new Date(newAt).toLocaleString("en", {
  ...{ month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
});

test("what an organisation leaves its people is always shown, the hub's own limit near its end", () => {
  expect(quotaStanding(quota)).toEqual({ text: "150,000 tokens left today", tone: "ok" });
  expect(quotaStanding({ ...quota, left: 40_000, period: "month" })).toEqual({
    text: "40,000 tokens left this month",
    tone: "wait",
  });
  expect(quotaStanding({ ...quota, left: 0 })?.tone).toBe("bad");
  expect(quotaStanding({ ...quota, by: "hub" })).toBeUndefined();
  expect(quotaStanding({ ...quota, by: "hub", left: 9 })?.text).toBe("9 tokens left today");
  expect(quotaStanding(undefined)).toBeUndefined();
});

test("near the end and at it, a notice says whose tokens they are and when there are new ones", () => {
  expect(quotaNotice(quota)).toBeUndefined();
  expect(quotaNotice({ ...quota, left: 40_000 })).toEqual({
    tone: "info",
    text: `Of the 200,000 tokens that you may use today, 40,000 are left. There are new ones from ${time} on.`,
  });
  const sales = { ...quota, left: 0, of: { group: "sales" } } as const;
  expect(quotaNotice(sales)?.text).toContain("tokens that the group “sales” may use today are used up.");
  expect(quotaNotice({ ...quota, left: 0, of: "organisation", period: "month" })?.text).toContain(
    "tokens that your organisation may use this month are used up.",
  );
});

test("an answer of another form, or of an older hub, says nothing", () => {
  expect(leastOf({ left: 150_000, quotas: [quota] })).toEqual(quota);
  for (const answer of [undefined, null, "x", {}, { quotas: [] }, { quotas: 7 }])
    expect(leastOf(answer)).toBeUndefined();
});
