import { isInstalled } from "./is-installed.mjs";
import { root } from "./root.mjs";
import { runNpm } from "./run.mjs";

/** Installs the dependencies when node_modules is not what the lock file says. */
export function ensureInstalled() {
  if (isInstalled(root)) return;
  console.log("Installing dependencies");
  if (runNpm("ci", "--include=dev") !== 0) throw new Error("npm ci failed: see its message above.");
}
