// A real MCP server by the SDK, of either era, that a test can change, cut off, stop and start again.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer, WebStandardStreamableHTTPServerTransport, createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, vi } from "vitest";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";

export type Era = "legacy" | "modern";

export const eras: readonly Era[] = ["legacy", "modern"];

/** A request as it came. */
export interface HeardRequest {
  readonly http: string;
  /** The path. */
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export interface TestServer {
  readonly url: string;
  readonly heard: readonly HeardRequest[];
  /** The requests for one method, or by one HTTP method. */
  of(method: string): readonly HeardRequest[];
  /** Resolves when somebody listens. */
  listened(): Promise<void>;
  /** Tells those who listen. */
  changed(list: "tools" | "resources" | "prompts"): Promise<void>;
  updated(uri: string): Promise<void>;
  /** The ids of the sessions that are known. */
  sessions(): readonly string[];
  /** Forgets all sessions, without a word to their clients. */
  expire(): void;
  /** Cuts all connections, and listens no more. */
  stop(): Promise<void>;
  /** Listens again at the same address, knowing nothing of before. */
  start(): Promise<void>;
}

export interface ServerSetting {
  readonly era?: Era;
  /** What is offered; asked for each session, and in the newer era for each request. */
  readonly register?: (server: McpServer) => void;
  /** Answers in the server's place, where it gives true. */
  readonly instead?: ((request: HeardRequest, response: ServerResponse) => boolean) | undefined;
}

const servers: TestServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

export async function startServer({
  era = "modern",
  register = () => {},
  instead = () => false,
}: ServerSetting = {}): Promise<TestServer> {
  const heard: HeardRequest[] = [];
  let sessions = new Map<string, { mcp: McpServer; transport: WebStandardStreamableHTTPServerTransport }>();
  let http: HttpServer | undefined;
  let port = 0;

  function make(): McpServer {
    const mcp = new McpServer(
      { name: "test server", version: "7" },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
        },
        instructions: "Be kind.",
      },
    );
    register(mcp);
    return mcp;
  }

  const newHandler = () => createMcpHandler(make, { legacy: "reject" });
  let handler = newHandler();

  async function inSession(request: Request, body: JsonObject | undefined): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (!known && id !== null) return Response.json(rpcError(-32_001, "Session not found"), { status: 404 });
    if (!known && body?.["method"] !== "initialize")
      return Response.json(rpcError(-32_000, "No session"), { status: 400 });
    const { transport } = known ?? (await newSession());
    return transport.handleRequest(request, body ? { parsedBody: body } : {});
  }

  async function newSession() {
    const mcp = make();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { mcp, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await mcp.connect(transport);
    return { transport };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.toArray()).join("");
    const body = parseJsonObject(text, 100);
    const method = typeof body?.["method"] === "string" ? body["method"] : undefined;
    const one = {
      http: request.method ?? "",
      url: request.url ?? "",
      method,
      headers: request.headers,
      body: body ?? {},
    };
    heard.push(one);
    if (instead(one, response)) return;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const web = new Request(`http://127.0.0.1${request.url ?? ""}`, {
      method: one.http,
      headers: request.headers as Record<string, string>,
      signal: gone.signal,
    });
    const answer =
      era === "legacy" ? await inSession(web, body) : await handler.fetch(web, body ? { parsedBody: body } : {});
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    const reader = answer.body?.getReader();
    response.on("close", () => void reader?.cancel().catch(() => {}));
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value);
    response.end();
  }

  const server: TestServer = {
    get url() {
      return `http://127.0.0.1:${port}/mcp`;
    },
    heard,
    of: (method) => heard.filter((one) => one.method === method || one.http === method),
    async listened() {
      await vi.waitUntil(() => server.of("GET").length + server.of("subscriptions/listen").length > 0);
    },
    async changed(list) {
      if (era === "modern") return handler.notify[`${list}Changed`]();
      const tell = {
        tools: "sendToolListChanged",
        resources: "sendResourceListChanged",
        prompts: "sendPromptListChanged",
      };
      for (const { mcp } of sessions.values()) await mcp.server[tell[list] as "sendToolListChanged"]();
    },
    async updated(uri) {
      if (era === "modern") return handler.notify.resourceUpdated(uri);
      for (const { mcp } of sessions.values()) await mcp.server.sendResourceUpdated({ uri });
    },
    sessions: () => [...sessions.keys()],
    expire: () => (sessions = new Map()),
    async stop() {
      const stopping = http;
      http = undefined;
      if (!stopping) return;
      const closed = once(stopping, "close");
      stopping.close();
      stopping.closeAllConnections();
      await closed;
      await handler.close();
    },
    async start() {
      sessions = new Map();
      handler = newHandler();
      http = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
      http.listen(port, "127.0.0.1");
      await once(http, "listening");
      ({ port } = http.address() as AddressInfo);
    },
  };
  servers.push(server);
  await server.start();
  return server;
}

function rpcError(code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** The parameters of a request. */
export function paramsOf({ body }: HeardRequest): JsonObject {
  return isJsonObject(body["params"]) ? body["params"] : {};
}
