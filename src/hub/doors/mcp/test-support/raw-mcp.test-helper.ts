// MCP by hand: sends requests that no SDK would send, and returns the raw responses.
import { once } from "node:events";
import { request } from "node:http";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import type { HubDoor } from "../../../test-support/http.test-helper.ts";

/** A parsed JSON-RPC message. */
export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** An empty value removes a default header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Any value except text and bytes is sent as JSON. */
  readonly body?: unknown;
}

export interface RawExchange {
  readonly request: ClientRequest;
  /** The next message, from a stream or a JSON response; undefined at the end. */
  next(): Promise<RpcMessage | undefined>;
  /** The next raw event, even if it is empty. */
  nextEvent(): Promise<ServerEvent | undefined>;
  /** The complete response: its status, and all its messages. */
  whole(): Promise<WholeAnswer>;
  stall(): Promise<void>;
  hangUp(): void;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly messages: readonly RpcMessage[];
  readonly eventIds: readonly string[];
}

/** Sends a request to a hub's MCP door, with the headers of an honest client unless they are overwritten. */
export function sendRaw(hub: HubDoor, { method = "POST", path = "/mcp", headers = {}, body }: RawRequest): RawExchange {
  const usual = {
    Authorization: `Bearer ${hub.token}`,
    Accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const sent = request(`${hub.url}${path}`, {
    method,
    agent: false,
    headers: Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== "")),
  });
  onTestFinished(() => void sent.destroy());
  const answered = once(sent, "response").then(([response]) => response as IncomingMessage);
  answered.catch(() => undefined);
  sent.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return readExchange(sent, answered);
}

function readExchange(sent: ClientRequest, answered: Promise<IncomingMessage>): RawExchange {
  const events = eventsOf(answered);
  return {
    request: sent,
    async next() {
      for (;;) {
        const { value, done } = await events.next();
        if (done) return undefined;
        if (value.data !== "") return JSON.parse(value.data) as RpcMessage;
      }
    },
    nextEvent: async () => (await events.next()).value,
    async whole() {
      const { statusCode = 0, headers } = await answered;
      const read = [];
      for await (const event of events) read.push(event);
      const messages = read.filter(({ data }) => data !== "").map(({ data }) => data);
      return {
        status: statusCode,
        headers,
        text: messages.join("\n"),
        messages: messages.flatMap(parsed),
        eventIds: read.flatMap(({ id }) => id ?? []),
      };
    },
    async stall() {
      (await answered).pause();
    },
    hangUp: () => void sent.destroy(),
  };
}

function parsed(text: string): readonly RpcMessage[] {
  try {
    return [JSON.parse(text) as RpcMessage].flat();
  } catch {
    return [];
  }
}

export interface ServerEvent {
  readonly id?: string | undefined;
  readonly data: string;
}

/** The events of a stream as they arrive; a JSON response counts as one event. */
async function* eventsOf(answered: Promise<IncomingMessage>): AsyncGenerator<ServerEvent, undefined> {
  const response = await answered;
  response.setEncoding("utf8");
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  let waiting = "";
  for await (const chunk of response) {
    waiting += chunk as string;
    if (!isStream) continue;
    const whole = waiting.split(/\r\n\r\n|\n\n|\r\r/);
    waiting = whole.pop() ?? "";
    yield* whole.map(readEvent);
  }
  if (waiting !== "") yield isStream ? readEvent(waiting) : { data: waiting };
  return undefined;
}

/** Parses one event by the HTML standard: every kind of line ending counts, and data lines are joined. */
function readEvent(text: string): ServerEvent {
  const lines = text.split(/\r\n|\n|\r/);
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  return { id: valuesOf("id").at(-1), data: valuesOf("data").join("\n") };
}

export const modernVersion = "2026-07-28";

export interface ModernOptions {
  readonly id?: unknown;
  readonly capabilities?: object;
  readonly client?: string;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** A request of revision 2026-07-28. */
export function modern(method: string, params: Readonly<Record<string, unknown>>, options: ModernOptions = {}) {
  const { id = 1, capabilities = {}, client = "raw", meta = {}, headers = {}, path = "/mcp" } = options;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modernVersion,
    "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...meta,
  };
  const name = params["name"] ?? params["uri"];
  return {
    path,
    headers: {
      "MCP-Protocol-Version": modernVersion,
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
      ...headers,
    },
    body: { jsonrpc: "2.0", id, method, params: { ...params, _meta } },
  };
}

/** A session of an older revision, opened by hand. */
export interface RawSession {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  send(body: unknown, headers?: Readonly<Record<string, string>>): RawExchange;
  request(method: string, params?: object, id?: unknown): RawExchange;
  /** Opens the notification stream; resolves when the hub has accepted it. */
  listen(headers?: Readonly<Record<string, string>>): RawExchange;
}

export interface RawSessionOptions {
  readonly version?: string;
  readonly capabilities?: object;
  readonly path?: string;
  readonly client?: string;
}

export async function openSession(hub: HubDoor, options: RawSessionOptions = {}): Promise<RawSession> {
  const { version = "2025-11-25", capabilities = {}, path = "/mcp", client = "raw" } = options;
  const params = { protocolVersion: version, capabilities, clientInfo: { name: client, version: "1" } };
  const opened = await sendRaw(hub, { path, body: { jsonrpc: "2.0", id: 0, method: "initialize", params } }).whole();
  const id = String(opened.headers["mcp-session-id"]);
  const headers = { "Mcp-Session-Id": id, "MCP-Protocol-Version": version };
  const send = (body: unknown, more = {}) => sendRaw(hub, { path, headers: { ...headers, ...more }, body });
  await send({ jsonrpc: "2.0", method: "notifications/initialized" }).whole();
  return {
    id,
    headers,
    send,
    request: (method, given = {}, requestId = 1) => send({ jsonrpc: "2.0", id: requestId, method, params: given }),
    listen: (more = {}) => sendRaw(hub, { method: "GET", path, headers: { ...headers, ...more } }),
  };
}
