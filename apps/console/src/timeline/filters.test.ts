import { expect, test } from "vitest";
import { parseRoute } from "../frame/route.ts";
import { selects } from "./call-row.ts";
import { isAll, placeOf, queryOf, readFilters, withField, withSpan } from "./filters.ts";

const read = (text: string) => readFilters(new URLSearchParams(text));

test("filters survive the way through a link, with an open call or without", () => {
  const filters = read("outcome=failed&tool=a%26b&text=two+words&last=1h&unknown=x");
  for (const call of [undefined, "abc"]) {
    const route = parseRoute(placeOf(filters, call));
    expect(route?.path).toEqual(call === undefined ? ["calls"] : ["calls", call]);
    expect(readFilters(route?.query ?? new URLSearchParams())).toEqual(filters);
  }
  expect(placeOf(read(""))).toBe("#/calls");
  expect(isAll(read("text=+"))).toBe(true);
});

test("a span and times replace each other, and a span moves with the time", () => {
  const at = Date.parse("2026-01-01T12:00:00Z");
  expect(queryOf(read("last=1h&tool=a"), at).toString()).toBe("tool=a&since=2026-01-01T11%3A00%3A00.000Z");
  const since = withField(read("last=1h"), "since", "2026-01-01");
  expect(since).toMatchObject({ last: undefined, equal: { since: "2026-01-01" } });
  expect(withSpan(since, "24h")).toEqual({ text: "", last: "24h", equal: {} });
});

test("a call that runs is shown where the filters are about what is known of it", () => {
  const none = { door: "", outcome: undefined, code: undefined, milliseconds: undefined };
  const row = { id: "1", call: "1", at: 0, name: "place_order", agent: "claude", app: "shop", tab: "t1", ...none };
  for (const text of ["", "tool=place_order&text=CLAUDE", "tab=t1&since=2026-01-01"])
    expect(selects(read(text), row), text).toBe(true);
  for (const text of ["tool=x", "text=none", "outcome=failed", "minMilliseconds=5"])
    expect(selects(read(text), row), text).toBe(false);
});
