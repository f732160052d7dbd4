// Real MCP clients that use the dashboard, by HTTP and by stdio.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Implementation } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach } from "vitest";
import { pagewireCommand } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";

export interface DemoAgentOptions {
  /** What it says of itself. */
  readonly agent?: Implementation;
  /** Which line of protocol revisions it speaks. */
  readonly mode?: "auto" | "legacy";
}

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Connects to the hub's /mcp, with its token. */
export async function connectAgent({ hub }: Demo, options: DemoAgentOptions = {}): Promise<Client> {
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  return connect(new StreamableHTTPClientTransport(new URL("/mcp", hub.url), { requestInit: { headers } }), options);
}

/** Starts the command that a line names, as its user would find it, and speaks to that. */
export function startAgent({ hub }: Demo, line: string, options: DemoAgentOptions = {}): Promise<Client> {
  const [program, yes, name, ...words] = line.split(" ");
  if (`${program} ${yes} ${name}` !== "npx -y pagewire") throw new Error(`"${line}" does not start Pagewire.`);
  const env = { PATH: process.env["PATH"] ?? "", PAGEWIRE_HOME: hub.home };
  return connect(
    new StdioClientTransport({ command: process.execPath, args: [pagewireCommand, ...words], env }),
    options,
  );
}

async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  { agent = { name: "tester", version: "1.0" }, mode = "auto" }: DemoAgentOptions,
): Promise<Client> {
  const client = new Client(agent, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(transport);
  return client;
}
