import { expect, test } from "vitest";
import { defaultLimits } from "../../wire/index.ts";
import { readLimits } from "./read-limits.ts";

test("limits have names, and times and sizes have units", () => {
  expect(
    readLimits(["tokenTime=12h", "callTime=1500", "frameBytes=4MiB", "partsBytesInAll=1GiB", "tabsPerPrincipal=50"]),
  ).toEqual({
    tokenTime: 43_200_000,
    callTime: 1500,
    frameBytes: 4_194_304,
    partsBytesInAll: 1_073_741_824,
    tabsPerPrincipal: 50,
  });
  expect(readLimits([])).toEqual({});
});

test("every limit accepts its own default", () => {
  for (const [name, value] of Object.entries(defaultLimits))
    expect(readLimits([`${name}=${value}`])).toEqual({ [name]: value });
});

test.each([
  ["tabPerPrincipal=3", 'There is no limit "tabPerPrincipal". Did you mean tabsPerPrincipal?'],
  ["toString=3", 'There is no limit "toString".'],
  ["=3", 'There is no limit "".'],
  ["tokenTime", '--limit tokenTime must be a time, such as 30s or 12h, not "tokenTime".'],
  ["tokenTime=", "must be a time"],
  ["tokenTime=12x", "must be a time"],
  ["tokenTime=12h=3", "must be a time"],
  ["tokenTime=-1", "must be a time"],
  ["tokenTime=999999999999999w", "must be a time"],
  ["frameBytes=4h", "must be a size"],
  ["frameBytes=1.5MiB", "must be a size"],
  ["tabsPerPrincipal=5s", "must be a whole number"],
  ["tabsPerPrincipal=toString", "must be a whole number"],
])("--limit %s is refused with what to write", (text, words) => {
  expect(() => readLimits([text])).toThrow(words);
});

test("a duplicate limit is refused", () => {
  expect(() => readLimits(["callTime=1s", "callTime=2s"])).toThrow("--limit callTime is there twice");
});
