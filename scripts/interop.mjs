// `npm run interop`: packages of others, as they are on npm, with ours; writes docs/reference/interop.md. With `--latest` the newest
// of each, and writes nothing.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { isInstalled } from "./lib/is-installed.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runNpm, runPackage } from "./lib/run.mjs";

const usage = `Usage: npm run interop -- [--latest]

Runs others' packages with ours, and writes docs/reference/interop.md.

  --latest  The newest version of each package, not the pinned one; says which, and writes nothing.
  --help    This.`;

const { latest, help } = readOptions();
if (help) {
  console.log(usage);
  process.exit(0);
}

const folder = join(root, "test", "interop");
const aside = join(root, ".cache", "interop-set-aside");
const files = ["package.json", "package-lock.json"];

ensureInstalled();
await ensureBuilt();
ensurePrograms(["chromium"]);
// The running program ends by itself, and then `finally` is reached.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
// Left there by a run that was killed.
putBack();
try {
  if (latest) takeLatest();
  else if (!isInstalled(folder)) install();
  rmSync(join(root, ".cache", "interop-seen"), { recursive: true, force: true });
  process.exitCode = runPackage("vitest", "run", "--project", "interop");
  if (!latest && process.exitCode === 0) process.exitCode = runNode("scripts/write-reference.mjs", "interop.md");
} finally {
  putBack();
}

function readOptions() {
  const options = {
    latest: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    return process.exit(2);
  }
}

/** Installs the newest versions; the pinned manifest and its lock file are set aside. */
function takeLatest() {
  for (const file of files) cpSync(join(folder, file), join(aside, file));
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { dependencies } = manifest;
  const pinned = { ...dependencies };
  for (const name of newestNames(dependencies)) dependencies[name] = `${packageOf(pinned, name).alias}latest`;
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
  rmSync(join(folder, "package-lock.json"));
  install();
  for (const name of Object.keys(pinned)) {
    const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
    const { real, version: before } = packageOf(pinned, name);
    console.log(before === version ? `${real} ${version}` : `${real} ${version}, pinned at ${before}`);
  }
}

/** Of a package that stands there in several versions, the last. */
function newestNames(dependencies) {
  const names = new Map();
  const byNumber = (one, other) => one.localeCompare(other, "en", { numeric: true });
  for (const name of Object.keys(dependencies).sort(byNumber)) names.set(packageOf(dependencies, name).real, name);
  return names.values();
}

function packageOf(dependencies, name) {
  const [, real, version] = /^npm:(.+)@([^@]+)$/.exec(dependencies[name]) ?? [undefined, name, dependencies[name]];
  return { real, version, alias: real === name ? "" : `npm:${real}@` };
}

function putBack() {
  if (!existsSync(aside)) return;
  for (const file of files.filter((name) => existsSync(join(aside, name))))
    cpSync(join(aside, file), join(folder, file));
  rmSync(aside, { recursive: true });
}

function install() {
  console.log("Installing what others wrote");
  const parameters = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  if (runNpm("install", ...parameters) !== 0) throw new Error("npm failed: see its message above.");
}
