import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./root.mjs";
import { runPackage } from "./run.mjs";

/** Runs projects of vitest.config.ts; returns how many tests passed and failed, and a line about each that failed. */
export function runTests(...projects) {
  return runTestFiles([], ...projects);
}

/** The same for the files of these projects whose paths have one of these texts in them. */
export function runTestFiles(files, ...projects) {
  const report = join(root, ".cache", `tests-${projects.join("-")}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const chosen = projects.flatMap((project) => ["--project", project]);
  const exitCode = runPackage("vitest", "run", ...files, ...chosen, ...reporters);
  const { passed, failed, failures } = readReport(report);
  // No tests, a file that does not load, an error outside of every test: the run failed although no test did.
  const failedOtherwise = failed === 0 && (exitCode !== 0 || passed === 0);
  if (!failedOtherwise) return { passed, failed, failures };
  const reason = `${projects.join(", ")}: an error outside of every test, or no test at all`;
  return { passed, failed: 1, failures: [...failures, reason] };
}

function readReport(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests, failures: testResults.flatMap(failuresOf) };
  } catch (error) {
    console.error(`vitest left no report of its run: ${error.message}`);
    return { passed: 0, failed: 0, failures: [] };
  }
}

/** The titles of the tests that failed, by a report; throws where there is none, or where it has no test. */
export function failedTests(report) {
  const { numTotalTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  if (numTotalTests === 0) throw new Error("No test was run.");
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return all.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
}

/** A file that does not load has a message of its own, and no test. */
function failuresOf({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const messages = failed.map(({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages[0])}`);
  return [...(message ? [firstLine(message)] : []), ...messages].map((line) => `${relative(root, name)}: ${line}`);
}

/** Vitest's own text for a test that ran past its time is a placeholder. */
function firstLine(text = "") {
  return text.split("\n", 1)[0].replace("STACK_TRACE_ERROR", "it did not end in its time (testTimeout, hookTimeout)");
}
