// An MCP server like the seed's `McpAgent`: Streamable HTTP with sessions, built with that generation of the SDK. A test
// sets its tools and answers, and can make it wait.
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { waitUntil } from "../e2e/support/wait.ts";

/** A request as it arrived. */
export interface HeardRequest {
  readonly http: string;
  /** The JSON-RPC method. */
  readonly method: string | undefined;
  readonly id: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

interface Message {
  readonly method?: string;
  readonly id?: unknown;
  readonly params?: HeardRequest["params"];
}

export interface OfferedTool extends Omit<Tool, "inputSchema"> {
  readonly inputSchema?: Tool["inputSchema"];
  answer?(input: Readonly<Record<string, unknown>>, signal: AbortSignal): CallToolResult | Promise<CallToolResult>;
}

export interface McpAgent {
  readonly listener: RequestListener;
  readonly heard: readonly HeardRequest[];
  /** The currently offered tools, page by page. */
  pages: readonly (readonly OfferedTool[])[];
  /** Answers in place of the server if it returns true. */
  instead: (request: HeardRequest) => boolean;
  /** The requests of one JSON-RPC method, or of one HTTP method. */
  of(method: string): readonly HeardRequest[];
  /** Resolves when `times` of them have arrived. */
  came(method: string, times?: number): Promise<void>;
  /** Notifies the listeners that the tools changed; waits until there is a listener. */
  changed(): Promise<void>;
  sessions(): number;
  /** Closes all streams and forgets all sessions, as after a restart. */
  forget(): void;
}

export const said = (...texts: readonly string[]): CallToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

/** The two tools that most tests need. */
export const greetAndAdd: readonly OfferedTool[] = [
  {
    name: "greet",
    description: "Greets somebody.",
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    answer: ({ name }) => said(`Hello, ${String(name)}!`),
  },
  {
    name: "add",
    description: "Adds a number.",
    inputSchema: { type: "object", properties: { a: { type: "number" } } },
  },
];

export function createMcpAgent(): McpAgent {
  const heard: HeardRequest[] = [];
  const sessions = new Map<string, { server: Server; transport: StreamableHTTPServerTransport }>();

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const server = createServer(agent);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    // The types of the SDK's first version were not written for exactOptionalPropertyTypes.
    await server.connect(transport as Transport);
    return transport;
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = (await request.toArray()).join("");
    const body = (text === "" ? {} : JSON.parse(text)) as Message;
    const { method: http = "", headers } = request;
    const one = { http, method: body.method, id: body.id, params: body.params ?? {}, headers, response };
    heard.push(one);
    if (agent.instead(one)) return;
    const id = headers["mcp-session-id"];
    const known = sessions.get(String(id));
    if (!known && id !== undefined) return void response.writeHead(404).end("Session not found");
    await (known?.transport ?? (await openSession())).handleRequest(request, response, body);
  };

  const agent: McpAgent = {
    heard,
    pages: [greetAndAdd],
    instead: () => false,
    listener: (request, response) => void serve(request, response).catch(() => response.destroy()),
    of: (method) => heard.filter((one) => one.method === method || one.http === method),
    async came(method, times = 1) {
      const missing = () => `${agent.of(method).length} of ${times} requests of ${method} came.`;
      await waitUntil(async () => agent.of(method).length >= times, missing);
    },
    async changed() {
      const isListening = () => agent.of("GET").some(({ response }) => response.headersSent && !response.closed);
      await waitUntil(
        async () => isListening(),
        () => "Nobody listens.",
      );
      await Promise.all([...sessions.values()].map(({ server }) => server.sendToolListChanged()));
    },
    sessions: () => sessions.size,
    forget() {
      sessions.clear();
      for (const { response } of heard) response.destroy();
    },
  };
  return agent;
}

function createServer(agent: McpAgent): Server {
  const server = new Server({ name: "seed", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    const tools = (agent.pages[page] ?? []).map((tool) => ({ inputSchema: anything, ...tool, answer: undefined }));
    return { tools, ...(page + 1 < agent.pages.length ? { nextCursor: String(page + 1) } : {}) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const tool = agent.pages.flat().find(({ name }) => name === params.name);
    return tool?.answer?.(params.arguments ?? {}, signal) ?? { content: [] };
  });
  return server;
}

const anything = { type: "object" } as const;

/** Never answers, until the caller gives up. */
export function neverAnswers(_: unknown, signal: AbortSignal): Promise<CallToolResult> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
