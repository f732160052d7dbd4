import { PagewireError, parseUrl } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";

/** The address for requests to a hub, without a trailing slash; also accepts the address of its sockets. */
export function hubAddress(url: string): string {
  const text = url.replace(/^ws/, "http");
  const parsed = parseUrl(text);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.origin + parsed.pathname.replace(/\/+$/, "");
  throw new PagewireError("options-invalid", `"${url}" is not the address of a hub.`);
}

/** The MCP endpoint of a hub: for all of its tabs, or one. */
export function mcpAddress(hub: string, tab: string | undefined): URL {
  const url = parseUrl(hub);
  if (url === undefined || !/^(http|ws)s?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw usageError(
      `${JSON.stringify(hub)} is not the address of a hub. Write it like this: "http://127.0.0.1:7337".`,
    );
  }
  const path = tab === undefined ? "mcp" : `mcp/tabs/${encodeURIComponent(tab)}`;
  return new URL(`${url.protocol.replace("ws", "http")}//${url.host}${url.pathname.replace(/\/?$/, "/")}${path}`);
}
