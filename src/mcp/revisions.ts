// The revisions of MCP: up to 2025-11-25 a client initializes first; in 2026-07-28 each request says for itself what its
// client is.
import { isJsonObject, logLevels } from "../wire/index.ts";
import type { Json, JsonObject, LogLevel } from "../wire/index.ts";
import { RpcError } from "./rpc.ts";

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
  if (!isJsonObject(capabilities) || !areSound(capabilities)) throw wrong(capabilitiesName, "an object of objects");
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
  if (!isJsonObject(capabilities) || !areSound(capabilities)) throw wrong("capabilities", "an object of objects");
  const version = olderVersions.includes(protocolVersion) ? protocolVersion : olderVersions[0];
  return { version: version ?? "", capabilities, client: parseClientInfo(clientInfo, "clientInfo") };
}

const capabilityNames = ["elicitation", "sampling", "roots", "experimental", "extensions"];
const partNames = ["form", "url", "tools", "context"];

/** Whether what questions depend on has its form. */
function areSound(capabilities: JsonObject): boolean {
  const hasObjects = (value: JsonObject, names: readonly string[]) =>
    names.every((name) => value[name] === undefined || isJsonObject(value[name]));
  const { elicitation = {}, sampling = {} } = capabilities;
  return (
    hasObjects(capabilities, capabilityNames) &&
    hasObjects(elicitation as JsonObject, partNames) &&
    hasObjects(sampling as JsonObject, partNames)
  );
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
