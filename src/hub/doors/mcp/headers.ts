// MCP 2026-07-28 over HTTP: headers repeat what is in the body, for those on the way who do not read bodies. The hub
// holds the two against each other.
import type { IncomingHttpHeaders } from "node:http";
import { RpcError, claimIn, newestVersion } from "../../../mcp/index.ts";
import type { Request } from "../../../mcp/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { decodeHeader } from "./param-headers.ts";

interface Told {
  readonly method: string;
  readonly params: JsonObject;
}

/** Whether a message is of the newest revision; throws where its header and its body disagree. */
export function isOfNewest(headers: IncomingHttpHeaders, { method, params }: Told): boolean {
  const version = headerOf(headers, "mcp-protocol-version");
  const claim = claimIn(params);
  const isNew = version !== undefined && version >= newestVersion;
  if (claim === undefined) {
    if (isNew && method === "initialize") throw mismatch("MCP-Protocol-Version", "the revision of an initialize");
    return isNew;
  }
  if (version !== undefined && typeof claim === "string" && claim !== version) {
    throw mismatch("MCP-Protocol-Version", "the revision in _meta");
  }
  const said = headerOf(headers, "mcp-method");
  if (said !== undefined && said !== method) throw mismatch("Mcp-Method", "the method");
  return true;
}

const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** Refuses a request of the newest revision that lacks a header, or whose name is another one there. */
export function checkHeaders(headers: IncomingHttpHeaders, { method, params }: Request): void {
  if (headerOf(headers, "mcp-protocol-version") === undefined) throw missing("MCP-Protocol-Version");
  if (headerOf(headers, "mcp-method") === undefined) throw missing("Mcp-Method");
  const field = Object.hasOwn(named, method) ? named[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  if (typeof name !== "string") return;
  const said = headerOf(headers, "mcp-name");
  if (said === undefined) throw missing("Mcp-Name");
  if (decodeHeader(said) !== name) throw mismatch("Mcp-Name", `the ${field}`);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name]?.toString().trim();
}

function missing(header: string): RpcError {
  return new RpcError("header-mismatch", `The header ${header} is missing. Send what the body says in it as well.`);
}

function mismatch(header: string, what: string): RpcError {
  return new RpcError("header-mismatch", `The header ${header} says something else than ${what} in the body.`);
}
