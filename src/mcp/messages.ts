// Parses and builds MCP messages. Up to 2025-11-25 a client initializes a session; in 2026-07-28 each request describes its
// client.
import type { CallRequest } from "../switchboard/index.ts";
import { identifierPattern, isJsonObject, logLevels, parseTrace } from "../wire/index.ts";
import type { Json, JsonObject, LogLevel, Payload, TraceContext } from "../wire/index.ts";

export type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The original JSON of its arguments, if the transport still has it. */
  readonly arguments?: Payload | undefined;
  readonly trace?: TraceContext | undefined;
}

export type Incoming =
  | ({ readonly kind: "request" } & Request)
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: unknown; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: "malformed"; readonly id: RequestId | null; readonly error: RpcError };

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

/** Parses one message; never throws. */
export function parseRpc(data: unknown, trace?: TraceContext): Incoming {
  if (!isJsonObject(data)) return malformed(null, "A message must be a JSON-RPC object.");
  const { jsonrpc, id, method, params = {}, result, error, ...others } = data;
  const asked = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return malformed(asked, 'A message must have "jsonrpc": "2.0".');
  for (const name in others) return malformed(asked, `A message has no field "${name.slice(0, maxName)}".`);
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

const maxName = 100;

export function errorAnswer(id: RequestId | null, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } };
}

function malformed(id: RequestId | null, message: string): Incoming {
  return { kind: "malformed", id, error: new RpcError("invalid-request", message) };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Checked before a call begins, since it cannot be refused later. */
function hasToken({ _meta = {} }: JsonObject): boolean {
  return isJsonObject(_meta) && (_meta["progressToken"] === undefined || isId(_meta["progressToken"]));
}

/** The revisions with `initialize`, newest first. */
export const olderVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The first revision without batches. */
export const batchesEnd = "2025-06-18";

export const newestVersion = "2026-07-28";

const prefix = "io.modelcontextprotocol/";
const versionName = `${prefix}protocolVersion`;
const capabilitiesName = `${prefix}clientCapabilities`;
const logLevelName = `${prefix}logLevel`;
const clientInfoName = `${prefix}clientInfo`;

export interface ServerWords {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: () => string;
}

export interface ClientName {
  readonly name: string;
  readonly version: string | undefined;
}

export interface ClientWords {
  readonly client: ClientName;
  readonly capabilities: JsonObject;
  readonly logLevel?: LogLevel | undefined;
}

/** The revision that a message claims, if any. */
export function claimIn({ _meta }: JsonObject): Json | undefined {
  return isJsonObject(_meta) ? _meta[versionName] : undefined;
}

/** The client in a request of the newest revision; undefined if it names no revision. */
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

/** Parses `initialize`: the client's revision, or the newest that we support, and its name. */
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

/** The max length of an agent's name in frames. */
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

/** The error for invalid parameters. */
export function wrong(name: string, form: string): RpcError {
  return new RpcError("invalid-params", `Invalid params: "${name}" must be ${form}.`);
}

/** Parses a `tools/call` or `prompts/get`; throws an RpcError for invalid parameters. */
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

/** The idempotency key: as proposed for MCP, or our own extension. */
export function keyOf(params: JsonObject): string | undefined {
  const key = givenKey(params);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new RpcError("invalid-params", "The idempotency key must be 1 to 128 printable characters without spaces.");
}

export function givenKey({ idempotencyKey, _meta }: JsonObject): Json | undefined {
  return idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
}

/** The trace context: the request's own wins over the transport's, which may be shared with other requests. */
export function traceOf({ params, trace }: Request): TraceContext | undefined {
  return parseTrace(params["_meta"]) ?? trace;
}

/** A message port can carry values that JSON cannot. */
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

/** A result as the newest revision defines it. */
export function complete(result: JsonObject, { info }: ServerWords): JsonObject {
  const { _meta } = result;
  return {
    resultType: "complete",
    ...result,
    _meta: { [`${prefix}serverInfo`]: info, ...(isJsonObject(_meta) ? _meta : {}) },
  };
}

/** An uncacheable result of the newest revision. */
export function uncached(result: JsonObject, server: ServerWords): JsonObject {
  return complete({ ttlMs: 0, cacheScope: "private", ...result }, server);
}

/** Ties a notification to its subscription. */
export function subscriptionMark(id: string | number): JsonObject {
  return { _meta: { [`${prefix}subscriptionId`]: id } };
}
