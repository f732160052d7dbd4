// A third-party remote MCP server: built with the SDK, at its own origin, for clients in any page.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";

export interface RemoteServer {
  readonly url: string;
  /** Offers other tools from now on, and notifies the listeners. */
  offer(register: (server: McpServer) => void): void;
  close(): Promise<void>;
}

const forAnyPage = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "*",
  "access-control-expose-headers": "*",
};

/** Starts one on a free port. Each request gets its own server, with the tools that are offered at the time. */
export async function startRemoteServer(register: (server: McpServer) => void): Promise<RemoteServer> {
  let offered = register;
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "remote", version: "1.0" },
      { capabilities: { tools: { listChanged: true } } },
    );
    offered(server);
    return server;
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "OPTIONS") return void response.writeHead(204, forAnyPage).end();
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answered = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? ""}`, {
        method: request.method ?? "",
        headers: request.headers as Record<string, string>,
        body: request.method === "POST" ? (await request.toArray()).join("") : null,
        signal: gone.signal,
      }),
    );
    response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), ...forAnyPage }).flushHeaders();
    if (answered.body === null) response.end();
    else await pipeline(Readable.fromWeb(answered.body as ReadableStream), response);
  }

  // A client that disconnects early is not an error of the server.
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    offer(next) {
      offered = next;
      handler.notify.toolsChanged();
    },
    async close() {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
      await handler.close();
    },
  };
}
