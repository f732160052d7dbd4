import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./root.mjs";

/** Runs a program in the repository's folder with this terminal; returns its exit code. */
export function run(program, parameters) {
  const { status, error } = spawnSync(program, parameters, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (error) throw new Error(`"${program}" could not be started: ${error.message}`);
  return status ?? 1;
}

/** Runs a script with this same Node. */
export function runNode(...parameters) {
  return run(process.execPath, parameters);
}

/** Runs the (first) command that an installed package brings, without the shims that differ by platform. */
export function runPackage(name, ...parameters) {
  const manifestPath = join(root, "node_modules", name, "package.json");
  const { bin } = createRequire(import.meta.url)(manifestPath);
  const [command] = typeof bin === "string" ? [bin] : Object.values(bin);
  return runNode(join(dirname(manifestPath), command), ...parameters);
}

/** Runs npm: the one that started this script, else the one on the path. */
export function runNpm(...parameters) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) return runNode(npm, ...parameters);
  return process.platform === "win32" ? run("cmd", ["/c", "npm", ...parameters]) : run("npm", parameters);
}
