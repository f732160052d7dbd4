import { PagewireError, messageOf } from "../../wire/index.ts";
import type { SpawnPty } from "./pty.ts";

export interface FindPtyOptions {
  /** Loads a package by its name. */
  readonly loadPty?: ((name: string) => Promise<unknown>) | undefined;
  readonly platform?: string | undefined;
  /** The command that installs a package where it is found. */
  readonly install?: (name: string) => string;
}

/** Needs neither a compiler nor install scripts. */
const best = "@lydell/node-pty";
const packages = [best, "node-pty"];

/** Finds a package that opens pseudo terminals; rejects with `terminal-unavailable` and a remedy if there is none. */
export async function findPty(options: FindPtyOptions = {}): Promise<SpawnPty> {
  const { loadPty = (name: string): Promise<unknown> => import(name), platform = process.platform } = options;
  const { install = (name: string) => `npm install ${name}` } = options;
  if (platform === "win32") throw unavailable("Windows has no shells that Pagewire can open. Run the hub in WSL.");
  const problems: string[] = [];
  for (const name of packages) {
    try {
      const spawn = spawnOf(await loadPty(name));
      if (spawn) return spawn;
      problems.push(`${name} has no function "spawn".`);
    } catch (error) {
      if (!isMissing(error)) problems.push(`${name} could not be loaded: ${messageOf(error)}`);
    }
  }
  const found = problems.length === 0 ? "and no package for them is installed." : "and";
  throw unavailable(`Terminals need pseudo terminals, ${[found, ...problems].join(" ")} Run: ${install(best)}`);
}

/** CommonJS packages have their exports as the default export. */
function spawnOf(loaded: unknown): SpawnPty | undefined {
  const { spawn, default: own } = Object(loaded) as { readonly spawn?: unknown; readonly default?: unknown };
  const found = spawn ?? (Object(own) as { readonly spawn?: unknown }).spawn;
  return typeof found === "function" ? (found as SpawnPty) : undefined;
}

function isMissing(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

function unavailable(message: string): PagewireError {
  return new PagewireError("terminal-unavailable", message);
}
