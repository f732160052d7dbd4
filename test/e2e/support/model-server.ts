// Stands in for the vendors' models: answers in the exact wire formats, whole or streamed, and records its requests.
// Each answer follows from its question alone. It also serves a test's pages, as an app's backend does.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "./page-server.ts";
import { formatOf } from "./model-formats.ts";
import type { ModelAnswer, ModelRequest } from "./model-formats.ts";

/** A request to a model, as it arrived. */
export interface HeardRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface ModelServer {
  readonly origin: string;
  readonly heard: readonly HeardRequest[];
  /** Resolves when a client has disconnected before its answer was complete. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** As with the vendors' APIs, pages of any origin may ask. */
const forOtherOrigins = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

export async function startModelServer(pages: Readonly<Record<string, Page>> = {}): Promise<ModelServer> {
  const heard: HeardRequest[] = [];
  let leave = () => {};
  const left = new Promise<void>((resolve) => (leave = resolve));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, search } = new URL(request.url ?? "/", "http://pages");
    for (const [name, value] of Object.entries(forOtherOrigins)) response.setHeader(name, value);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const page = pages[path];
    if (page !== undefined) return sendPage(page, response);
    const format = formatOf(path);
    if (!format || request.method !== "POST") return void response.writeHead(404).end();
    const body = JSON.parse((await request.toArray()).join("")) as Record<string, unknown>;
    heard.push({ path: `${path}${search}`, headers: request.headers, body });
    const asked = format.read(body, path);
    if (asked.text.includes("too often")) {
      return void response.writeHead(429, { "retry-after": "7", "content-type": "text/plain" }).end("Slow down.");
    }
    const answer = answerTo(asked);
    if (!asked.stream) {
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(format.whole(answer)));
    }
    response.on("close", () => !response.writableFinished && leave());
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = format.events(answer, body);
    if (asked.text.includes("for ever")) return void response.write(events.slice(0, -3).join(""));
    for (const event of events) response.write(event);
    response.end();
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    heard,
    left,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendPage(page: Page, response: ServerResponse): void {
  const { body, type = "text/html; charset=utf-8" } = typeof page === "string" ? { body: page } : page;
  response.writeHead(200, { "content-type": type }).end(body);
}

/** Calls the first tool once, fills a schema if there is one, and otherwise repeats the question. */
function answerTo({ text, tool, toolResult, hasSchema }: ModelRequest): ModelAnswer {
  if (toolResult !== undefined) return { text: `It says ${toolResult}.` };
  if (hasSchema) return { text: '{"rating":5,"summary":"An amazing pizza."}' };
  if (tool !== undefined) return { text: "", call: { name: tool, input: { location: "Tokyo" } } };
  return { text: `You said: ${text}` };
}
