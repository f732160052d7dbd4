// Runs another program for its output: with a limit of time, and with nothing left of it afterwards.
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Io } from "../common/io.ts";

export interface Brief {
  /** The program's path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Io["environment"];
  readonly platform: string;
  /** Aborted once it has taken too long. */
  readonly patience: AbortSignal;
  /** Aborted where the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface Output {
  readonly text: string;
  /** Whether it was ended because it took too long. */
  readonly isCut: boolean;
  /** Whether it ran at all. */
  readonly error?: Error;
}

const maxOutput = 64 * 1024;
/** How long a process of the program that has left its group may hold its output. */
const lingering = 1000;

/** Resolves once the program has ended, with all that it started. Rejects where the signal is aborted. */
export function runBriefly({ program, args, cwd, env, platform, patience, signal }: Brief): Promise<Output> {
  signal.throwIfAborted();
  // On Windows npm installs a script.
  const [command, ...words] = platform === "win32" ? ["cmd", "/d", "/c", program, ...args] : [program, ...args];
  const child = spawn(command ?? "", words, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: platform !== "win32",
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    let text = "";
    let isCut = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(0, maxOutput)));
    }
    const end = () => endGroup(child, platform);
    const cut = () => {
      isCut = child.exitCode === null && child.signalCode === null;
      end();
    };
    const stop = () => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    let lingers: NodeJS.Timeout | undefined;
    patience.addEventListener("abort", cut);
    signal.addEventListener("abort", end);
    child.on("exit", () => {
      end();
      lingers = setTimeout(stop, lingering);
    });
    child.on("error", (error) => done(error));
    child.on("close", () => done());

    function done(error?: Error): void {
      clearTimeout(lingers);
      patience.removeEventListener("abort", cut);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve({ text, isCut, ...(error ? { error } : {}) });
    }
  });
}

/** Ends the program and the servers that it started. */
function endGroup({ pid }: ChildProcess, platform: string): void {
  if (pid === undefined) return;
  if (platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

/** A command's file on the PATH; undefined where it is not installed. */
export function findCommand(command: string, { environment, platform }: Pick<Io, "environment" | "platform">) {
  const { PATH, Path = "", PATHEXT = ".EXE;.CMD" } = environment;
  const endings = platform === "win32" ? PATHEXT.split(";") : [""];
  return (PATH ?? Path)
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => join(folder, command + ending)))
    .find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
