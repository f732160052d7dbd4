// One session of a client with a revision before 2026-07-28: its negotiated parameters, its streams, and its calls.
import type { ServerResponse } from "node:http";
import { systemClock } from "../../../link/index.ts";
import {
  asksOf,
  beginInSession,
  cancelCall,
  dispatch,
  answer,
  inOlderForm,
  initializeResult,
  isWrappedFor,
  olderMethods,
  readerOf,
  takeResponse,
  watchLists,
  watchUpdates,
} from "../../../mcp/index.ts";
import type { ClientInSession, ClientWords, Incoming, Request } from "../../../mcp/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Door } from "../door.ts";
import { createEventLog, newsStream } from "./event-log.ts";
import { openEventStream } from "./event-stream.ts";
import type { EventStream } from "./event-stream.ts";
import { wordsOf } from "./instructions.ts";
import { HttpReply } from "./reply.ts";
import type { Channel, ReplyOptions } from "./reply.ts";
import { spliceInSession } from "./splice.ts";

export interface SessionOptions {
  readonly door: Door;
  readonly id: string;
  /** The client's most recent admission. */
  readonly admitted: Admitted;
  readonly tab: string | undefined;
  readonly words: ClientWords & { readonly version: string };
  readonly onSlow: () => void;
  readonly onUnread: (response: ServerResponse) => void;
  /** The size of all replay buffers of the same principal. */
  readonly held: { bytes: number };
  readonly onFailure: (error: unknown) => void;
}

export interface McpSession {
  readonly id: string;
  admitted: Admitted;
  readonly tab: string | undefined;
  readonly version: string;
  /** Answers the initialize request. */
  begin(request: Request, response: ServerResponse): void;
  /** Handles a message that is not a request; returns whether it was expected. */
  hear(message: Incoming): boolean;
  /** Answers a batch of requests, or a single one. */
  serve(requests: readonly Request[], exchange: { response: ServerResponse; isBatch: boolean; version: string }): void;
  /** Opens the notification stream, or resumes a broken stream; returns the status of a refusal. */
  listen(response: ServerResponse, lastEventId: string | undefined): 400 | 409 | undefined;
  close(): void;
}

/** The first revision in which a stream starts with an empty event that only provides an id. */
const primingBegins = "2025-11-25";

/** The first revision with output schemas. */
const outputBegins = "2025-06-18";

interface LoggedStream {
  connection: EventStream | undefined;
  /** The number of unanswered requests. */
  open: number;
}

export function createSession(options: SessionOptions): McpSession {
  const { door, id, tab, words, held, onSlow, onUnread, onFailure } = options;
  const { limits, switchboard } = door;
  const { principal, credential, allowed } = options.admitted;
  const { client, capabilities, version } = words;
  const identity = JSON.stringify([credential, client.name, client.version, id]);
  const agent = switchboard.agent({
    ...{ principal, identity, ...client, allowed },
    ...{ door: "mcp", revision: version, session: id },
  });
  const server = wordsOf(agent, tab);
  const log = createEventLog({
    limits: { ...limits, ...allowed },
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    held,
    onFull: () => door.metrics.overBudget("replayBytesPerPrincipal"),
  });
  const streams = new Map<string, LoggedStream>([[newsStream, { connection: undefined, open: 1 }]]);
  const headers = { "Mcp-Session-Id": id };
  let streamsBegun = 0;
  let requestsMade = 0;

  const peer: ClientInSession = {
    agent,
    tab,
    isNewest: false,
    hasOutput: version >= outputBegins,
    server,
    limits,
    clock: systemClock,
    capabilities,
    asks: asksOf(capabilities),
    logLevel: "debug",
    followed: new Set(),
    asked: new Map(),
    running: new Set(),
    newRequestId: () => requestsMade++,
    refusal: door.refusal,
    shape: (result, call) => inOlderForm(result, call, peer),
    begin: beginInSession,
  };

  function tell(method: string, params?: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params });
    streams.get(newsStream)?.connection?.send(text, log.store(newsStream, text));
  }

  watchLists(agent, readerOf(agent, tab), (list) => tell(`notifications/${list}/list_changed`));
  watchUpdates(agent, { uris: peer.followed, tab }, (uri) => tell("notifications/resources/updated", { uri }));

  const connect = (response: ServerResponse) => openEventStream(response, { limits, headers, onSlow, onUnread });

  function openChannel(response: ServerResponse, said: string, count = 1): Channel {
    const name = `${++streamsBegun}`;
    const stream: LoggedStream = { connection: connect(response), open: count };
    streams.set(name, stream);
    if (said >= primingBegins) stream.connection?.send("", log.store(name, ""));
    return {
      get unread() {
        return stream.connection?.unread ?? 0;
      },
      isResumable: true,
      send: (text) => stream.connection?.send(text, log.store(name, text)),
      end(text) {
        stream.open--;
        stream.connection?.send(text, log.store(name, text, stream.open === 0));
        if (stream.open > 0) return;
        stream.connection?.end();
        streams.delete(name);
      },
    };
  }

  return {
    id,
    admitted: options.admitted,
    tab,
    version,
    begin({ id: requestId }, response) {
      const reply = replyTo(response, { id: requestId, openChannel: () => openChannel(response, version) });
      reply.result(initializeResult(version, server));
    },
    hear(message) {
      if (message.kind === "response") return takeResponse(message, peer);
      if (message.kind === "notification" && message.method === "notifications/cancelled")
        cancelCall(message.params, peer);
      return true;
    },
    serve(requests, { response, isBatch, version: said }) {
      const channel = isBatch ? openChannel(response, said, requests.length) : undefined;
      for (const request of requests) {
        const reply = replyTo(response, {
          id: request.id,
          openChannel: () => openChannel(response, said),
          ...(channel && { channel }),
        });
        answer(reply, () => dispatch(olderMethods, { request, peer, reply }), onFailure);
      }
    },
    listen(response, lastEventId) {
      const found = lastEventId === undefined ? { stream: newsStream, events: [] } : log.after(lastEventId);
      if (!found) return 400;
      const stream = streams.get(found.stream);
      if (stream?.connection?.isOpen) return 409;
      const connection = connect(response);
      for (const { id: eventId, text } of found.events) if (text !== "") connection.send(text, eventId);
      if (stream) stream.connection = connection;
      else connection.end();
      return undefined;
    },
    close() {
      for (const { call } of [...(peer.running ?? [])]) call.handle.cancel("The client's session ended.");
      for (const { connection } of streams.values()) connection?.end();
      streams.clear();
      log.close();
      agent.close();
    },
  };

  function replyTo(response: ServerResponse, given: Pick<ReplyOptions, "id" | "openChannel" | "channel">) {
    return new HttpReply({
      response,
      ...given,
      limits,
      headers,
      statusOf: () => 200,
      splice: (payload, call) => (isWrappedFor(call, peer) ? undefined : spliceInSession(payload)),
      onUnread,
    });
  }
}
