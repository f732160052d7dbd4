import { expect, test } from "vitest";
import { isForTerminals, terminalOnly } from "./audience.ts";
import type { Json } from "./json.ts";

test("W30: a tool is for terminals only where it says so, and else for everybody", () => {
  expect(terminalOnly).toEqual({ "pagewire/audience": "terminal" });
  expect(isForTerminals({ _meta: { ...terminalOnly, "other/mark": 1 } })).toBe(true);
  expect(isForTerminals({})).toBe(false);
  const others: readonly Json[] = ["all", "Terminal", "terminal ", "", null, true, ["terminal"], { terminal: true }];
  for (const audience of others) expect(isForTerminals({ _meta: { "pagewire/audience": audience } })).toBe(false);
});
