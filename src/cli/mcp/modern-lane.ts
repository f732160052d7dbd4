// MCP 2026-07-28: every request is independent. Its answer arrives on its own HTTP exchange, and ending that cancels
// it.
import type { IncomingMessage } from "node:http";
import type { JsonObject, Json } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";
import type { Flight, LaneOptions } from "./lane.ts";
import { parseMessage, objectOf, missedChanges } from "./message.ts";
import type { AnswerMessage, Message, RequestMessage } from "./message.ts";
import { createParameterHeaders, requestHeaders } from "./request-headers.ts";
import { messagesOf, requireTaken } from "./reply.ts";
import { createAttempts } from "./upstream/wait.ts";

export interface ModernLane {
  /** Resolves when the exchange is complete; rejects when it failed. */
  request(flight: Flight): Promise<void>;
}

/** MCP's code for headers that contradict the body. */
const headerMismatch = -32_020;
/** A list with more pages has no end. */
const maxPages = 100;

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

  /** Lists the tools on behalf of the client, whose own list is too old, or was sent to another process. */
  async function learnTools(flight: Flight): Promise<void> {
    const { _meta = {} } = flight.request.params;
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
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

/** Resolves when the client or the hub has ended the subscription; rejects when it could not be begun, or not again. */
async function listen(flight: Flight, { hub, output, waiting }: LaneOptions): Promise<void> {
  const { request, signal, markSent } = flight;
  /** The subscriptions that the hub acknowledged; undefined before that. */
  let honored: JsonObject | undefined;

  async function readStream(): Promise<void> {
    const reply = await hub.send({
      method: "POST",
      headers: requestHeaders(request),
      body: request.text,
      signal,
      onSent: markSent,
      effort: honored === undefined ? "start" : "wait",
    });
    await requireTaken(reply);
    const isAgain = honored !== undefined;
    for await (const text of messagesOf(reply)) {
      if (flight.isOver) return;
      take(parseMessage(text), isAgain);
      await output.room();
    }
  }

  function take(message: Message, isAgain: boolean): void {
    if (message.kind === "answer" && message.id === request.id) {
      // A stopping hub ends its streams like this, and they are opened again. With no subscriptions it is the real end.
      const hasStopped = message.result !== undefined && Object.keys(honored ?? {}).length > 0;
      if (!hasStopped) flight.answer(message.text);
    } else if (message.kind === "notification") {
      const isAcknowledged = message.method === "notifications/subscriptions/acknowledged";
      if (isAcknowledged) honored = objectOf(message.params["notifications"]);
      // The client has its acknowledgement already, and does not know that there is a new stream.
      if (!isAcknowledged || !isAgain) return output.send(message.text);
      for (const missed of missedBy(honored ?? {}, request.id)) output.send(missed);
    }
  }

  const attempts = createAttempts(waiting);
  while (!flight.isOver) {
    try {
      await readStream();
    } catch (error) {
      if (honored === undefined || isFinal(error)) throw error;
    }
    if (honored === undefined && !flight.isOver) throw new Error("the hub ended the stream before it began");
    if (!flight.isOver) await attempts.pause(signal);
  }
}

/** While a hub restarts, a proxy in front of it may respond with a 5xx. */
function isFinal(error: unknown): boolean {
  return error instanceof RefusedByHub && error.status < 500;
}

function missedBy(honored: JsonObject, id: string | number): readonly string[] {
  const { resourceSubscriptions = [] } = honored;
  return missedChanges({
    isSubscribed: (list) => honored[`${list}ListChanged`] === true,
    resources: (Array.isArray(resourceSubscriptions) ? (resourceSubscriptions as readonly Json[]) : []).filter(
      (uri) => typeof uri === "string",
    ),
    meta: { "io.modelcontextprotocol/subscriptionId": id },
  });
}
