import { PagewireError, messageOf } from "../../wire/index.ts";

export interface FindPtyOptions {
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

/** The part of node-pty's interface that is used; compatible packages have it too. */
export interface PtyLike {
  readonly pid: number;
  /** The master's descriptor and the slave's device: undocumented, but present in all of the packages. */
  readonly fd?: number;
  readonly ptsName?: string;
  /** The name of the program in the foreground. */
  readonly process?: string;
  onData(listener: (data: string | Uint8Array) => void): unknown;
  onExit(listener: (exit: { readonly exitCode: number; readonly signal?: number }) => void): unknown;
  write(data: string): void;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
}

/** Options for opening a pseudo terminal; `encoding: null` returns bytes. */
interface PtyOptions {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly encoding: null;
}

/** Starts a program in a new pseudo terminal. */
export type SpawnPty = (file: string, args: string[], options: PtyOptions) => PtyLike;
