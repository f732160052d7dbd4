// Real MCP clients of both lines of the SDK, against a hub of a test.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { afterEach } from "vitest";
import type { TestHub } from "../../hub.test-helper.ts";

export type Revision = "2025-11-25" | "2026-07-28";

export interface McpClientOptions extends Omit<ClientOptions, "versionNegotiation"> {
  /** The revision that it is held to; "auto" lets it find out. */
  readonly revision?: Revision | "auto";
  readonly name?: string;
  /** The one tab whose tools it sees. */
  readonly tab?: string;
  readonly token?: string;
}

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Connects a client of the SDK's second line. */
export async function connectClient(hub: TestHub, options: McpClientOptions = {}): Promise<Client> {
  const { revision = "2026-07-28", name = "tester", tab, token = hub.token, ...rest } = options;
  const client = new Client({ name, version: "1.0" }, { ...rest, versionNegotiation: { mode: modeOf(revision) } });
  const url = new URL(tab === undefined ? "/mcp" : `/mcp/tabs/${tab}`, hub.url);
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  return client;
}

function modeOf(revision: Revision | "auto") {
  if (revision === "auto") return "auto";
  return revision === "2026-07-28" ? { pin: revision } : "legacy";
}
