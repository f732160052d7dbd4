import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "./is-main.mjs";
import { root } from "./root.mjs";
import { runNode } from "./run.mjs";

/** The examples with a check of their own; the tests of `npm run agents` check the others. */
const names = readdirSync(join(root, "examples")).filter((name) =>
  existsSync(join(root, "examples", name, "check.mjs")),
);

/** Runs the check of every example, in a process of their own; returns how many passed and failed. */
export function runExamples() {
  const failed = runNode(fileURLToPath(import.meta.url));
  return { passed: names.length - failed, failed };
}

if (isMain(import.meta)) {
  // Only here: in a fresh clone, npm test has yet to install what this imports.
  const { checkExamples } = await import("./example-world.mjs");
  // An example's leftovers must not keep the process alive.
  process.exit(await checkExamples(names));
}
