// The real `pagewire` command in processes of its own, each spoken to line by line.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { speakOn } from "./client.test-helper.ts";
import type { LineClient } from "./client.test-helper.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** The command, bundled from its source into a folder that is laid out like the package. */
export interface BuiltCommand {
  readonly program: string;
  remove(): void;
}

export async function buildCommand(): Promise<BuiltCommand> {
  const folder = join(root, ".cache", `command-${process.pid}-${crypto.randomUUID()}`);
  const program = join(folder, "dist", "cli", "main.js");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", version: "0.0.0-test" }));
  await build({
    entryPoints: [join(root, "src", "cli", "main.ts")],
    outdir: dirname(program),
    bundle: true,
    // A command loads the packages that it needs. In one file each process would load those of all commands.
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A `pagewire mcp` that runs. */
export interface McpProcess extends LineClient {
  readonly child: ChildProcess;
  /** Its output on stderr. */
  notes(): string;
  /** Resolves once this was written to stderr. */
  noted(text: string): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

export interface McpProcessOptions {
  readonly program: string;
  readonly home: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export function startMcp({ program, home, args = [], environment = {} }: McpProcessOptions): McpProcess {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, "mcp", ...args], {
    env: { PATH, HOME, PAGEWIRE_HOME: home, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let notes = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (notes += text));
  // Writing to a process that has ended is a part of some tests.
  child.stdin.on("error", () => {});
  const exited = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  async function noted(text: string): Promise<void> {
    while (!notes.includes(text)) await once(child.stderr, "data");
  }
  return { ...speakOn(child.stdin, child.stdout), child, notes: () => notes, noted, exited };
}

/** A `pagewire hub` that runs. */
export interface HubOfCommand {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends a signal, SIGKILL by default, and waits until it is over. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a hub as a user would; resolves when it listens. */
export async function startHub(
  { program, home }: Pick<McpProcessOptions, "program" | "home">,
  port = "0",
): Promise<HubOfCommand> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, "hub", "--json", "--port", port], {
    env: { PATH, HOME, PAGEWIRE_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line) as { event: string; url: string };
    if (event !== "hub-listening") continue;
    child.stdout.resume();
    const end = async (signal: NodeJS.Signals = "SIGKILL") => {
      child.kill(signal);
      await exited;
    };
    return { url, child, end };
  }
  throw new Error("The hub ended before it listened.");
}
