import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const skipped = new Set(["node_modules", "dist", ".cache"]);

/** Every file below the given folders, as paths from the repository's folder; a missing folder has none. */
export function filesIn(...folders) {
  return folders.flatMap(walk);
}

function walk(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
  });
}
