// Validates the options of `registerWebMcp` once, and names the invalid one in an error.
import { PagewireError } from "../wire/index.ts";
import { chooseLogger } from "./web-mcp-logger.ts";
import type { WebMcpLogger } from "./web-mcp-logger.ts";
import type { WebMcpCommonOptions, WebMcpOptions, WebMcpServer, WebMcpServersOptions } from "./web-mcp-options.ts";

/** A server with its absolute address. */
export interface ServerSetting extends WebMcpServer {
  readonly prefix: string;
  readonly handshake: "initialize" | "discover";
}

export interface BridgeSettings extends WebMcpCommonOptions {
  readonly servers: readonly ServerSetting[];
  readonly watch: boolean;
  readonly safeNames: boolean;
  readonly logger: WebMcpLogger;
}

export function readSettings(options: WebMcpOptions | WebMcpServersOptions): BridgeSettings {
  const { watch = true, safeNames = false, results } = options;
  if (results !== undefined && results !== "mcp" && results !== "text") throw wrong('results must be "mcp" or "text"');
  const given: unknown = "servers" in options ? options.servers : [options];
  if (!Array.isArray(given) || given.length === 0) throw wrong("servers must be a list of at least one server");
  if ("servers" in options && "url" in options) throw wrong("there is either a url or servers, not both");
  const servers = (given as readonly WebMcpServer[]).map(readServer);
  return { ...options, watch, safeNames, servers, logger: chooseLogger(options) };
}

function readServer(server: WebMcpServer): ServerSetting {
  const { prefix = "", timeoutMs = 1, handshake = "initialize" } = server;
  if (typeof prefix !== "string") throw wrong("prefix must be text");
  if (handshake !== "initialize" && handshake !== "discover")
    throw wrong('handshake must be "initialize" or "discover"');
  if (!(timeoutMs > 0)) throw wrong("timeoutMs must be a number of milliseconds above zero");
  for (const name of ["getHeaders", "filter", "mapTool", "fetch"] as const) {
    if (server[name] !== undefined && typeof server[name] !== "function") throw wrong(`${name} must be a function`);
  }
  return { ...server, prefix, handshake, url: wholeUrl(server.url) };
}

function wholeUrl(given: unknown): string {
  // A document with an opaque origin has no base for relative addresses.
  const base = (globalThis as Partial<typeof globalThis>).location?.origin;
  const url = typeof given === "string" || given instanceof URL ? String(given) : "";
  if (url !== "" && URL.canParse(url)) return new URL(url).href;
  if (url !== "" && URL.canParse(url, base)) return new URL(url, base).href;
  throw wrong(
    'url must be the address of an MCP server, such as "https://example.com/mcp", or in a page a relative one, such as "/mcp"',
  );
}

function wrong(what: string): PagewireError {
  return new PagewireError("options-invalid", `registerWebMcp: ${what}.`);
}
