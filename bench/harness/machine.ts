import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";

/** The machine on which the figures were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
  };
}

/** Packages that are measured, each with something that it exports. */
const entries = [
  ["ws", "ws"],
  ["@lydell/node-pty", "@lydell/node-pty"],
  ["birpc", "birpc"],
  ["express", "express"],
  ["fastify", "fastify"],
  ["@modelcontextprotocol/server", "@modelcontextprotocol/server"],
  ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
  ["@modelcontextprotocol/sdk", "@modelcontextprotocol/sdk/server/mcp.js"],
  ["@playwright/mcp", "@playwright/mcp/package.json"],
  ["chrome-devtools-mcp", "chrome-devtools-mcp/package.json"],
  ["eventsource-parser", "eventsource-parser"],
  ["openai", "openai"],
  ["ai", "ai"],
  ["@ai-sdk/openai", "@ai-sdk/openai"],
  ["gpt-tokenizer", "gpt-tokenizer"],
] as const;

/** The versions of everything that was measured. */
export function versions(root: string, chromium: string | undefined): Readonly<Record<string, string>> {
  const require = createRequire(`${root}/bench/run.mjs`);
  const packages = entries.map(([name, entry]) => [name, versionOf(require.resolve(entry), name)]);
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string };
  return {
    pagewire: version,
    node: process.versions.node,
    chromium: (chromium && versionFrom(chromium, "--version")) ?? "none",
    tmux: tmuxVersion() ?? "none",
    ...Object.fromEntries(packages),
  };
}

/** Not every package exports its package.json. */
function versionOf(entry: string, name: string): string {
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}/`.length);
  return (JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string }).version;
}

/** Undefined where there is none. */
export function tmuxVersion(): string | undefined {
  return versionFrom("tmux", "-V");
}

/** A program's version; undefined if there is no such program. */
function versionFrom(path: string, option: string): string | undefined {
  try {
    const text = execFileSync(path, [option], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /\d+\.\d+\S*/.exec(text)?.[0] ?? text.trim();
  } catch {
    return undefined;
  }
}
