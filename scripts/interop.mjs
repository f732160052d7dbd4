// `npm run interop`: packages of others, as they are on npm, with ours; writes docs/reference/interop.md. With `--latest` the newest
// of each, and writes nothing.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { isInstalled } from "./lib/is-installed.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runNpm, runPackage } from "./lib/run.mjs";

const usage = "npm run interop [-- --latest]: others' packages with ours; --latest takes the newest of each.";
const { latest, help } = parseArgs({
  options: { latest: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
}).values;
if (help) {
  console.log(usage);
  process.exit(0);
}

ensureInstalled();
const folder = join(root, "test", "interop");
const kept = join(root, ".cache", "interop-pinned");
const files = ["package.json", "package-lock.json"];
if (latest) for (const file of files) cpSync(join(folder, file), join(kept, file), { recursive: true });
try {
  if (latest) useLatest();
  if (latest || !isInstalled(folder)) install();
  rmSync(join(root, ".cache", "interop-seen"), { recursive: true, force: true });
  process.exitCode = runPackage("vitest", "run", "--project", "interop");
  if (!latest && process.exitCode === 0) process.exitCode = runNode("scripts/write-reference.mjs", "interop.md");
} finally {
  if (latest) for (const file of files) cpSync(join(kept, file), join(folder, file));
}

/** Of a package that stands there in several versions, only the last follows. */
function useLatest() {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const [name, wanted] of Object.entries(manifest.dependencies)) {
    const [, real] = /^npm:(.+)@[^@]+$/.exec(wanted) ?? [];
    if (real === undefined) manifest.dependencies[name] = "latest";
    else if (name.endsWith("-7")) manifest.dependencies[name] = `npm:${real}@latest`;
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
  rmSync(join(folder, "package-lock.json"));
}

function install() {
  console.log("Installing what others wrote");
  const parameters = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  if (runNpm("install", ...parameters) !== 0) throw new Error("npm failed: see its message above.");
}
