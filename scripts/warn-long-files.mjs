// Names the source files that grow past 250 lines; the linter refuses those past 400.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "./lib/files.mjs";
import { root } from "./lib/root.mjs";

for (const path of filesIn("src", "apps", "examples", "bench", "test", "scripts")) {
  if (!/\.(tsx?|mjs)$/.test(path)) continue;
  const lines = readFileSync(join(root, path), "utf8").split("\n").length - 1;
  if (lines > 250) console.warn(`warning: ${path} has ${lines} lines: consider splitting it.`);
}
