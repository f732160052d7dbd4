// Holds the table of faults and SPEC.md together.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const lines = new Set(Array.from(read("../../SPEC.md").matchAll(/^- \*\*([A-Z]{1,3}\d+)\*\*/gm), ([, line]) => line));
const rows = Array.from(
  read("worker-faults.md").matchAll(/^\| (W\d+) \| [^|]+ \| ([^|]+) \|$/gm),
  ([, fault = "", here = ""]) => ({
    fault,
    here,
  }),
);

test("WC51: the table has a row for each fault", () => {
  expect(rows.map(({ fault }) => fault)).toEqual(Array.from({ length: 32 }, (_, index) => `W${index + 1}`));
});

test.each(rows)("WC51: $fault names lines of the spec that exist, or says why it has no meaning", ({ here }) => {
  const named = here.match(/\b[A-Z]{1,3}\d+\b/g) ?? [];
  expect(named.filter((line) => !lines.has(line))).toEqual([]);
  expect(named.length > 0 || here.startsWith("no meaning yet: ")).toBe(true);
});
