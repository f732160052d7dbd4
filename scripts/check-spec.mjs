// Holds the contracts (src/**/SPEC.md) and the tests together: every rule has a test, a test's title begins with rules
// that exist, and SPEC.md lists them all (`--write` writes it). Any other test has a title and no number. Decisions are
// numbered, too.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesIn } from "./lib/files.mjs";
import { root } from "./lib/root.mjs";
import { testTitles } from "./lib/test-titles.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const problems = [];

const contracts = filesIn("src")
  .filter((path) => basename(path) === "SPEC.md")
  .map((path) => ({ path, title: /^# (.+)$/m.exec(read(path))[1], rules: rulesIn(path) }))
  .sort((one, other) => (one.path < other.path ? -1 : 1));

/** The place of each rule. */
const known = new Map();
for (const { path, rules } of contracts) {
  for (const { id } of rules) {
    if (known.has(id)) problems.push(`${path}: ${id} is also a rule of ${known.get(id)}.`);
    known.set(id, path);
  }
}

const tested = new Set();
for (const path of filesIn("src", "test", "apps", "examples")) {
  if (!/\.(ts|mjs)$/.test(path)) continue;
  for (const { title, line } of testTitles(read(path))) {
    const ids = /^([A-Z]{1,3}\d+[a-z]?(?:, [A-Z]{1,3}\d+[a-z]?)*): ./s.exec(title)?.[1]?.split(", ") ?? [];
    for (const id of ids) {
      if (!known.has(id)) problems.push(`${path}:${line}: no contract has ${id}: remove the number from the title.`);
      tested.add(id);
    }
  }
}
for (const [id, path] of known) if (!tested.has(id)) problems.push(`${path}: ${id} has no test.`);

const index = makeIndex();
if (process.argv.includes("--write")) writeFileSync(join(root, "SPEC.md"), index);
else if (read("SPEC.md") !== index) problems.push("SPEC.md is out of date: run `npm run check:spec -- --write`.");

const decisions = filesIn("docs/decisions").map((path) => basename(path).slice(0, 4));
const repeated = decisions.filter((number, index) => decisions.indexOf(number) !== index);
problems.push(
  ...repeated.map((number) => `Two decisions have the number ${number}. Give the later one the next free number.`),
);

for (const problem of problems) console.error(problem);
console.log(`${known.size} rules in ${contracts.length} contracts, ${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

function rulesIn(path) {
  return [...read(path).matchAll(/^- \*\*([A-Z]{1,3}\d+[a-z]?)\*\* (.+)$/gm)].map(([, id, text]) => ({ id, text }));
}

function makeIndex() {
  const lines = [
    "# Contracts",
    "",
    "What strangers implement or rely on is a contract beside its code: rules with MUST and MAY (RFC 2119), each with a number",
    "that it keeps, and with at least one test whose title begins with that number. Any other behaviour is the title of its test.",
    "Where a contract and a test disagree, one of the two is wrong. Written by `npm run check:spec -- --write`.",
  ];
  for (const { path, title, rules } of contracts) {
    lines.push("", `## [${title}](${path})`, "", ...rules.map(({ id, text }) => `- ${id} ${firstWords(text)}`));
  }
  return `${lines.join("\n")}\n`;
}

/** The beginning of a rule, which is enough to find it by. */
function firstWords(text) {
  const words = text.replaceAll(/[`*]/g, "").split(" ");
  return words.length <= 9 ? words.join(" ") : `${words.slice(0, 8).join(" ")} …`;
}
