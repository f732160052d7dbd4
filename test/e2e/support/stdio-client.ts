import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import type { Tool } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { within } from "./wait.ts";

/** A client of an MCP server that runs as a separate program. */
export interface StdioClient {
  readonly client: Client;
  /** Resolves once it was notified of a changed list of tools, and the new list is as wanted. */
  toldOf(isWanted: (tools: readonly Tool[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface StdioOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The client's name. */
  readonly name?: string;
}

/** Runs a Node script in a folder of its own, and speaks MCP with it. */
export async function connectStdio(
  script: string,
  { args = [], env = {}, name = "tester" }: StdioOptions = {},
): Promise<StdioClient> {
  const cwd = await mkdtemp(join(tmpdir(), "pagewire-program-"));
  let told = 0;
  let hear = () => {};
  const onChanged = (): void => {
    told++;
    hear();
  };
  const client = new Client(
    { name, version: "1.0" },
    { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  const { PATH = "" } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, ...args],
    cwd,
    env: { PATH, HOME: cwd, ...env },
    stderr: "ignore",
  });
  await client.connect(transport);
  let seen = 0;

  async function look(isWanted: (tools: readonly Tool[]) => boolean): Promise<void> {
    for (;;) {
      while (told === seen) await new Promise<void>((resolve) => (hear = resolve));
      seen = told;
      if (isWanted((await client.listTools()).tools)) return;
    }
  }

  return {
    client,
    toldOf: (isWanted) => within(look(isWanted), () => `${name} was told of no list of tools that it wants.`),
    async close() {
      await client.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}
