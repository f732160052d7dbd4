import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import type { Hub } from "pagewire/hub";

type Negotiation = ClientOptions["versionNegotiation"];

/** Connects an MCP client to a hub over HTTP. */
export async function connectMcp(
  { url }: Pick<Hub, "url">,
  token: string,
  { name = "tester", mode }: { readonly name?: string; readonly mode?: NonNullable<Negotiation>["mode"] } = {},
): Promise<Client> {
  const client = new Client({ name, version: "1.0" }, mode === undefined ? {} : { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return client;
}
