// MCP 2026-07-28: every request stands alone. Its answer comes on its own HTTP exchange, and ending that cancels it.
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";
import type { Flight } from "./flights.ts";
import type { LaneOptions } from "./lane.ts";
import { listen } from "./listen.ts";
import { parseMessage } from "./message.ts";
import type { AnswerMessage, Message, RequestMessage } from "./message.ts";
import { createParameterHeaders } from "./parameter-headers.ts";
import { messagesOf, requireTaken } from "./reply.ts";
import { requestHeaders } from "./request-headers.ts";

export interface ModernLane {
  /** Resolves when the exchange is over; rejects when it came to nothing. */
  request(flight: Flight): Promise<void>;
}

/** MCP's code for headers that do not say what the body says. */
const headerMismatch = -32_020;
/** A list with more pages has no end. */
const MOST_PAGES = 100;

export function createModernLane(options: LaneOptions): ModernLane {
  const { hub, output, note } = options;
  const parameters = createParameterHeaders();

  async function post(request: RequestMessage, { signal, markSent }: Flight): Promise<IncomingMessage> {
    const { method, params, text } = request;
    const headers = { ...requestHeaders(request), ...(method === "tools/call" ? parameters.of(params) : {}) };
    const reply = await hub.send({ method: "POST", headers, body: text, signal, onSent: markSent });
    await requireTaken(reply);
    return reply;
  }

  async function postCall(flight: Flight): Promise<IncomingMessage> {
    try {
      return await post(flight.request, flight);
    } catch (error) {
      const isOutdated = error instanceof RefusedByHub && error.failure.code === headerMismatch;
      if (!isOutdated || flight.request.method !== "tools/call") throw error;
      await learnTools(flight);
      return post(flight.request, flight);
    }
  }

  async function request(flight: Flight): Promise<void> {
    if (flight.request.method === "subscriptions/listen") return listen(flight, options);
    for await (const text of messagesOf(await postCall(flight))) {
      take(parseMessage(text), flight);
      await output.room();
    }
    if (!flight.isOver) throw new Error("the hub gave no answer");
  }

  function take(message: Message, flight: Flight): void {
    if (flight.isOver) return;
    if (message.kind === "notification") return output.send(message.text);
    if (message.kind === "answer" && message.id === flight.request.id) {
      learn(flight.request, message);
      return flight.answer(message.text);
    }
    note(`The hub sent something that is no part of the answer to ${flight.request.method}. It was dropped.`);
  }

  function learn({ method, params }: RequestMessage, { result }: AnswerMessage): void {
    if (method === "tools/list" && result) parameters.remember(result, params["cursor"] === undefined);
  }

  /** Asks for the tools in the client's name, whose own list is too old, or was given to another process. */
  async function learnTools(flight: Flight): Promise<void> {
    const { _meta = {} } = flight.request.params;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await ask("tools/list", { _meta, ...(cursor === undefined ? {} : { cursor }) }, flight);
      parameters.remember(result, page === 0);
      if (typeof result["nextCursor"] !== "string") return;
      cursor = result["nextCursor"];
    }
  }

  async function ask(method: string, params: JsonObject, flight: Flight): Promise<JsonObject> {
    const id = `pagewire-${method}`;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    let result: JsonObject = {};
    for await (const line of messagesOf(await post({ kind: "request", id, method, params, text }, flight))) {
      const message = parseMessage(line);
      if (message.kind === "answer") result = message.result ?? {};
    }
    return result;
  }

  return { request };
}
