// Recognises the requests that need no protocol: one tools/call, well-formed in every detail. Whatever is not plainly
// so is left to the SDK, which also knows how to refuse it.
import type { IncomingHttpHeaders } from "node:http";
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

export const statelessVersion = "2026-07-28";

const version = "io.modelcontextprotocol/protocolVersion";
const clientInfo = "io.modelcontextprotocol/clientInfo";
const clientCapabilities = "io.modelcontextprotocol/clientCapabilities";
const logLevel = "io.modelcontextprotocol/logLevel";

export function plainCall(headers: IncomingHttpHeaders, body: unknown): PlainCall | undefined {
  if (!acceptsBoth(headers.accept) || !isJsonObject(body)) return undefined;
  const { jsonrpc, id, method, params, ...otherFields } = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isId(id) || !isJsonObject(params)) return undefined;
  const { name, arguments: given = {}, _meta = {}, idempotencyKey, ...otherParameters } = params;
  if (typeof name !== "string" || !isJsonObject(given) || !isJsonObject(_meta)) return undefined;
  if (!isEmpty(otherFields) || !isEmpty(otherParameters)) return undefined;
  const key = idempotencyKey ?? _meta["pagewire/idempotencyKey"];
  if (key !== undefined && !(typeof key === "string" && identifierPattern.test(key))) return undefined;
  return {
    id: JSON.stringify(id),
    name,
    arguments: JSON.stringify(given),
    key,
    wantsProgress: _meta["progressToken"] !== undefined,
  };
}

export function statelessCall(headers: IncomingHttpHeaders, body: unknown): StatelessCall | undefined {
  if (headers["mcp-protocol-version"] !== statelessVersion || headers["mcp-method"] !== "tools/call") return undefined;
  const call = plainCall(headers, body);
  if (!call || headers["mcp-name"] !== call.name) return undefined;
  const _meta = metaOf(body);
  const capabilities = _meta[clientCapabilities];
  const client = clientOf(_meta[clientInfo]);
  if (_meta[version] !== statelessVersion || !isJsonObject(capabilities) || logLevel in _meta) return undefined;
  return client && { ...call, client, asks: asksOf(capabilities) };
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
