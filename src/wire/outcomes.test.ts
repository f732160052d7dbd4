import { expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import { outcomeNames } from "./outcomes.ts";

test("W26: the table of the contract", () => {
  const rows = specTable(new URL("../switchboard/SPEC.md", import.meta.url), "- **W26**");
  expect(rows.map(([name]) => name)).toEqual(outcomeNames);
});
