import { join } from "node:path";
import { findSuiteNode } from "./find-suite-node.mjs";
import { isInstalled } from "./is-installed.mjs";
import { root } from "./root.mjs";
import { runNpm } from "./run.mjs";
import { runTests } from "./run-tests.mjs";

const folder = join(root, "test", "conformance");

/** Runs the MCP conformance suite and the Inspector, installed where they are missing; returns how much passed and failed. */
export function runConformance() {
  try {
    ensureSuite();
  } catch (error) {
    console.error(error.message);
    return { passed: 0, failed: 1 };
  }
  return runTests("conformance");
}

function ensureSuite() {
  if (!isInstalled(folder)) {
    console.log("Installing the MCP conformance suite");
    // They name a newer Node as their engine, which comes with them.
    if (runNpm("ci", "--prefix", folder, "--ignore-scripts", "--loglevel=error") !== 0) {
      throw new Error("npm ci failed: see its message above.");
    }
  }
  findSuiteNode();
}
