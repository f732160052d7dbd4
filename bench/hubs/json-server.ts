import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

export type Call = (tool: string, parameters: unknown) => Promise<unknown>;

/** An HTTP server by hand: it parses the body of every request, calls, and answers with the result as JSON. */
export function createJsonServer(makeCall: (server: Server) => Call): Server {
  const server = createServer();
  const call = makeCall(server);

  async function serve(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const tool = (request.url ?? "").slice("/api/call/".length);
    const text = JSON.stringify(await call(tool, JSON.parse(body)));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  }

  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      serve(request, response, Buffer.concat(chunks).toString()).catch((error: unknown) => {
        response.writeHead(503, { "Content-Length": 0, "X-Error": String(error) });
        response.end();
      });
    });
  });
  return server;
}
