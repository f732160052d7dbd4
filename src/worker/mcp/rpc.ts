// JSON-RPC 2.0, as MCP uses it: what came is a request, a notification, or malformed.
import { isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

export type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export type Incoming =
  | ({ readonly kind: "request" } & Request)
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  /** An answer to a request; none was made. */
  | { readonly kind: "response" }
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
  "unsupported-version": -32_022,
} as const;

/** Reads one message; never throws. */
export function parseRpc(data: unknown): Incoming {
  if (!isJsonObject(data)) return malformed(null, "invalid-request", "A message must be a JSON-RPC object.");
  const { jsonrpc, id, method, params = {} } = data;
  const asked = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return malformed(asked, "invalid-request", 'A message must have "jsonrpc": "2.0".');
  if (method === undefined && ("result" in data || "error" in data)) return { kind: "response" };
  if (typeof method !== "string") return malformed(asked, "invalid-request", "The method must be a string.");
  if ("id" in data && asked === null) {
    return malformed(null, "invalid-request", "The id of a request must be a string or a whole number.");
  }
  if (!isJsonObject(params)) return malformed(asked, "invalid-params", `The params of ${method} must be an object.`);
  return asked === null ? { kind: "notification", method, params } : { kind: "request", id: asked, method, params };
}

/** The answer to a request that has no result. */
export function errorAnswer(id: RequestId | null, error: unknown): JsonObject {
  const { code, message, data } =
    error instanceof RpcError ? error : new RpcError("internal-error", "The worker could not answer this request.");
  return { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } };
}

function malformed(id: RequestId | null, code: keyof typeof rpcCodes, message: string): Incoming {
  return { kind: "malformed", id, error: new RpcError(code, message) };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}
