import { usageError } from "../command.ts";

/** Where a hub at an address serves MCP: all of its tabs, or one. */
export function mcpAddress(hub: string, tab: string | undefined): URL {
  const url = URL.canParse(hub) ? new URL(hub) : undefined;
  if (url === undefined || !/^(http|ws)s?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw usageError(
      `${JSON.stringify(hub)} is not the address of a hub. Write it like this: "http://127.0.0.1:7337".`,
    );
  }
  const path = tab === undefined ? "mcp" : `mcp/tabs/${encodeURIComponent(tab)}`;
  return new URL(`${url.protocol.replace("ws", "http")}//${url.host}${url.pathname.replace(/\/?$/, "/")}${path}`);
}
