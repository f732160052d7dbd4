// Recognises the requests that need no protocol: one tools/call, well-formed in every detail. Whatever is not plainly
// so is left to the SDK, which also knows how to refuse it.
import type { IncomingHttpHeaders } from "node:http";
import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { identifierPattern, isJsonObject } from "../../../wire/index.ts";
import type { AskMethod, JsonObject } from "../../../wire/index.ts";
import type { AgentName } from "../callers.ts";
import { asksOf } from "./request.ts";

export interface PlainCall {
  /** The JSON of the request's id. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly key: string | undefined;
  /** Whether the client wants to hear how far the call is. */
  readonly wantsProgress: boolean;
}

/** A plain call of revision 2026-07-28, and all that it says of its client. */
export interface StatelessCall extends PlainCall {
  readonly client: AgentName;
  readonly asks: readonly AskMethod[];
}

const statelessVersion = "2026-07-28";

/** What MCP itself says in `_meta` begins so. */
const reserved = "io.modelcontextprotocol/";
const version = `${reserved}protocolVersion`;
const clientInfo = `${reserved}clientInfo`;
const clientCapabilities = `${reserved}clientCapabilities`;
const ofStateless: readonly string[] = [version, clientInfo, clientCapabilities];

/** A plain call in a session. */
export function sessionCall(headers: IncomingHttpHeaders, body: unknown): PlainCall | undefined {
  return plainCall(headers, body, []);
}

function plainCall(headers: IncomingHttpHeaders, body: unknown, known: readonly string[]): PlainCall | undefined {
  if (!acceptsBoth(headers.accept) || !isJsonObject(body)) return undefined;
  const { jsonrpc, id, method, params, ...otherFields } = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isId(id) || !isJsonObject(params)) return undefined;
  const { name, arguments: given = {}, _meta = {}, idempotencyKey, ...otherParameters } = params;
  if (typeof name !== "string" || !isJsonObject(given) || !isJsonObject(_meta)) return undefined;
  if (!isEmpty(otherFields) || !isEmpty(otherParameters) || !isPlainMeta(_meta, known)) return undefined;
  const key = idempotencyKey === undefined ? _meta["pagewire/idempotencyKey"] : idempotencyKey;
  if (key !== undefined && !(typeof key === "string" && identifierPattern.test(key))) return undefined;
  return {
    id: JSON.stringify(id),
    name,
    arguments: JSON.stringify(given),
    key,
    wantsProgress: _meta["progressToken"] !== undefined,
  };
}

/** A plain call of revision 2026-07-28. */
export function statelessCall(headers: IncomingHttpHeaders, body: unknown): StatelessCall | undefined {
  if (headers["mcp-protocol-version"] !== statelessVersion || headers["mcp-method"] !== "tools/call") return undefined;
  const call = plainCall(headers, body, ofStateless);
  if (!call || headers["mcp-name"] !== call.name) return undefined;
  const _meta = metaOf(body);
  const capabilities = _meta[clientCapabilities];
  const client = clientOf(_meta[clientInfo]);
  if (_meta[version] !== statelessVersion || !isJsonObject(capabilities) || !isWellFormed(_meta)) return undefined;
  return client && { client, asks: asksOf(capabilities), ...call };
}

/** What a client calls itself, as far as it says so. */
export function clientOf(info: unknown): AgentName | undefined {
  if (info === undefined) return { name: "mcp" };
  if (!isJsonObject(info) || typeof info["name"] !== "string") return undefined;
  const { name, version: itsVersion } = info;
  return {
    name: (name as string).slice(0, longest),
    version: typeof itsVersion === "string" ? itsVersion.slice(0, longest) : undefined,
  };
}

const longest = 128;

function metaOf(body: unknown): JsonObject {
  return (((body as JsonObject)["params"] as JsonObject)["_meta"] as JsonObject) ?? {};
}

/**
 * A call that was begun must not be refused later: whatever the SDK would refuse, and whatever it has to know of, is
 * not plain.
 */
function isPlainMeta(_meta: JsonObject, known: readonly string[]): boolean {
  const { progressToken } = _meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  for (const name in _meta) if (name.startsWith(reserved) && !known.includes(name)) return false;
  return true;
}

const verdicts = new Map<string, boolean>();
const mostVerdicts = 100;
/** What is longer is looked at anew each time, and not kept in memory. */
const longestKnown = 4096;

/** Whether the SDK takes what a client says of itself. The same clients come again and again: it is asked once. */
function isWellFormed(_meta: JsonObject): boolean {
  const text = JSON.stringify([_meta[version], _meta[clientInfo], _meta[clientCapabilities]]);
  const known = verdicts.get(text);
  if (known !== undefined) return known;
  const envelope = Object.fromEntries(ofStateless.map((name) => [name, _meta[name]]));
  const { kind } = classifyInboundRequest({
    httpMethod: "POST",
    protocolVersionHeader: statelessVersion,
    mcpMethodHeader: "ping",
    body: { jsonrpc: "2.0", id: 0, method: "ping", params: { _meta: envelope } },
  });
  if (verdicts.size >= mostVerdicts) verdicts.clear();
  if (text.length <= longestKnown) verdicts.set(text, kind === "modern");
  return kind === "modern";
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes("application/json") === true && accept.includes("text/event-stream");
}
