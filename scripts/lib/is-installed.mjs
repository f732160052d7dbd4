import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** npm writes down what it installed in a folder: that must match its lock file, and must still be on disk. */
export function isInstalled(folder) {
  const installedPath = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(installedPath)) return false;
  const wanted = readPackages(join(folder, "package-lock.json"));
  const installed = readPackages(installedPath);
  const asWanted = Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    return found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional;
  });
  return asWanted && Object.keys(installed).every((path) => existsSync(join(folder, path, "package.json")));
}

/** A lock file's entries for each folder below node_modules and each workspace; the root itself ("") is neither. */
function readPackages(path) {
  const { "": _root, ...packages } = JSON.parse(readFileSync(path, "utf8")).packages;
  return packages;
}
