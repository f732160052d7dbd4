import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Parameters, Started } from "../harness/role.ts";
import { bodyOf } from "./body-of.ts";
import { listen } from "./listen.ts";
import { sdkTool, sdkToolCall } from "./sdk-tool.ts";

/** The SDK's first server as its documentation shows it: a server for each session. */
export function startSdkV1Server({ hasPages = false }: Parameters): Promise<Started> {
  const http = createServer();
  const call = sdkToolCall(http, hasPages);
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: "bench", version: "1.0.0" });
    server.registerTool("answer", sdkTool, async (given) => (await call("answer", given)) as CallToolResult);
    // The types of the SDK's first line were not written for exactOptionalPropertyTypes.
    await server.connect(transport as Transport);
    return transport;
  }

  http.on("request", (request, response) => {
    bodyOf(request)
      .then(async (body) => {
        const session = sessions.get(String(request.headers["mcp-session-id"])) ?? (await openSession());
        await session.handleRequest(request, response, JSON.parse(body));
      })
      .catch((error: unknown) => response.writeHead(500, { "X-Error": String(error), "Content-Length": 0 }).end());
  });
  return listen(http);
}
