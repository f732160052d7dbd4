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

function writeLatest(folder) {
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(pinned, "package.json"), "utf8"));
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
