// Real MCP clients that use the dashboard, over HTTP and over stdio.
import { tmpdir } from "node:os";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Implementation } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import type { Demo } from "./demo.test-helper.ts";

export interface DemoAgentOptions {
  /** The client's name and version. */
  readonly agent?: Implementation;
  /** Which line of protocol revisions the client speaks. */
  readonly mode?: "auto" | "legacy";
}

/** Connects to the hub's /mcp, with its token. */
export async function connectAgent({ hub }: Demo, options: DemoAgentOptions = {}): Promise<Client> {
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  return connect(new StreamableHTTPClientTransport(new URL("/mcp", hub.url), { requestInit: { headers } }), options);
}

/** Starts the program of a command line as it stands, in a folder and an environment without any trace of Pagewire. */
export function startAgent(line: string, options: DemoAgentOptions = {}): Promise<Client> {
  const [command = "", ...args] = line.split(" ");
  const env = { PATH: process.env["PATH"] ?? "", HOME: tmpdir() };
  return connect(new StdioClientTransport({ command, args, env, cwd: tmpdir() }), options);
}

async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  { agent = { name: "tester", version: "1.0" }, mode = "auto" }: DemoAgentOptions,
): Promise<Client> {
  const client = new Client(agent, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}
