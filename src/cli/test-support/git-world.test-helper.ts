// Real git with the real command as its helper, in a home of its own, and a scripted tab at the other end.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuiltCommand } from "../mcp/test-support/command.test-helper.ts";
import type { ScriptedTab } from "./scripted-tab.test-helper.ts";

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface GitWorld {
  readonly home: string;
  /** The environment of started programs. */
  readonly environment: Readonly<Record<string, string>>;
  start(program: string, args: readonly string[], options?: RunOptions): Running;
  git(args: readonly string[], options?: RunOptions): Promise<Ended>;
  pagewire(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** A repository with one commit and this remote, ready to push. */
  repository(name: string, url: string): Promise<string>;
  /** A program that git would use to ask for a password, and whether it did. */
  readonly askpass: string;
  close(): void;
}

export function createGitWorld({ program }: BuiltCommand, tab: ScriptedTab): GitWorld {
  const home = mkdtempSync(join(tmpdir(), "pagewire-git-"));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    PAGEWIRE_HOME: join(home, "state"),
    ...tab.environment,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
  const askpass = join(home, "askpass");
  writeFileSync(askpass, `#!/bin/sh\necho "$1" >> "${home}/asked"\necho typed\n`, { mode: 0o755 });

  function start(name: string, args: readonly string[], options: RunOptions = {}): Running {
    const { folder = home, input = "" } = options;
    const env = { ...environment, ...options.environment };
    // In its own session it has no terminal to ask on.
    const child = spawn(name, args, { cwd: folder, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const ended = endOf(child);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return { child, ended };
  }

  const git: GitWorld["git"] = (args, options) => start("git", args, options).ended;
  return {
    home,
    environment,
    askpass,
    start,
    git,
    pagewire: (args, options) => start(process.execPath, [program, ...args], options).ended,
    async repository(name, url) {
      const folder = join(home, name);
      mkdirSync(folder);
      for (const args of [
        ["init", "--quiet", "--initial-branch=main"],
        ["commit", "--quiet", "--allow-empty", "--message", name],
        ["remote", "add", "origin", url],
      ]) {
        const { code, err } = await git(args, { folder });
        if (code !== 0) throw new Error(err);
      }
      return folder;
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let [out, err] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}
