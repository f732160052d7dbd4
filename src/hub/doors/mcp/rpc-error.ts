import type { ServerResponse } from "node:http";
import type { RequestId } from "../../../mcp/index.ts";
import { sendParts } from "../../http/exchange.ts";

/** Refusals of requests that are not looked into, by the codes of JSON-RPC and MCP. */
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
  unknownVersion: { status: 400, code: -32_000, message: "Bad Request: the MCP-Protocol-Version is not known here." },
  initialized: { status: 400, code: -32_600, message: "Invalid Request: this session is initialized already." },
  notBoth: {
    status: 406,
    code: -32_000,
    message: "Not Acceptable: Accept must have both application/json and text/event-stream.",
  },
  notEvents: { status: 406, code: -32_000, message: "Not Acceptable: Accept must have text/event-stream." },
  wrongMethod: { status: 405, code: -32_000, message: "Method not allowed.", headers: { Allow: "GET, POST, DELETE" } },
  unknownEvent: {
    status: 400,
    code: -32_000,
    message: "Bad Request: the events after this one are not held. Begin a new stream.",
  },
  streamTaken: { status: 409, code: -32_000, message: "Conflict: this stream is open already." },
  tooManySubscriptions: {
    status: 400,
    code: -32_602,
    message: "Invalid params: more resources than the limit mcpSubscriptions allows. Follow fewer.",
  },
} as const;

/** Somebody has as many streams open as this limit allows. */
export function tooManyStreams(limit: string): Refusal {
  return { status: 503, code: -32_000, message: `Too many streams are open (limit ${limit}). Close some.` };
}

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request with a JSON-RPC error. */
export function respondRpcError(response: ServerResponse, refusal: Refusal, id: RequestId | null = null): void {
  const { status, code, message, data, headers } = refusal;
  const text = JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, id });
  sendParts(response, { status, parts: [text], ...(headers && { headers }) });
}
