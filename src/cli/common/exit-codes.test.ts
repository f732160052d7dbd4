import { expect, test } from "vitest";
import { specTable } from "../../../test/support/spec-table.ts";
import { PagewireError, outcomeNames } from "../../wire/index.ts";
import { exitCodeOfError, exitCodeOfOutcome, exitCodes } from "./exit-codes.ts";

test("CL5: the table of the contract", () => {
  const rows = Object.entries(exitCodes);
  expect(specTable(new URL("../SPEC.md", import.meta.url), "- **CL5**")).toEqual(rows);
});

test("CL5: every outcome has an exit code, and only ok has none but 0", () => {
  const codes = outcomeNames.map((outcome) => [outcome, exitCodeOfOutcome({ outcome, ran: "no" })]);
  expect(Object.fromEntries(codes)).toEqual({
    ok: 0,
    "tool-error": 1,
    rejected: 1,
    "not-delivered": 6,
    "page-gone": 6,
    "page-suspended": 6,
    "deadline-exceeded": 8,
    cancelled: 130,
    expired: 7,
    "outcome-unknown": 7,
  });
  expect(codes.every(([, code]) => Object.hasOwn(exitCodes, String(code)))).toBe(true);
});

test.each([
  ["tool-not-found", 5],
  ["tab-not-found", 5],
  ["tool-ambiguous", 5],
  ["input-invalid", 2],
  ["key-conflict", 2],
  ["calls-too-many", 6],
  ["going-away", 6],
  ["internal-error", 1],
] as const)("CL5: a call that was rejected with %s exits with %i", (code, expected) => {
  expect(exitCodeOfOutcome({ outcome: "rejected", ran: "no", code })).toBe(expected);
});

test("CL5: a call on a suspended page is safe to repeat only if it had not begun", () => {
  expect(exitCodeOfOutcome({ outcome: "page-suspended", ran: "maybe" })).toBe(7);
});

test.each([
  ["hub-unreachable", 3],
  ["token-invalid", 4],
  ["options-invalid", 2],
  ["cancelled", 130],
  ["address-in-use", 1],
] as const)("CL5: the error %s exits with %i", (code, expected) => {
  expect(exitCodeOfError(new PagewireError(code, "message"))).toBe(expected);
});

test("CL5: an unexpected error exits with 1", () => {
  expect(exitCodeOfError(new TypeError("x is not a function"))).toBe(1);
});
