// `npm test`: everything that must hold, step by step, in a fresh clone too. Every step runs, whatever failed before it,
// except those that need a build. The last line counts checks and tests. `--only=lint,types` runs just those steps.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";
import { runConformance } from "./lib/run-conformance.mjs";
import { runExamples } from "./lib/run-examples.mjs";
import { runTests } from "./lib/run-tests.mjs";

const steps = [
  { name: "format", run: check(() => runPackage("oxfmt", "--check")) },
  { name: "lint", run: check(() => runPackage("oxlint") + runNode("scripts/warn-long-files.mjs")) },
  { name: "types", run: check(() => runPackage("typescript", "-b")) },
  { name: "unused", run: check(() => runPackage("knip")) },
  { name: "spec", run: check(() => runNode("scripts/check-spec.mjs")) },
  { name: "house", run: check(() => runNode("scripts/house.mjs", "--check")) },
  { name: "node", run: () => runTests("node") },
  { name: "browser", run: () => runTests("browser", "react-18", "webmcp") },
  { name: "build", run: check(() => runNode("scripts/build.mjs")) },
  { name: "size", needs: "build", run: check(() => runPackage("size-limit")) },
  { name: "e2e", needs: "build", run: () => runTests("e2e") },
  { name: "attack", needs: "build", run: () => runTests("attack") },
  { name: "conformance", needs: "build", run: runConformance },
  { name: "examples", needs: "build", run: runExamples },
  { name: "package", needs: "build", run: () => runTests("package") },
  { name: "reference", needs: "build", run: check(() => runNode("scripts/write-reference.mjs")) },
];

const names = steps.map((step) => step.name);
const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
const chosen = only?.split(",") ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`No step is named ${unknown.join(", ")}. There are: ${names.join(", ")}.`);

ensureInstalled();
if (["node", "browser", "e2e", "attack", "conformance", "examples"].some((name) => chosen.includes(name)))
  ensurePrograms();

// What a whole run saw goes into docs/reference/reliability.md; nothing of an earlier run may be left.
if (only === undefined) rmSync(join(root, ".cache", "reliability"), { recursive: true, force: true });

const broken = new Set();
const total = { passed: 0, failed: 0 };
const allFailures = [];

for (const { name, needs, run } of steps.filter((step) => chosen.includes(step.name))) {
  if (broken.has(needs)) {
    console.log(`\n== ${name}: not run, because ${needs} failed`);
    continue;
  }
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { passed, failed, failures = [] } = run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`== ${name}: ${failed === 0 ? "ok" : "FAILED"} (${passed} passed, ${failed} failed, ${seconds} s)`);
  if (failed > 0) broken.add(name);
  total.passed += passed;
  total.failed += failed;
  allFailures.push(...failures);
}

// Where the run is long, only its end is kept.
if (broken.size > 0) console.log(`\n${[`Failed: ${[...broken].join(", ")}`, ...allFailures].join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** A step that passes or fails as a whole, by its exit code. */
function check(runStep) {
  return () => (runStep() === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}
