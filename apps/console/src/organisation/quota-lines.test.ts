import { expect, test } from "vitest";
import { amountOf, linesOf, withLine } from "./quota-lines.ts";

const set = {
  each: { day: 10 },
  all: { month: 1000 },
  groups: { sales: { each: { day: 20 }, all: { day: 100 } }, ["__proto__"]: { all: { day: 1 } } },
  people: { "acme/ada": { day: "unlimited" } },
} as const;

test("lines of quotas make the same quotas again", () => {
  const lines = linesOf(set);
  expect(lines.map(({ kind, name }) => `${kind} ${name}`.trim())).toEqual([
    ...["each", "all", "group-each sales", "group-all sales", "group-all __proto__", "person acme/ada"],
  ]);
  expect(JSON.stringify(lines.reduce(withLine, {}))).toBe(JSON.stringify(set));
});

test("a line is changed, added and, without amounts, taken away, and the others stay", () => {
  const changed = withLine(set, { kind: "group-all", name: "sales", amounts: { month: 5 } });
  expect(changed.groups?.["sales"]).toEqual({ each: { day: 20 }, all: { month: 5 } });
  const added = withLine(changed, { kind: "person", name: "acme/bo", amounts: { day: 1 } });
  expect(added.people).toEqual({ "acme/ada": { day: "unlimited" }, "acme/bo": { day: 1 } });
  const without = linesOf(added).reduce((rest, line) => withLine(rest, { ...line, amounts: {} }), added);
  expect(without).toEqual({});
});

test.each([
  ["", undefined],
  [" 200,000 ", 200_000],
  ["1_000 000", 1_000_000],
  ["Unlimited", "unlimited"],
  ["-1", null],
  ["1.5", null],
  ["many", null],
  ["9".repeat(16), null],
])("%j is %s tokens", (text, amount) => {
  expect(amountOf(text)).toBe(amount);
});
