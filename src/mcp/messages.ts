// What the messages of MCP say: JSON-RPC 2.0, and the words of each revision. Up to 2025-11-25 a client initializes first;
// in 2026-07-28 each request says for itself what its client is.
import type { CallRequest } from "../switchboard/index.ts";
import { identifierPattern, isJsonObject, logLevels, parseTrace } from "../wire/index.ts";
import type { Json, JsonObject, LogLevel, Payload, TraceContext } from "../wire/index.ts";

export type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The JSON of its arguments as it came, where its carrier still has it. */
  readonly arguments?: Payload | undefined;
  /** Where its carrier says that it is in a trace. */
  readonly trace?: TraceContext | undefined;
}

export type Incoming =
  | ({ readonly kind: "request" } & Request)
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: unknown; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: "malformed"; readonly id: RequestId | null; readonly error: RpcError };

/** Why a request has no result. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: keyof typeof rpcCodes, message: string, data?: JsonObject) {
    super(message);
    this.code = rpcCodes[code];
    this.data = data;
  }
}

const rpcCodes = {
  "parse-error": -32_700,
  "invalid-request": -32_600,
  "method-not-found": -32_601,
  "invalid-params": -32_602,
  "internal-error": -32_603,
  "header-mismatch": -32_020,
  "missing-capability": -32_021,
  "unsupported-version": -32_022,
} as const;

/** Reads one message, of which its carrier may say where it is in a trace; never throws. */
export function parseRpc(data: unknown, trace?: TraceContext): Incoming {
  if (!isJsonObject(data)) return malformed(null, "A message must be a JSON-RPC object.");
  const { jsonrpc, id, method, params = {}, result, error, ...others } = data;
  const asked = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return malformed(asked, 'A message must have "jsonrpc": "2.0".');
  for (const name in others) return malformed(asked, `A message has no field "${name.slice(0, longestName)}".`);
  const isAnswer = result !== undefined || error !== undefined;
  if (method === undefined && isAnswer) return { kind: "response", id, result, error };
  if (isAnswer) return malformed(asked, "A request has neither a result nor an error.");
  if (typeof method !== "string") return malformed(asked, "The method must be a string.");
  if (id !== undefined && asked === null) {
    return malformed(null, "The id of a request must be a string or a whole number.");
  }
  if (!isJsonObject(params) || !hasToken(params)) {
    return malformed(asked, "The params of a request must be an object, and its progress token a string or a number.");
  }
  if (asked === null) return { kind: "notification", method, params };
  return { kind: "request", id: asked, method, params, trace };
}

const longestName = 100;

/** The answer to a request that has no result. */
export function errorAnswer(id: RequestId | null, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } };
}

function malformed(id: RequestId | null, message: string): Incoming {
  return { kind: "malformed", id, error: new RpcError("invalid-request", message) };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** A call that was begun must not be refused later for what its progress is to be told under. */
function hasToken({ _meta = {} }: JsonObject): boolean {
  return isJsonObject(_meta) && (_meta["progressToken"] === undefined || isId(_meta["progressToken"]));
}

/** The revisions with a beginning, best first. */
export const olderVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The first revision without several messages in one. */
export const batchesEnd = "2025-06-18";

export const newestVersion = "2026-07-28";

const prefix = "io.modelcontextprotocol/";
const versionName = `${prefix}protocolVersion`;
const capabilitiesName = `${prefix}clientCapabilities`;
const logLevelName = `${prefix}logLevel`;
const clientInfoName = `${prefix}clientInfo`;

/** What a server says of itself. */
export interface ServerWords {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: () => string;
}

/** What a client calls itself. */
export interface ClientName {
  readonly name: string;
  readonly version: string | undefined;
}

/** What a client says of itself. */
export interface ClientWords {
  readonly client: ClientName;
  readonly capabilities: JsonObject;
  readonly logLevel?: LogLevel | undefined;
}

/** The revision that a message says it is of; undefined where it says none. */
export function claimIn({ _meta }: JsonObject): Json | undefined {
  return isJsonObject(_meta) ? _meta[versionName] : undefined;
}

/** What a request of the newest revision says of its client; undefined where it says no revision. */
export function parseEnvelope(params: JsonObject): ClientWords | undefined {
  const version = claimIn(params);
  if (version === undefined) return undefined;
  if (typeof version !== "string") throw wrong(versionName, "a string");
  const _meta = params["_meta"] as JsonObject;
  const { [capabilitiesName]: capabilities, [clientInfoName]: info, [logLevelName]: logLevel } = _meta;
  if (!isJsonObject(capabilities)) throw wrong(capabilitiesName, "an object");
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw wrong(logLevelName, "a level of logs");
  const isNamed = info === undefined || (isJsonObject(info) && typeof info["version"] === "string");
  if (!isNamed) throw wrong(clientInfoName, "an object with a name and a version");
  const client = parseClientInfo(info ?? {}, clientInfoName);
  if (version !== newestVersion) {
    const supported = { supported: [newestVersion], requested: version };
    throw new RpcError("unsupported-version", `Unsupported protocol version: ${version}`, supported);
  }
  return { client, capabilities, logLevel };
}

/** What an `initialize` asks for: the client's revision, or the best that there is, and who it is. */
export function parseInitialize(params: JsonObject): ClientWords & { readonly version: string } {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string") throw wrong("protocolVersion", "a string");
  if (!isJsonObject(capabilities)) throw wrong("capabilities", "an object");
  const version = olderVersions.includes(protocolVersion) ? protocolVersion : olderVersions[0];
  return { version: version ?? "", capabilities, client: parseClientInfo(clientInfo, "clientInfo") };
}

export function isLogLevel(level: unknown): level is LogLevel {
  return logLevels.includes(level as LogLevel);
}

/** As long as the name of an agent may be for a page. */
const longest = 128;

function parseClientInfo(info: unknown, field: string): ClientName {
  if (!isJsonObject(info)) throw wrong(field, "an object");
  const { name = "mcp", version } = info;
  if (typeof name !== "string") throw wrong(`${field}.name`, "a string");
  return {
    name: name.slice(0, longest),
    version: typeof version === "string" ? version.slice(0, longest) : undefined,
  };
}

/** What a request is answered with in which something has the wrong form. */
export function wrong(name: string, form: string): RpcError {
  return new RpcError("invalid-params", `Invalid params: "${name}" must be ${form}.`);
}

/** The call that a `tools/call` or a `prompts/get` describes; throws where its parameters have the wrong form. */
export function namedCall(method: "tools/call" | "prompts/get", request: Request): CallRequest {
  const { params } = request;
  const { arguments: given = {} } = params;
  if (!isJsonObject(given)) throw wrong("arguments", "an object");
  return { method, name: textIn(params, "name"), arguments: request.arguments ?? jsonOf(given), key: keyOf(params) };
}

export function textIn(params: JsonObject, name: string): string {
  const { [name]: value } = params;
  if (typeof value !== "string") throw wrong(name, "a string");
  return value;
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
export function keyOf({ idempotencyKey, _meta }: JsonObject): string | undefined {
  const key = idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new RpcError("invalid-params", "The idempotency key must be 1 to 128 printable characters without spaces.");
}

/** Where a request is in its caller's trace: its own word wins over that of its carrier, which may carry others, too. */
export function traceOf({ params, trace }: Request): TraceContext | undefined {
  return parseTrace(params["_meta"]) ?? trace;
}

/** A port carries more than JSON can say. */
function jsonOf(given: JsonObject): string {
  try {
    return JSON.stringify(given);
  } catch {
    throw wrong("arguments", "what JSON can say");
  }
}

export function initializeResult(protocolVersion: string, server: ServerWords): JsonObject {
  const { info, capabilities, instructions } = server;
  return { protocolVersion, capabilities, serverInfo: info, instructions: instructions() };
}

export function discoverResult(server: ServerWords): JsonObject {
  const { capabilities, instructions } = server;
  return uncached({ supportedVersions: [newestVersion], capabilities, instructions: instructions() }, server);
}

/** A result in the form of the newest revision. */
export function complete(result: JsonObject, { info }: ServerWords): JsonObject {
  const { _meta } = result;
  return {
    resultType: "complete",
    ...result,
    _meta: { [`${prefix}serverInfo`]: info, ...(isJsonObject(_meta) ? _meta : {}) },
  };
}

/** A result in the form of the newest revision that may be different the next moment. */
export function uncached(result: JsonObject, server: ServerWords): JsonObject {
  return complete({ ttlMs: 0, cacheScope: "private", ...result }, server);
}

/** What ties a notification to the request that asked for it. */
export function subscriptionMark(id: string | number): JsonObject {
  return { _meta: { [`${prefix}subscriptionId`]: id } };
}
