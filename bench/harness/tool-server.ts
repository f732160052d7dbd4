import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { bodyOf } from "../hubs/body-of.ts";
import { listen } from "../hubs/listen.ts";

const forAnyPage = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };

/** An MCP server with `count` tools, built with the SDK, which any page may use. */
export async function startToolServer(count: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "bench", version: "1.0.0" });
    for (let index = 0; index < count; index++) {
      server.registerTool(`remote_${index}`, { description: `Tool ${index}.` }, () => ({ content: [] }));
    }
    return server;
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "OPTIONS") return void response.writeHead(204, forAnyPage).end();
    const { method = "", headers } = request;
    const body = method === "POST" ? await bodyOf(request) : null;
    const made = await handler.fetch(
      new Request("http://127.0.0.1/mcp", { method, headers: headers as Record<string, string>, body }),
    );
    response.writeHead(made.status, { ...Object.fromEntries(made.headers), ...forAnyPage }).end(await made.text());
  }

  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  const { port } = await listen(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
