import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { runNode } from "./run.mjs";

/** Runs the check of every example; returns how many passed and failed. */
export function runExamples() {
  const codes = readdirSync(join(root, "examples")).map((name) => {
    console.log(`-- ${name}`);
    return runNode(`examples/${name}/check.mjs`);
  });
  const failed = codes.filter((code) => code !== 0).length;
  return { passed: codes.length - failed, failed };
}
