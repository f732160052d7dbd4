// An HTTP server in place of a hub; the test controls its answers.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";

export interface HubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The message in it; empty where there is none. */
  readonly message: JsonObject;
  /** Resolves when the connection is over, from either side. */
  readonly closed: Promise<void>;
  json(message: JsonObject, headers?: Readonly<Record<string, string>>): void;
  result(result: JsonObject, headers?: Readonly<Record<string, string>>): void;
  status(status: number, body?: string): void;
  stream(headers?: Readonly<Record<string, string>>): HubStream;
  /** Breaks the connection. */
  cut(): void;
}

export interface HubStream {
  send(message: JsonObject, id?: string): void;
  raw(text: string): void;
  end(): void;
  cut(): void;
}

export interface ScriptedHub {
  readonly url: string;
  /** All received requests, in order. */
  readonly requests: readonly HubRequest[];
  /** Handles messages of an MCP method, or requests of an HTTP method such as GET. */
  on(method: string, handle: (request: HubRequest) => void): void;
  /** Resolves with the first request, already received or still to come, for this MCP method or HTTP method. */
  asked(method: string, count?: number): Promise<HubRequest>;
  /** Cuts every connection, and listens no more until it is started again, on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a hub that accepts notifications, starts sessions, and answers nothing else until a handler is set. */
export async function startScriptedHub(): Promise<ScriptedHub> {
  const requests: HubRequest[] = [];
  const looks = new Set<() => void>();
  const handlers = new Map<string, (request: HubRequest) => void>();
  let sessions = 0;
  let port = 0;

  handlers.set("healthz", (request) => request.status(200, "ok\n"));
  handlers.set("initialize", (request) =>
    request.result(initializeResult, { "mcp-session-id": `session-${++sessions}` }),
  );
  handlers.set("DELETE", (request) => request.status(200));
  handlers.set("GET", (request) => request.status(405));

  const server = createServer((incoming, response) => {
    void readRequest(incoming, response).then((request) => {
      if (request.path === "/healthz") return handlers.get("healthz")?.(request);
      requests.push(request);
      for (const look of [...looks]) look();
      const { id, method } = request.message;
      const handle = handlers.get(typeof method === "string" ? method : request.method);
      if (handle) return handle(request);
      if (id === undefined || method === undefined) request.status(202);
    });
  });

  async function start(): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  await start();
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    on: (method, handle) => void handlers.set(method, handle),
    asked: (method, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const found = requests.filter((one) => one.message["method"] === method || one.method === method);
          const last = found[count - 1];
          if (last === undefined) return;
          looks.delete(look);
          resolve(last);
        };
        looks.add(look);
        look();
      }),
    start,
    stop,
  };
}

export const initializeResult = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true }, logging: {} },
  serverInfo: { name: "scripted", version: "1.0" },
};

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<HubRequest> {
  const closed = once(response, "close").then(() => {});
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  const value = text === "" ? {} : (JSON.parse(text) as Json);
  const message = isJsonObject(value) ? value : {};
  const json = (answer: JsonObject, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(answer));
  };
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers as Readonly<Record<string, string>>,
    message,
    closed,
    json,
    result: (result, headers) => json({ jsonrpc: "2.0", id: message["id"] ?? null, result }, headers),
    status: (status, body = "") => void response.writeHead(status).end(body),
    stream(headers = {}) {
      response.writeHead(200, { "content-type": "text/event-stream", ...headers }).flushHeaders();
      return {
        send: (event, id) =>
          void response.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`),
        raw: (raw) => void response.write(raw),
        end: () => void response.end(),
        cut: () => void response.destroy(),
      };
    },
    cut: () => void response.destroy(),
  };
}
