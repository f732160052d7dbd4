import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { runPackage } from "./run.mjs";

/** Runs projects of vitest.config.ts; returns how many tests passed and failed. */
export function runTests(...projects) {
  const report = join(root, ".cache", `tests-${projects.join("-")}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const chosen = projects.flatMap((project) => ["--project", project]);
  const exitCode = runPackage("vitest", "run", ...chosen, ...reporters);
  const { passed, failed } = countTests(report);
  // No tests, a file that does not load, an error outside of every test: the run failed although no test did.
  const failedOtherwise = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: failed + (failedOtherwise ? 1 : 0) };
}

function countTests(report) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch (error) {
    console.error(`vitest left no report of its run: ${error.message}`);
    return { passed: 0, failed: 0 };
  }
}
