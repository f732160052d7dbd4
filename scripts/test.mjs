// `npm test`: everything that must hold, step by step, in a fresh clone too. Every step runs, also after a failure,
// except those that need a build. The last line counts checks and tests. `--only=lint,types` runs just those steps.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";
import { runConformance } from "./lib/run-conformance.mjs";
import { runExamples } from "./lib/run-examples.mjs";
import { runQuickAgents } from "./lib/run-quick-agents.mjs";
import { runTests } from "./lib/run-tests.mjs";

const steps = [
  { name: "format", run: check(() => runPackage("oxfmt", "--check")) },
  { name: "lint", run: check(() => runPackage("oxlint") + runNode("scripts/warn-long-files.mjs")) },
  { name: "types", run: check(() => runPackage("typescript", "-b")) },
  { name: "unused", run: check(() => runPackage("knip")) },
  { name: "spec", run: check(() => runNode("scripts/check-spec.mjs")) },
  { name: "house", run: check(() => runNode("scripts/house.mjs", "--check")) },
  { name: "build", run: check(() => runNode("scripts/build.mjs")) },
  { name: "size", needs: "build", run: check(() => runPackage("size-limit")) },
  { name: "node", run: () => runTests("node", "node-alone") },
  { name: "browser", run: () => runTests("browser", "react-18", "webmcp") },
  { name: "examples", needs: "build", run: runExamples },
  { name: "conformance", needs: "build", run: runConformance },
  { name: "agents", needs: "build", run: runQuickAgents },
  { name: "hubs", needs: "build", run: () => runTests("hubs") },
  { name: "attack", needs: "build", run: () => runTests("attack") },
  { name: "e2e", needs: "build", run: () => runTests("e2e") },
  { name: "package", needs: "build", run: () => runTests("package") },
  { name: "reference", needs: "build", run: check(() => runNode("scripts/write-reference.mjs")) },
];

/** In a whole run these need one core, as the build does, and go beside it. Types need what it compiles. */
const looks = ["format", "lint", "unused", "spec", "house"];
/**
 * So does each of these rows beside `node`, the longest step. `e2e`, with four workers, is what is left when all others are done.
 * `hubs`, which waits for half of its time, takes the least from others.
 */
const rows = [
  ["attack", "e2e"],
  ["examples", "conformance", "agents"],
  ["hubs", "types", "browser", "package"],
];
const beside = rows.flat();

const names = steps.map((step) => step.name);
const { only, report } = parseArgs({ options: { only: { type: "string" }, report: { type: "string" } } }).values;
const chosen = only?.split(",") ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`No step is named ${unknown.join(", ")}. There are: ${names.join(", ")}.`);

ensureInstalled();
if (
  ["node", "browser", "e2e", "agents", "hubs", "attack", "conformance", "examples"].some((name) =>
    chosen.includes(name),
  )
)
  ensurePrograms();

// The faults of a whole run go into docs/reference/reliability.md; nothing of an earlier run may be left.
if (only === undefined) rmSync(join(root, ".cache", "reliability"), { recursive: true, force: true });

const total = { passed: 0, failed: 0, broken: [], failures: [] };

if (only === undefined) {
  const looked = startBeside(looks);
  runSteps(["build", "size"]);
  const tested = total.broken.includes("build") ? [] : rows.map(startBeside);
  runSteps(names.filter((name) => !["build", "size", ...looks, ...beside, "reference"].includes(name)));
  for (const seen of [looked, ...tested]) add(await seen);
  if (tested.length === 0) runSteps(beside);
  runSteps(["reference"]);
} else runSteps(chosen);

if (report !== undefined) writeFileSync(report, JSON.stringify(total));
// Of a long run, only the end is kept.
if (total.broken.length > 0) console.log(`\n${[`Failed: ${total.broken.join(", ")}`, ...total.failures].join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function runSteps(wanted) {
  for (const { name, needs, run } of steps.filter((step) => wanted.includes(step.name))) {
    if (total.broken.includes(needs)) {
      console.log(`\n== ${name}: not run, because ${needs} failed`);
      continue;
    }
    console.log(`\n== ${name}`);
    const started = performance.now();
    const { passed, failed, failures = [] } = run();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`== ${name}: ${failed === 0 ? "ok" : "FAILED"} (${passed} passed, ${failed} failed, ${seconds} s)`);
    add({ passed, failed, broken: failed > 0 ? [name] : [], failures });
  }
}

function add({ passed, failed, broken, failures }) {
  total.passed += passed;
  total.failed += failed;
  total.broken.push(...broken);
  total.failures.push(...failures);
}

/** Runs steps in a process of their own, and prints its output when it has ended: several at once cannot be read. */
async function startBeside(wanted) {
  console.log(`\n== ${wanted.join(", ")}: begun, printed when the others are done`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  const output = join(root, ".cache", `beside-${wanted[0]}.log`);
  const result = join(root, ".cache", `beside-${wanted[0]}.json`);
  rmSync(result, { force: true });
  const printed = openSync(output, "w");
  const parameters = [fileURLToPath(import.meta.url), `--only=${wanted.join(",")}`, `--report=${result}`];
  const child = spawn(process.execPath, parameters, { cwd: root, stdio: ["ignore", printed, printed] });
  await once(child, "exit");
  process.stdout.write(readFileSync(output));
  if (existsSync(result)) return JSON.parse(readFileSync(result, "utf8"));
  return { passed: 0, failed: 1, broken: wanted, failures: ["These steps ended without a result."] };
}

/** A step that passes or fails as a whole, by its exit code. */
function check(runStep) {
  return () => (runStep() === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}
