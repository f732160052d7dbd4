// The response to one request over HTTP: JSON if there is nothing but the result, and an event stream as soon as
// another message comes first.
import type { ServerResponse } from "node:http";
import { RpcError, errorAnswer } from "../../../mcp/index.ts";
import type { Reply, RequestId } from "../../../mcp/index.ts";
import type { CallRequest } from "../../../switchboard/index.ts";
import { outcomeMarks } from "../../../wire/index.ts";
import type { JsonObject, Limits, Outcome, Payload } from "../../../wire/index.ts";
import { limitReading, onEnd, sendParts, whetherRead } from "../../http/exchange.ts";

/** Refusals of requests before they are processed, by the codes of JSON-RPC and MCP. */
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

/** The client has as many open streams as this limit allows. */
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

/** The stream for the messages of a request. */
export interface Channel {
  readonly unread: number;
  /** Whether a disconnected client can resume the stream. */
  readonly isResumable: boolean;
  send(text: string): void;
  /** Sends the last message of this request. */
  end(text: string): void;
}

export interface ReplyOptions {
  readonly response: ServerResponse;
  readonly id: RequestId;
  readonly limits: Limits;
  readonly statusOf: (error: RpcError) => number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Wraps a page's answer without parsing it; undefined if it must be parsed. */
  readonly splice: (payload: Payload, call: CallRequest) => readonly Payload[] | undefined;
  readonly openChannel: () => Channel;
  /** Called after a write, with the response's backlog possibly large. */
  readonly onUnread: (response: ServerResponse) => void;
  /** The headers for a call that its client's token may not be used for; undefined for other outcomes. */
  readonly challenge: (outcome: Outcome) => Readonly<Record<string, string>> | undefined;
  /** The shared stream of a batch. */
  readonly channel?: Channel;
}

/** A class, like calls, to create only one object per request. */
export class HttpReply implements Reply {
  gone: ((isRead: boolean) => void) | undefined;
  readonly #options: ReplyOptions;
  #channel: Channel | undefined;
  #isAnswered = false;

  constructor(options: ReplyOptions) {
    this.#options = options;
    this.#channel = options.channel;
    const { response } = options;
    onEnd(response, (isSent) => whetherRead(response, this.#isAnswered && isSent, (isRead) => this.#ended(isRead)));
  }

  result(result: JsonObject): void {
    this.#end(200, [JSON.stringify({ jsonrpc: "2.0", result, id: this.#options.id })]);
  }

  error(error: RpcError): void {
    const { id, statusOf } = this.#options;
    this.#end(statusOf(error), [JSON.stringify(errorAnswer(id, error))]);
  }

  notify(method: string, params: JsonObject): void {
    this.#say({ jsonrpc: "2.0", method, params });
  }

  request(id: RequestId, method: string, params: JsonObject): void {
    this.#say({ jsonrpc: "2.0", id, method, params });
  }

  text(result: Payload): boolean {
    return this.#sendParts(['{"jsonrpc":"2.0","result":', result, `,"id":${JSON.stringify(this.#options.id)}}`]);
  }

  payload(payload: Payload, call: CallRequest): boolean {
    if (this.#channel) return false;
    const parts = this.#options.splice(payload, call);
    return parts !== undefined && this.#sendParts([...parts, `,"id":${JSON.stringify(this.#options.id)}}`]);
  }

  refuse(outcome: Outcome): boolean {
    const { id, challenge } = this.#options;
    const headers = this.#channel || this.#isAnswered ? undefined : challenge(outcome);
    if (!headers) return false;
    const error = new RpcError("invalid-request", outcome.message ?? "", outcomeMarks(outcome));
    this.#end(403, [JSON.stringify(errorAnswer(id, error))], headers);
    return true;
  }

  isBehind(): boolean {
    return this.#channel !== undefined && this.#channel.unread > this.#options.limits.newsBytes;
  }

  #say(message: JsonObject): void {
    if (this.#isAnswered) return;
    this.#channel ??= this.#options.openChannel();
    this.#channel.send(JSON.stringify(message));
  }

  #sendParts(parts: readonly Payload[]): boolean {
    if (this.#channel) return false;
    this.#end(200, parts);
    return true;
  }

  #end(status: number, parts: readonly Payload[], more?: Readonly<Record<string, string>>): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    const channel = this.#channel;
    const { response, limits, headers, onUnread } = this.#options;
    if (channel) {
      // Some clients lose a notification that arrives together with the result.
      setImmediate(() => channel.end(parts.join("")));
    } else if (!response.destroyed) {
      const all = more ? { ...headers, ...more } : headers;
      sendParts(response, { status, parts, ...(all && { headers: all }) });
      onUnread(response);
      limitReading(response, limits.requestTime);
    }
  }

  #ended(isRead: boolean): void {
    if (isRead || !this.#channel?.isResumable) this.gone?.(isRead);
  }
}
