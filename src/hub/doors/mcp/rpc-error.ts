import type { ServerResponse } from "node:http";
import { sendParts } from "../../http/send-parts.ts";

/** Refusals of requests that never reached a server of the SDK, by the codes of JSON-RPC and MCP. */
export const refusals = {
  notJson: { status: 400, code: -32_700, message: "Parse error: the body is not JSON, or nests too deep." },
  notJsonType: {
    status: 415,
    code: -32_000,
    message: "Unsupported Media Type: Content-Type must be application/json.",
  },
  noSession: {
    status: 400,
    code: -32_000,
    message: "Bad Request: the Mcp-Session-Id header is required. Initialize first.",
  },
  unknownSession: { status: 404, code: -32_001, message: "Session not found. Initialize a new one." },
  batch: {
    status: 400,
    code: -32_600,
    message: "Invalid Request: this revision of MCP has no batches. Send one message.",
  },
  tooManySubscriptions: {
    status: 400,
    code: -32_602,
    message: "Invalid params: more resources than the limit mcpSubscriptions allows. Follow fewer.",
  },
  tooManyStreams: { status: 503, code: -32_000, message: "Too many streams are open (limit mcpSessions). Close some." },
} as const;

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** Answers a request with a JSON-RPC error. */
export function respondRpcError(response: ServerResponse, { status, code, message }: Refusal, id?: unknown): void {
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  const text = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: known });
  sendParts(response, { status, parts: [text] });
}
