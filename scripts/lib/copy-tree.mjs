import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./root.mjs";

/** Copies this tree into a temporary folder, links to what is installed, and removes the copy when `use` is done with it. */
export async function withCopy(use) {
  const copy = mkdtempSync(join(tmpdir(), "pagewire-copy-"));
  const skipped = new Set([".git", "node_modules"].map((name) => join(root, name)));
  try {
    cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(path) });
    const installed = join(copy, "node_modules");
    mkdirSync(installed);
    // The package by its own name is the copy.
    for (const name of readdirSync(join(root, "node_modules"))) {
      symlinkSync(name === "pagewire" ? copy : join(root, "node_modules", name), join(installed, name));
    }
    return await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
