import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { runPackage } from "./run.mjs";

/** Runs one project of vitest.config.ts; returns how many tests passed and failed. */
export function runTests(project) {
  const report = join(root, ".cache", `tests-${project}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const exitCode = runPackage("vitest", "run", "--project", project, ...reporters);
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
