// Checks that the rules and tests which the table of faults names exist.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unknownProofs } from "../support/unknown-proofs.ts";

const table = readFileSync(new URL("worker-faults.md", import.meta.url), "utf8");
const rows = Array.from(table.matchAll(/^\| (W\d+) \| [^|]+ \| ([^|]+) \|$/gm), ([, fault = "", here = ""]) => ({
  fault,
  here,
}));

test("the table has a row for each fault", () => {
  expect(rows.map(({ fault }) => fault)).toEqual(Array.from({ length: 32 }, (_, index) => `W${index + 1}`));
});

test("each fault names rules and tests that exist, or says why it has no meaning", () => {
  const named = rows.filter(({ here }) => !here.startsWith("no meaning yet: ")).map(({ here }) => here);
  expect(unknownProofs(named)).toEqual([]);
});
