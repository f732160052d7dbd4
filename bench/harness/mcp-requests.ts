// Requests of an MCP client, in both forms: with a session, and with everything in each request.
import { argumentsFor } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";
import type { HttpRequest } from "./http-connection.ts";
import { agentToken } from "./prepare-callers.ts";

export const revisions = ["2025-11-25", "2026-07-28"] as const;

/** A revision of MCP: the last one with sessions, and the first one without. */
export type Revision = (typeof revisions)[number];

export interface McpTarget {
  readonly port: number;
  readonly revision: Revision;
  readonly size: SizeName;
}

const name = "answer";
const clientInfo = { name: "pagewire-bench", version: "1.0.0" };

/** The request of one client of many: of one session, no two may have the same id at a time. */
export function callRequest({ port, revision, size }: McpTarget, session: string, index: number): HttpRequest {
  const counter = String(100_000_000 + index * 1_000_000);
  const params = { name, arguments: argumentsFor(size) };
  const all = revision === "2026-07-28" ? { ...params, _meta: statelessMeta } : params;
  return {
    port,
    path: "/mcp",
    headers: {
      ...headersOf(revision),
      ...(revision === "2026-07-28" ? statelessHeaders : { "Mcp-Session-Id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: Number(counter), method: "tools/call", params: all }),
    counter,
  };
}

/** Opens a session as a client must, and returns its id. */
export async function openSession(port: number): Promise<string> {
  const revision = "2025-11-25";
  const post = (message: object, headers: Readonly<Record<string, string>>) =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  const { "MCP-Protocol-Version": _, ...headers } = headersOf(revision);
  const response = await post({ id: 1, method: "initialize", params }, headers);
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`No session: ${response.status} ${await response.text()}`);
  await response.text();
  const { status } = await post({ method: "notifications/initialized" }, sessionHeaders(session));
  if (status !== 202) throw new Error(`The session was not initialized: ${status}`);
  return session;
}

/** The names of all tools that a client of the revision without sessions lists, over all pages. */
export async function listToolNames(port: number): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: statelessMeta };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { ...headersOf("2026-07-28"), "Mcp-Method": "tools/list" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The list was not given: ${response.status} ${text.slice(0, 500)}`);
    const { result } = JSON.parse(text) as { readonly result: ToolList };
    names.push(...result.tools.map((tool) => tool.name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return names;
}

interface ToolList {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/** The headers of every request in a session. */
export function sessionHeaders(session: string) {
  return { ...headersOf("2025-11-25"), "Mcp-Session-Id": session };
}

function headersOf(revision: Revision) {
  return {
    Authorization: `Bearer ${agentToken}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
  };
}

const statelessHeaders = { "Mcp-Method": "tools/call", "Mcp-Name": name };

const statelessMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
