// Version 1 of the official SDK, with a session for each client, as its own examples have it.
import type { JsonBody } from "../../agents/model/model-format.ts";
import { createHold, listen } from "./sdk-server.ts";
import type { SdkServer } from "./sdk-server.ts";

/** Starts a server of the package that is installed under this name. */
export async function startOldSdkServer(name: string): Promise<SdkServer> {
  const load = (path: string): Promise<JsonBody> => import(/* @vite-ignore */ `${name}/${path}`);
  const { Server } = await load("server/index.js");
  const { StreamableHTTPServerTransport } = await load("server/streamableHttp.js");
  const { CallToolRequestSchema, ListToolsRequestSchema } = await load("types.js");
  const sessions = new Map<string, { readonly server: JsonBody; readonly transport: JsonBody }>();
  const { held, hold } = createHold();
  let names: readonly string[] = ["echo", "hold"];

  async function openSession(): Promise<JsonBody> {
    const server = new Server({ name, version: "1.0" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: names.map((tool) => ({ name: tool, description: `It is ${tool}.`, inputSchema: { type: "object" } })),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }: JsonBody, { signal }: { signal: AbortSignal }) =>
      params.name === "hold"
        ? hold(signal)
        : { content: [{ type: "text", text: `${params.name} ${params.arguments.text}` }] },
    );
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => void sessions.set(id, { server, transport }),
    });
    await server.connect(transport);
    return transport;
  }

  const { url, close } = await listen(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    const transport = typeof id === "string" ? sessions.get(id)?.transport : await openSession();
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response);
  });
  return {
    url,
    close,
    held,
    async offer(next) {
      names = next;
      for (const { server } of sessions.values()) await server.sendToolListChanged();
    },
  };
}
