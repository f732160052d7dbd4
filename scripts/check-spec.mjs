// Holds SPEC.md and the tests together: every numbered rule has a test, and a test names only rules that exist. A test of
// what nobody outside relies on has a title and no number. Decisions are numbered, too.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesIn } from "./lib/files.mjs";
import { root } from "./lib/root.mjs";
import { testTitles } from "./lib/test-titles.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

const ids = [...read("SPEC.md").matchAll(/^- \*\*([A-Z]{1,3}\d+[a-z]?)\*\*/gm)].map((match) => match[1]);
const known = new Set(ids);

const problems = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is written twice.`);
const proved = new Set();

for (const path of filesIn("src", "test", "apps", "examples")) {
  if (!/\.(ts|mjs)$/.test(path)) continue;
  for (const { title, line } of testTitles(read(path))) {
    const named = /^([A-Z]{1,3}\d+[a-z]?(?:, [A-Z]{1,3}\d+[a-z]?)*): ./s.exec(title)?.[1]?.split(", ") ?? [];
    for (const id of named) {
      if (!known.has(id)) problems.push(`${path}:${line} names ${id}, which the spec does not have: ${title}`);
      proved.add(id);
    }
  }
}
problems.push(...ids.filter((id) => !proved.has(id)).map((id) => `${id} has no test.`));

const decisions = filesIn("docs/decisions").map((path) => basename(path).slice(0, 4));
const repeated = decisions.filter((number, index) => decisions.indexOf(number) !== index);
problems.push(
  ...repeated.map((number) => `Two decisions have the number ${number}. Give the later one the next free number.`),
);

for (const problem of problems) console.error(problem);
console.log(`${known.size} lines in SPEC.md, ${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
