// `npm run attack`: builds, attacks a real hub in a process of its own, and writes docs/reference/security.md.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";

ensureInstalled();
ensurePrograms();
rmSync(join(root, ".cache", "security"), { recursive: true, force: true });
process.exitCode =
  runNode("scripts/build.mjs") ||
  runPackage("vitest", "run", "--project", "attack", ...process.argv.slice(2)) ||
  runNode("scripts/write-reference.mjs", "security.md");
