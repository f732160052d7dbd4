import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import { McpServer, WebStandardStreamableHTTPServerTransport, createMcpHandler } from "@modelcontextprotocol/server";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Parameters, Started } from "../harness/role.ts";
import { bodyOf } from "./body-of.ts";
import { listen } from "./listen.ts";
import { sdkTool, sdkToolCall } from "./sdk-tool.ts";

/** The SDK's second server as its documentation shows it: a server for each session, or for each request without one. */
export function startSdkV2Server({ hasPages = false }: Parameters): Promise<Started> {
  const server = createServer();
  const createTools = toolServers(server, hasPages);
  const stateless = createMcpHandler(createTools, { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createTools().connect(transport);
    return transport;
  }

  async function answer(request: IncomingMessage, body: string): Promise<Response> {
    const web = new Request(`http://127.0.0.1${request.url}`, { method: "POST", headers: headersOf(request) });
    const options = { parsedBody: JSON.parse(body) as unknown };
    if (request.headers["mcp-protocol-version"] === "2026-07-28") return stateless.fetch(web, options);
    const session = sessions.get(String(request.headers["mcp-session-id"])) ?? (await openSession());
    return session.handleRequest(web, options);
  }

  server.on("request", (request, response) => {
    bodyOf(request)
      .then((body) => answer(request, body))
      .then(async (made) => {
        const text = await made.text();
        const headers = { ...Object.fromEntries(made.headers), "content-length": Buffer.byteLength(text) };
        response.writeHead(made.status, headers).end(text);
      })
      .catch((error: unknown) => response.writeHead(500, { "X-Error": String(error), "Content-Length": 0 }).end());
  });
  return listen(server);
}

function toolServers(http: Server, hasPages: boolean): () => McpServer {
  const call = sdkToolCall(http, hasPages);
  const inputSchema = z.object(sdkTool.inputSchema);
  return () => {
    const server = new McpServer({ name: "bench", version: "1.0.0" });
    server.registerTool(
      "answer",
      { ...sdkTool, inputSchema },
      async (given) => (await call("answer", given)) as CallToolResult,
    );
    return server;
  };
}

function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(headers as Record<string, string>);
}
