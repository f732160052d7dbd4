// Which command starts `pagewire mcp` from wherever a client starts it: npx, where npx finds this package from there,
// else this installation by its full path.
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { contextNamePattern, stateDirectory } from "../../state/index.ts";
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { isLoopback } from "../reach-hub/find-hub.ts";
import type { Place, Scope } from "./clients/client.ts";

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

/** Whether an entry is as `connect` writes it here for a hub of this machine: nothing more may be set by a stranger. */
export function isOwnCommand(entry: JsonObject, { environment, platform, homeDirectory }: Place): boolean {
  const words = wordsOf(entry);
  const { env = {} } = entry;
  const { node, script } = ownInstallation();
  const form = [[node, script, "mcp"], ...npxForms].find((each) => startsWith(words, each));
  if (form === undefined || !isJsonObject(env)) return false;
  const home = stateDirectory(environment, platform, homeDirectory);
  return (
    areAims(words.slice(form.length)) &&
    Object.entries(env).every(([name, value]) => name === "PAGEWIRE_HOME" && value === home)
  );
}

/** Whether an entry leaves it to npx where the package is. */
export function isNpx(entry: JsonObject): boolean {
  return wordsOf(entry)
    .slice(0, 3)
    .some((word) => typeof word === "string" && /(^|[\\/])npx(\.cmd)?$/i.test(word));
}

/** The file that decides what npx starts in this folder; undefined where only its user's own settings and packages do. */
export function foreignToNpx(folder: string, homeDirectory: string): string | undefined {
  if (folder === homeDirectory) return undefined;
  const found = deciding
    .map((name) => join(folder, name))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  const manifest = join(folder, "package.json");
  if (found !== undefined || hasCommand(manifest)) return found ?? manifest;
  const parent = dirname(folder);
  return parent === folder ? undefined : foreignToNpx(parent, homeDirectory);
}

/** cmd starts a program of the folder that it is in before all others. */
const deciding = [
  join("node_modules", ".bin", "pagewire"),
  join("node_modules", "pagewire"),
  ".npmrc",
  "npx.cmd",
  "npx.bat",
  "npx.exe",
];

/** npx starts a command of the package that it is started in before any other of that name. */
function hasCommand(manifest: string): boolean {
  if (!existsSync(manifest)) return false;
  const read = parseJsonObject(readFileSync(manifest, "utf8"), 64);
  // npm may still read what cannot be read here, and takes each file of a folder of commands.
  if (read === undefined || read["directories"] !== undefined) return true;
  const { name, bin } = read;
  const names = isJsonObject(bin) ? Object.keys(bin) : bin === undefined ? [] : [name];
  return names.some((each) => typeof each === "string" && each.endsWith("pagewire"));
}

const npx = ["npx", "-y", "pagewire", "mcp"];
const npxForms = [npx, ["cmd", "/c", ...npx]];

function wordsOf({ command = "", args }: JsonObject): readonly Json[] {
  return [command, ...(Array.isArray(args) ? args : [])];
}

function startsWith(words: readonly Json[], form: readonly string[]): boolean {
  return form.every((word, index) => words[index] === word);
}

/** A tab or a hub, and nothing that cmd would read as more than a word. */
function areAims([option, value, ...more]: readonly Json[]): boolean {
  if (option === undefined) return true;
  if (typeof value !== "string") return false;
  const isTab = option === "--tab" && /^[\w.:-]{1,128}$/.test(value);
  const isHub = option === "--hub" && /^(http|ws)s?:\/\/[\w.:[\]-]+(\/[\w.~-]*)*$/.test(value) && isLoopback(value);
  const isContext = option === "--context" && contextNamePattern.test(value);
  return (isTab || isHub || isContext) && areAims(more);
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
