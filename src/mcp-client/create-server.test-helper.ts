// A real MCP server with the SDK, of either era, that can be changed, disconnected, stopped and restarted. It also runs
// outside of tests.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer, WebStandardStreamableHTTPServerTransport, createMcpHandler } from "@modelcontextprotocol/server";
import { unlessAborted } from "../toolbox/index.ts";
import { parseJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";

export type Era = "legacy" | "modern";

export interface HeardRequest {
  readonly http: string;
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** The body of any type. */
  readonly text: string;
}

export interface McpTestServer {
  readonly url: string;
  readonly heard: readonly HeardRequest[];
  /** The requests for one MCP method, or by one HTTP method. */
  of(method: string): readonly HeardRequest[];
  /** Notifies the clients. */
  changed(list: "tools" | "resources" | "prompts"): Promise<void>;
  updated(uri: string): Promise<void>;
  /** The ids of the known sessions. */
  sessions(): readonly string[];
  /** Forgets all sessions without notifying their clients. */
  expire(): void;
  /** Drops all connections, and continues. */
  cut(): void;
  /** Drops all connections, and stops listening. */
  stop(): Promise<void>;
  /** Listens again at the same address, without any earlier state. */
  start(): Promise<void>;
  /** Answers as over a network, but in memory: each step happens as soon as it can. */
  readonly fetch: typeof fetch;
}

export interface ServerSetting {
  readonly era?: Era;
  /** Whether a server of the newer era also answers clients of the older one, without sessions. */
  readonly isForBoth?: boolean | undefined;
  /** The offer; called for each session, and in the newer era for each request. */
  readonly register?: (server: McpServer) => void;
  /** Answers instead of the server if it returns true. */
  readonly instead?: ((request: HeardRequest, response: ServerResponse) => boolean) | undefined;
}

export async function createServer({
  era = "modern",
  isForBoth = false,
  register = () => {},
  instead = () => false,
}: ServerSetting = {}): Promise<McpTestServer> {
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

  const newHandler = () => createMcpHandler(make, { legacy: isForBoth ? "stateless" : "reject" });
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

  function hear(one: Omit<HeardRequest, "method" | "body">): HeardRequest {
    const body = parseJsonObject(one.text, 100);
    const method = typeof body?.["method"] === "string" ? body["method"] : undefined;
    const whole = { ...one, method, body: body ?? {} };
    heard.push(whole);
    return whole;
  }

  function answer({ http, url, headers, text, body }: HeardRequest, signal: AbortSignal): Promise<Response> {
    const request = new Request(`http://127.0.0.1${url}`, {
      method: http,
      headers: headers as Record<string, string>,
      signal,
    });
    const parsedBody = text === "" ? undefined : body;
    return era === "legacy" ? inSession(request, parsedBody) : handler.fetch(request, parsedBody ? { parsedBody } : {});
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.toArray()).join("");
    const one = hear({ http: request.method ?? "", url: request.url ?? "", headers: request.headers, text });
    if (instead(one, response)) return;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const given = await answer(one, gone.signal);
    response.writeHead(given.status, Object.fromEntries(given.headers)).flushHeaders();
    const reader = given.body?.getReader();
    response.on("close", () => void reader?.cancel().catch(() => {}));
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value);
    response.end();
  }

  async function fetchDirectly(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { signal, method: http = "GET", body } = init;
    signal?.throwIfAborted();
    const gone = signal ?? new AbortController().signal;
    const { pathname: url } = new URL(input as string);
    const text = typeof body === "string" ? body : "";
    const one = hear({ http, url, headers: Object.fromEntries(new Headers(init.headers)), text });
    const given = await unlessAborted(answer(one, gone), gone);
    return new Response(given.body?.pipeThrough(new TransformStream(), { signal: gone }) ?? null, given);
  }

  const server: McpTestServer = {
    fetch: fetchDirectly as typeof fetch,
    get url() {
      return `http://127.0.0.1:${port}/mcp`;
    },
    heard,
    of: (method) => heard.filter((one) => one.method === method || one.http === method),
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
    cut: () => http?.closeAllConnections(),
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
      http = createHttpServer((request, response) => void serve(request, response).catch(() => response.destroy()));
      http.listen(port, "127.0.0.1");
      await once(http, "listening");
      ({ port } = http.address() as AddressInfo);
    },
  };
  await server.start();
  return server;
}

function rpcError(code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
