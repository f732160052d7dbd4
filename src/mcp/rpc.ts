// JSON-RPC 2.0, as MCP uses it: a message is a request, a notification, a response, or malformed.
import { isJsonObject } from "../wire/index.ts";
import type { JsonObject, Payload } from "../wire/index.ts";

export type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The JSON of its arguments as it came, where its carrier still has it. */
  readonly arguments?: Payload | undefined;
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

/** Reads one message; never throws. */
export function parseRpc(data: unknown): Incoming {
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
  return asked === null ? { kind: "notification", method, params } : { kind: "request", id: asked, method, params };
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
