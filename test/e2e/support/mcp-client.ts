import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Hub } from "pagewire/hub";

/** Connects an MCP client to a hub by HTTP. */
export async function connectMcp({ url }: Pick<Hub, "url">, token: string, name = "tester"): Promise<Client> {
  const client = new Client({ name, version: "1.0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return client;
}
