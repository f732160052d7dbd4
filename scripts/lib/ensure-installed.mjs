import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { runNpm } from "./run.mjs";

/** Installs the dependencies when node_modules is not what the lock file says. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log("Installing dependencies");
  if (runNpm("ci", "--include=dev") !== 0) throw new Error("npm ci failed: see its message above.");
}

/** npm writes down what it installed: that must match the lock file, and must still be on disk. */
function isInstalled() {
  const installedPath = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedPath)) return false;
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(installedPath);
  const asWanted = Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    return found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional;
  });
  return asWanted && Object.keys(installed).every((path) => existsSync(join(root, path, "package.json")));
}

/** What a lock file says about each folder below node_modules and each workspace; the root itself ("") is neither. */
function readPackages(path) {
  const { "": _root, ...packages } = JSON.parse(readFileSync(path, "utf8")).packages;
  return packages;
}
