// A server that stands in for a vendor's model: it answers as its script says, and records what it was asked.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { JsonBody, ModelAnswer, ModelFormat, ModelRequest } from "./model-format.ts";

/** The model's answer to one request. */
export type Turn = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

export interface ScriptedModel {
  /** The address that programs take for this format. */
  readonly url: string;
  /** The requests of this script's conversation, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Requests to paths that a model does not have, and failures of answers. */
  readonly complaints: readonly string[];
  /** The model's next answers, one for each request; it ends the conversation after them. */
  script(...turns: readonly Turn[]): void;
  close(): Promise<void>;
}

/** Starts the server. */
export async function startScriptedModel(format: ModelFormat): Promise<ScriptedModel> {
  let turns: readonly Turn[] = [];
  let requests: ModelRequest[] = [];
  let complaints: string[] = [];
  let answers = 0;

  async function answerTo(asked: ModelRequest): Promise<ModelAnswer> {
    // Programs also ask for a title of the conversation, or what it is about: without tools.
    if (asked.tools.length === 0) return { text: "ok" };
    const turn = turns[requests.length];
    requests.push(asked);
    return turn ? turn(asked) : { text: "The script is over." };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://model");
    const sendJson = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (format.count && pathname.endsWith(format.count.path)) return void sendJson(200, format.count.answer);
    if (request.method !== "POST" || !format.isAsked(pathname)) {
      if (request.method === "POST") complaints.push(`${request.method} ${request.url}`);
      return void sendJson(404, {});
    }
    const raw = (await json(request)) as JsonBody;
    const asked = format.read(raw, pathname);
    const answer = await answerTo(asked);
    const id = String(++answers);
    if (!asked.isStream) return void sendJson(200, format.whole(answer, id));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(format.events(answer, id).join(""));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      complaints.push(String(error.stack));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}${format.basePath}`,
    get requests() {
      return requests;
    },
    get complaints() {
      return complaints;
    },
    script(...next) {
      turns = next;
      requests = [];
      complaints = [];
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
