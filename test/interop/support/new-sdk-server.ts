// Version 2 of the official SDK, which serves both eras of the protocol without sessions.
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { pipeline } from "node:stream/promises";
import type { JsonBody } from "../../agents/model/model-format.ts";
import { createHold, listen } from "./sdk-server.ts";
import type { SdkServer } from "./sdk-server.ts";

/** Starts a server of the package that is installed under this name. */
export async function startNewSdkServer(name: string): Promise<SdkServer> {
  const { Server, createMcpHandler } = (await import(/* @vite-ignore */ name)) as JsonBody;
  const { held, hold } = createHold();
  let names: readonly string[] = ["echo", "hold"];

  const handler = createMcpHandler(() => {
    const server = new Server({ name, version: "2.0" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", () => ({
      tools: names.map((tool) => ({ name: tool, description: `It is ${tool}.`, inputSchema: { type: "object" } })),
    }));
    server.setRequestHandler("tools/call", ({ params }: JsonBody, { mcpReq }: JsonBody) =>
      params.name === "hold"
        ? hold(mcpReq.signal)
        : { content: [{ type: "text", text: `${params.name} ${params.arguments.text}` }] },
    );
    return server;
  });

  const { url, close } = await listen(async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answered: Response = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? ""}`, {
        method: request.method ?? "",
        headers: request.headers as Record<string, string>,
        body: request.method === "POST" ? (await request.toArray()).join("") : null,
        signal: gone.signal,
      }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).flushHeaders();
    if (answered.body === null) response.end();
    else await pipeline(Readable.fromWeb(answered.body as ReadableStream), response);
  });
  return {
    url,
    held,
    async offer(next) {
      names = next;
      handler.notify.toolsChanged();
    },
    async close() {
      await close();
      await handler.close();
    },
  };
}
