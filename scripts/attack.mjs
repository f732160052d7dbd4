// `npm run attack`: builds, attacks a real hub in a process of its own, and writes docs/reference/security.md. With words, such
// as `npm run attack -- gate tokens`, it runs the chapters with these names only, and writes nothing.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";

const words = process.argv.slice(2);
const vitest = (...more) => runPackage("vitest", "run", ...more);

ensureInstalled();
ensurePrograms();
process.exitCode = runNode("scripts/build.mjs") || (words.length > 0 ? runSome() : runAll());

function runSome() {
  return vitest("--project", "attack", "--project", "floods", ...words);
}

function runAll() {
  // Nothing of an earlier run may be left, nor of one of `npm test`.
  rmSync(join(root, ".cache", "security"), { recursive: true, force: true });
  return (
    vitest("--project", "attack") ||
    vitest("--project", "floods") ||
    runNode("scripts/write-reference.mjs", "security.md")
  );
}
