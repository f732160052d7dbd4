// How an agent finds out whether every tab is there, and every tool.
import type { FloorList } from "../hubs/floor-list-hub.ts";
import { listToolNames } from "./mcp-requests.ts";
import { agentToken } from "./prepare-callers.ts";

/** How much of the list is there. */
export interface Listed {
  readonly tabs: number;
  /** Number of tools with distinct names. */
  readonly tools: number;
}

/** Asks once. The list of tools is asked for only when this many tabs are there. */
export type AskForList = (port: number, tabs: number) => Promise<Listed>;

/** Asks Pagewire's hub for its tabs, and then for an MCP client's list of tools. */
export async function askPagewire(port: number, wanted: number): Promise<Listed> {
  const response = await fetch(`http://127.0.0.1:${port}/api/call/list_browser_tabs`, {
    method: "POST",
    headers: { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" },
    body: "{}",
  });
  const { result } = (await response.json()) as { readonly result: { readonly structuredContent: TabList } };
  const tabs = result.structuredContent.tabs.filter(({ tools }) => tools.length > 0).length;
  if (tabs < wanted) return { tabs, tools: 0 };
  const names = await listToolNames(port);
  return { tabs, tools: names.filter((name) => name.startsWith("answer")).length };
}

interface TabList {
  readonly tabs: readonly { readonly tools: readonly unknown[] }[];
}

/** Asks the floor for all that it has. */
export async function askFloor(port: number): Promise<Listed> {
  const { tabs, offers } = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as FloorList;
  return { tabs, tools: new Set(offers.flat().map(({ name }) => name)).size };
}
