// Which command starts `pagewire mcp` from wherever a client starts it: npx, where npx finds this package from there,
// else this installation by its full path.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { Scope } from "./clients/client.ts";

/** A copy of this package on this machine. */
export interface Installation {
  /** The folder that holds its package.json. */
  readonly root: string;
  /** The program behind the command `pagewire`. */
  readonly script: string;
  readonly node: string;
}

/** How a client starts Pagewire. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Whether it contains paths, and so works only on this machine. */
  readonly isLocal: boolean;
}

export interface LaunchOptions {
  readonly scope: Scope;
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly installation: Installation;
  /** Whether npx must be started through cmd, because it is a script on Windows. */
  readonly needsCmd: boolean;
  /** Whether to always use the full path of this installation. */
  readonly isAbsolute: boolean;
}

/** The command that a client starts Pagewire with. */
export function launchFor(options: LaunchOptions): Launch {
  const { isAbsolute, installation, needsCmd } = options;
  if (isAbsolute || !isFoundByNpx(options)) {
    return { command: installation.node, args: [installation.script], isLocal: true };
  }
  const npx = ["npx", "-y", "pagewire"] as const;
  const [command, ...args] = needsCmd ? (["cmd", "/c", ...npx] as const) : npx;
  return { command, args, isLocal: false };
}

/** This copy of the package. */
export function ownInstallation(): Installation {
  const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[\\/]$/, "");
  const bin = parseJsonObject(readFileSync(join(root, "package.json"), "utf8"), 20)?.["bin"];
  const script = isJsonObject(bin) ? bin["pagewire"] : undefined;
  return { root, script: join(root, typeof script === "string" ? script : ""), node: process.execPath };
}

/** Whether an entry starts this Pagewire in a form that `connect` writes, and sets nothing else for it. */
export function isOwnCommand({ command, args, env = {} }: JsonObject): boolean {
  const { node, script } = ownInstallation();
  const npx = ["npx", "-y", "pagewire", "mcp"];
  const words = JSON.stringify([command, ...(Array.isArray(args) ? args : [])]);
  const isForm = [[node, script, "mcp"], npx, ["cmd", "/c", ...npx]].some((form) =>
    words.startsWith(JSON.stringify(form).slice(0, -1)),
  );
  return isForm && isJsonObject(env) && Object.keys(env).every((name) => name.startsWith("PAGEWIRE_"));
}

/** npx checks the project's own packages first, then the globally installed ones, then the registry. */
function isFoundByNpx({ scope, project, environment, installation }: LaunchOptions): boolean {
  const { root } = installation;
  // npx can fetch again anything it has fetched once.
  if (root.split(sep).includes("_npx")) return true;
  if (isOnPath(environment["PATH"] ?? environment["Path"] ?? "", installation)) return true;
  return scope === "project" && isInstalledIn(project);
}

/** Whether the command is installed globally. Ignores folders that npx and npm add to the PATH. */
export function isOnPath(path: string, { script }: Installation): boolean {
  const folders = path
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.split(sep).includes("node_modules"));
  return folders.some((folder) => {
    if (!existsSync(join(folder, "pagewire"))) return false;
    // On Windows the command is a small script next to the packages, not a link.
    const packaged = join(folder, "node_modules", "pagewire");
    return isSameFile(join(folder, "pagewire"), script) || isSameFile(packaged, dirname(dirname(dirname(script))));
  });
}

function isInstalledIn(folder: string): boolean {
  if (existsSync(join(folder, "node_modules", "pagewire", "package.json"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInstalledIn(parent);
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}
