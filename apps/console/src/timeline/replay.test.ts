import { expect, test } from "vitest";
import { replayOf } from "./replay.ts";
import type { CallRecord } from "./steps.ts";

type Tab = Parameters<typeof replayOf>[1][number];

const page = (tabId: string, annotations: object, more: object = {}) =>
  ({
    ...{ tabId, app: "shop", origin: "https://shop.example", ...more },
    tools: [{ name: "pay", inputSchema: { type: "object" }, annotations }],
  }) as unknown as Tab;

const record = (more: object = {}): CallRecord => ({
  ...{ id: "1", at: "2026-01-01T00:00:00Z", name: "pay", tab: "t1", app: "shop", origin: "https://shop.example" },
  ...{ argumentsBytes: 12, details: { arguments: '{"amount":1}' } },
  ...more,
});

test("a call is made again in its own tab, or in another of the same app and site", () => {
  const tabs = [page("t2", { readOnlyHint: true }), page("t1", { readOnlyHint: true })];
  expect(replayOf(record(), tabs)).toMatchObject({
    tab: { tabId: "t1" },
    arguments: { amount: 1 },
    warning: undefined,
  });
  expect(replayOf(record({ tab: "t0" }), tabs)).toMatchObject({ tab: { tabId: "t2" } });
  const other = [page("t2", {}, { origin: "https://evil.example" })];
  expect(replayOf(record(), other)).toMatchObject({ problem: expect.stringContaining("No connected page") as string });
});

test("what may destroy something asks first: what says so, and what says nothing", () => {
  const warningOf = (annotations: object) => Object(replayOf(record(), [page("t1", annotations)])).warning as unknown;
  expect(warningOf({ destructiveHint: true })).toContain("destroys");
  expect(warningOf({})).toContain("does not say");
  expect(warningOf({ destructiveHint: false })).toBeUndefined();
});

test("arguments that are not there, were cut or masked are not made up", () => {
  const tabs = [page("t1", {})];
  for (const details of [undefined, {}, { arguments: '{"amount":1…' }, { arguments: '{"token":"***"}' }])
    expect(replayOf(record({ details }), tabs), JSON.stringify(details)).toMatchObject({
      problem: expect.any(String) as string,
    });
  expect(replayOf(record({ details: undefined, argumentsBytes: 2 }), tabs)).toMatchObject({ arguments: {} });
});
