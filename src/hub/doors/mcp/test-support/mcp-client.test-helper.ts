// Real MCP clients from both major versions of the SDK, against a test's hub.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OlderTransportLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { HubDoor } from "../../../test-support/http.test-helper.ts";

/** The newest revision of each era. */
export const revisions = ["2025-11-25", "2026-07-28"] as const;

export type Revision = (typeof revisions)[number];

export interface McpClientOptions extends Omit<ClientOptions, "versionNegotiation"> {
  /** The client's fixed revision; "auto" negotiates it. */
  readonly revision?: Revision | "auto";
  readonly name?: string;
  /** The one tab whose tools it sees. */
  readonly tab?: string;
  readonly token?: string;
}

/** Connects a client of the SDK's second major version; one with a session can receive notifications afterwards. */
export async function connectClient(hub: HubDoor, options: McpClientOptions = {}): Promise<Client> {
  const { revision = "2026-07-28", name = "tester", tab, token = hub.token, ...rest } = options;
  const client = new Client({ name, version: "1.0" }, { ...rest, versionNegotiation: { mode: modeOf(revision) } });
  const url = new URL(tab === undefined ? "/mcp" : `/mcp/tabs/${tab}`, hub.url);
  const headers = { Authorization: `Bearer ${token}` };
  let opened = () => {};
  const stream = new Promise<void>((resolve) => (opened = resolve));
  const watchStream: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === "GET") opened();
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: watchStream }));
  onTestFinished(() => client.close());
  if (client.getProtocolEra() === "legacy") await stream;
  return client;
}

function modeOf(revision: Revision | "auto") {
  if (revision === "auto") return "auto";
  return revision === "2026-07-28" ? { pin: revision } : "legacy";
}

/** Connects a client of the SDK's first major version, which only knows sessions. */
export async function connectOlderClient(hub: HubDoor, capabilities: ClientCapabilities = {}): Promise<OlderClient> {
  const client = new OlderClient({ name: "older", version: "1.0" }, { capabilities });
  const headers = { Authorization: `Bearer ${hub.token}` };
  const transport = new OlderTransport(new URL("/mcp", hub.url), { requestInit: { headers } });
  // The SDK's own types disagree on what may be undefined.
  await client.connect(transport as OlderTransportLike);
  onTestFinished(() => client.close());
  return client;
}
