// Installs the programs of test/agents into the cache: they are large, and `npm install` of the project must not grow.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { frameworkNames } from "./agent-names.mjs";
import { isInstalled } from "./is-installed.mjs";
import { root } from "./root.mjs";
import { runNode, runNpm } from "./run.mjs";

const pinned = join(root, "test", "agents", "programs");

/** The folder with the pinned programs, or with the newest of each; both are installed where they are missing. */
export function ensureAgents({ isLatest = false } = {}) {
  const folder = join(root, ".cache", isLatest ? "agents-latest" : "agents");
  if (isLatest) writeLatest(folder);
  else copyPinned(folder);
  if (isLatest || !isInstalled(folder)) install(folder);
  return folder;
}

/** A folder that has at least these packages of the pinned programs: where all are installed, that one. */
export function ensureSomeAgents(names) {
  if (existsSync(join(root, ".cache", "agents", "node_modules"))) return ensureAgents();
  const folder = join(root, ".cache", "agents-quick");
  writePinned(folder, names);
  if (!isInstalled(folder)) install(folder);
  return folder;
}

/** Installs the examples for agents' SDKs that have one of these names. */
export function ensureSdks(names) {
  for (const name of frameworkNames().filter((each) => names.includes(each))) {
    const folder = join(root, "examples", "agent-sdks", name);
    if (isInstalled(folder)) continue;
    console.log(`Installing ${name}`);
    const parameters = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    if (runNpm("install", ...parameters) !== 0) throw new Error("npm failed: see its message above.");
  }
}

function copyPinned(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(pinned, name), join(folder, name));
}

/** A manifest of these packages, and the part of the lock file that they need. */
function writePinned(folder, names) {
  mkdirSync(folder, { recursive: true });
  const { name, ...manifest } = readPinned("package.json");
  const { packages, ...lock } = readPinned("package-lock.json");
  const dependencies = Object.fromEntries(names.map((each) => [each, manifest.dependencies[each]]));
  const needed = new Set(names.map((each) => `node_modules/${each}`));
  for (const path of needed)
    for (const each of Object.keys({ ...packages[path].dependencies, ...packages[path].optionalDependencies }))
      needed.add(`node_modules/${each}`);
  const entries = [...needed].map((path) => [path, packages[path]]);
  const parts = {
    "package.json": { name, private: true, dependencies },
    "package-lock.json": { ...lock, packages: { "": { name, dependencies }, ...Object.fromEntries(entries) } },
  };
  for (const [file, content] of Object.entries(parts)) writeFileSync(join(folder, file), JSON.stringify(content));
}

function readPinned(file) {
  return JSON.parse(readFileSync(join(pinned, file), "utf8"));
}

function writeLatest(folder) {
  mkdirSync(folder, { recursive: true });
  const manifest = readPinned("package.json");
  const newest = Object.keys(manifest.dependencies).map((name) => [name, "latest"]);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ ...manifest, dependencies: Object.fromEntries(newest) }),
  );
  rmSync(join(folder, "package-lock.json"), { force: true });
}

function install(folder) {
  console.log(`Installing the programs into ${folder}`);
  // Some name a newer Node as their engine, which comes with them.
  const parameters = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // Not `ci`, which refuses a lock file that lacks the binaries of other systems.
  if (runNpm("install", ...parameters) !== 0) throw new Error("npm failed: see its message above.");
  for (const script of installers) {
    const path = join(folder, "node_modules", script);
    if (existsSync(path) && runNode(path) !== 0) throw new Error(`${script} failed: see its message above.`);
  }
}

/** The scripts that put a program's binary for this machine into its place. Those of all other packages do not run. */
const installers = ["@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs"];
