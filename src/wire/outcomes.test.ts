import { expect, test } from "vitest";
import { outcomeNames } from "./outcomes.ts";

test("W26: the ways in which a call can end are these, for good", () => {
  expect(outcomeNames).toEqual([
    "ok",
    "tool-error",
    "rejected",
    "not-delivered",
    "page-gone",
    "page-suspended",
    "deadline-exceeded",
    "cancelled",
    "expired",
    "outcome-unknown",
  ]);
});
