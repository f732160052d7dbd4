import { expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import { closeCodes, closeNameOf, closeReason } from "./close-codes.ts";
import { cutOff, linkCloseCodes, linkCloseReason } from "./link-close-codes.ts";

test("W19: the table of the contract", () => {
  const rows = specTable(new URL("SPEC.md", import.meta.url), "- **W19**");
  expect(Object.fromEntries(rows.map(([code, name]) => [name, Number(code)]))).toEqual(closeCodes);
});

test("a close reason has its name as text by default, and the name is found by the code", () => {
  expect(closeReason("too-slow")).toEqual({ code: 4021, reason: "too-slow" });
  expect(closeReason("too-slow", "32 MiB wait.")).toEqual({ code: 4021, reason: "32 MiB wait." });
  expect(linkCloseReason("too-slow")).toEqual(closeReason("too-slow"));
  expect(linkCloseReason("normal", "Done.")).toEqual({ code: 1000, reason: "Done." });
  expect(closeCodes).toMatchObject(linkCloseCodes);
  for (const [name, code] of Object.entries(closeCodes)) expect(closeNameOf(code)).toBe(name);
  for (const code of [0, 1005, 1006, 4007, 4100, NaN]) expect(closeNameOf(code)).toBeUndefined();
});

test("a link that ended without a close message was cut off, with 1006", () => {
  expect(cutOff).toEqual({ code: 1006, reason: "cut off" });
});
