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
import type { ClientInSession, ClientWords, Incoming, Reply, Request, RequestId } from "../../../mcp/index.ts";
import type { AgentSession, CallRequest } from "../../../switchboard/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { agentOf, mayAnswer } from "../../identity/admitted.ts";
import { ScopeNeeded } from "../../http/challenge.ts";
import type { McpContext } from "./context.ts";
import { fitFor } from "./fitted-tools.ts";
import { ListReader } from "./list-reader.ts";
import { EventLog, notificationStream } from "./event-log.ts";
import { challengeOf } from "../callers.ts";
import { openEventStream } from "../event-stream.ts";
import type { EventStream } from "../event-stream.ts";
import { wordsOf } from "./instructions.ts";
import { HttpReply } from "./reply.ts";
import type { Channel, ReplyOptions } from "./reply.ts";
import { answerLost, markOf, readMark } from "./lost-streams.ts";
import type { SessionStore } from "./session-homes.ts";
import type { SessionRecord } from "./session-record.ts";
import { spliceInSession } from "./splice.ts";

export interface SessionOptions {
  readonly id: string;
  /** The client's most recent admission. */
  readonly admitted: Admitted;
  readonly tab: string | undefined;
  readonly words: ClientWords & { readonly version: string };
  /** The size of all replay buffers of the same principal. */
  readonly held: { bytes: number };
  /** Only for a hub of several. */
  readonly sharing?: SessionSharing | undefined;
}

/** The needs of a session that other hubs can take over. */
export interface SessionSharing {
  readonly keys: SessionStore["keys"];
  /** Writes the session down; never rejects. */
  readonly save: () => Promise<void>;
  /** For a session that was taken over. */
  readonly from?: SessionRecord;
}

/** The first revision in which a stream starts with an empty event that only provides an id. */
const primingBegins = "2025-11-25";

/** The first revision with output schemas. */
const outputBegins = "2025-06-18";

/** The requests that change what another hub has to know. */
const changing = ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
/** Requests to the client after a take-over have other ids than those before, whose answers may still come. */
const requestsPerHome = 1_000_000;

interface LoggedStream {
  connection: EventStream | undefined;
  readonly mark: string;
  /** The number of unanswered requests. */
  open: number;
}

export class McpSession {
  readonly id: string;
  admitted: Admitted;
  readonly tab: string | undefined;
  readonly version: string;
  readonly #context: McpContext;
  /** By scopes: a call keeps those that it began with, though the client's next token may have others. */
  readonly #agents = new Map<string, AgentSession>();
  readonly #agent: AgentSession;
  /** The scopes that running calls were begun with, where they are not for everything. */
  readonly #begunWith = new WeakMap<CallRequest, Admitted["scopes"]>();
  readonly #lists: ListReader;
  readonly #peer: ClientInSession & { agent: AgentSession };
  readonly #log: EventLog;
  readonly #streams = new Map<string, LoggedStream>([
    [notificationStream, { connection: undefined, mark: "", open: 1 }],
  ]);
  readonly #headers: Readonly<Record<string, string>>;
  #streamsBegun = 0;
  readonly #words: SessionOptions["words"];
  readonly #sharing: SessionSharing | undefined;
  readonly #moves: number;
  /** Whether the client may have missed notifications. */
  #hasMissed: boolean;
  /** From one: the first line of the SDK ignores that the request 0 is cancelled. */
  #requestsMade = 1;

  constructor(context: McpContext, { id, admitted, tab, words, held, sharing }: SessionOptions) {
    const { door } = context;
    const { limits } = door;
    const { version } = words;
    this.id = id;
    this.admitted = admitted;
    this.tab = tab;
    this.version = version;
    this.#context = context;
    this.#words = words;
    this.#sharing = sharing;
    const { from } = sharing ?? {};
    this.#moves = from ? from.moves + 1 : 0;
    this.#hasMissed = from !== undefined;
    this.#requestsMade += this.#moves * requestsPerHome;
    this.#headers = { "Mcp-Session-Id": id };
    this.#agent = this.#agentFor(admitted);
    this.#log = new EventLog({
      limits: { ...limits, ...admitted.allowed },
      clock: systemClock,
      newId: () => crypto.randomUUID(),
      held,
      onFull: () => door.metrics.overBudget("replayBytesPerPrincipal"),
      ...(sharing && { markOf: (stream: string) => this.#streams.get(stream)?.mark ?? "" }),
    });
    this.#lists = new ListReader(this.#agent, {
      isListening: () => this.#streams.get(notificationStream)?.connection?.isOpen === true,
      patience: limits.listReadTime,
    });
    this.#peer = this.#peerOf(words);
    watchLists(this.#agent, readerOf(this.#agent, tab), (list) => {
      this.#notify(`notifications/${list}/list_changed`);
      if (list === "tools") this.#lists.changed();
    });
    watchUpdates(this.#agent, { uris: this.#peer.followed, tab }, (uri) =>
      this.#notify("notifications/resources/updated", { uri }),
    );
  }

  #agentFor(admitted: Admitted): AgentSession {
    const key = String(admitted.scopes);
    const known = this.#agents.get(key);
    if (known) return known;
    const { client, version } = this.#words;
    const identity = JSON.stringify([admitted.credential, client.name, client.version, this.id]);
    const door = { door: "mcp", revision: version, session: this.id };
    const agent = this.#context.door.switchboard.agent({ ...agentOf(admitted), identity, ...client, ...door });
    this.#agents.set(key, agent);
    return agent;
  }

  #peerOf({ client, capabilities, version }: SessionOptions["words"]) {
    const { door } = this.#context;
    const { from } = this.#sharing ?? {};
    const peer: ClientInSession & { agent: AgentSession } = {
      agent: this.#agent,
      tab: this.tab,
      isNewest: false,
      hasOutput: version >= outputBegins,
      server: wordsOf(this.#agent, this.tab),
      limits: door.limits,
      clock: systemClock,
      capabilities,
      asks: asksOf(capabilities),
      logLevel: from ? from.logLevel : "debug",
      followed: new Set(from?.followed),
      asked: new Map(),
      running: new Set(),
      lists: this.#lists,
      fit: fitFor(client),
      newRequestId: () => this.#requestsMade++,
      // While others go on, a session that cannot move yet is served here.
      refusal: () => (door.cluster?.hasSuccessor ? undefined : door.refusal()),
      shape: (result, call) => inOlderForm(result, call, peer),
      begin: this.admitted.scopes ? this.#begin : beginInSession,
    };
    return peer;
  }

  readonly #begin: ClientInSession["begin"] = (call, exchange) => {
    this.#begunWith.set(call, this.admitted.scopes);
    beginInSession(call, exchange);
  };

  /** Call this for every request of the client. */
  seen(admitted: Admitted): void {
    if (admitted.scopes !== this.admitted.scopes) this.#peer.agent = this.#agentFor(admitted);
    this.admitted = admitted;
    this.#peer.agent.seen();
  }

  /** Answers the initialize request. */
  begin({ id }: Request, response: ServerResponse): void {
    const reply = this.#replyTo(response, { id, openChannel: () => this.#openChannel(response, this.version, []) });
    reply.result(initializeResult(this.version, this.#peer.server));
  }

  /** Handles a message that is not a request; returns whether it was expected. Throws for an answer that is not the token's to give. */
  receive(message: Incoming): boolean {
    if (message.kind === "response") {
      const { call } = this.#peer.asked.get(message.id as RequestId) ?? {};
      if (call && !mayAnswer(this.admitted.scopes, this.#begunWith.get(call.request)))
        throw new ScopeNeeded("tools:destructive", this.admitted.principal);
      return takeResponse(message, this.#peer);
    }
    if (message.kind === "notification" && message.method === "notifications/cancelled")
      cancelCall(message.params, this.#peer);
    return true;
  }

  /** Answers a batch of requests, or a single one. `version` is the revision in the request's header. */
  serve(
    requests: readonly Request[],
    { response, isBatch, version }: { response: ServerResponse; isBatch: boolean; version: string },
  ): void {
    const peer = this.#peer;
    const channel = isBatch ? this.#openChannel(response, version, requests) : undefined;
    for (const request of requests) {
      const direct = this.#replyTo(response, {
        id: request.id,
        openChannel: () => this.#openChannel(response, version, [request]),
        ...(channel && { channel }),
      });
      const reply = this.#sharing && changing.includes(request.method) ? afterSaving(direct, this.#sharing) : direct;
      answer(reply, () => dispatch(olderMethods, { request, peer, reply }), this.#context.onFailure);
    }
  }

  /** Opens the notification stream, or resumes a broken stream; returns the status of a refusal. */
  listen(response: ServerResponse, lastEventId: string | undefined): 400 | 409 | undefined {
    const found = lastEventId === undefined ? { stream: notificationStream, events: [] } : this.#log.after(lastEventId);
    if (!found) return this.#resumeLost(response, lastEventId ?? "");
    const stream = this.#streams.get(found.stream);
    if (stream?.connection?.isOpen) return 409;
    const connection = this.#connect(response);
    for (const { id: eventId, text } of found.events) if (text !== "") connection.send(text, eventId);
    if (stream) stream.connection = connection;
    else connection.end();
    if (found.stream === notificationStream) this.#notifyMissed();
    return undefined;
  }

  /** Resumes a stream of the hub that had the session before; its events are lost. */
  #resumeLost(response: ServerResponse, lastEventId: string): 400 | 409 | undefined {
    const mark = this.#moves > 0 ? this.#log.markIn(lastEventId) : undefined;
    if (mark === "") return this.listen(response, undefined);
    const asked = mark === undefined ? undefined : readMark(mark);
    if (!asked) return 400;
    const connection = this.#connect(response);
    const { keys } = this.#sharing ?? {};
    const { principal } = this.admitted;
    const answers = asked.map(async (one) => {
      const answered = await answerLost(one, { peer: this.#peer, principal, keys });
      connection.send(JSON.stringify(answered), lastEventId);
    });
    void Promise.all(answers)
      .catch(this.#context.onFailure)
      .finally(() => connection.end());
    return undefined;
  }

  /** Too much is better than a change that the client never learns of. */
  #notifyMissed(): void {
    if (!this.#hasMissed) return;
    this.#hasMissed = false;
    for (const list of ["tools", "prompts", "resources"]) this.#notify(`notifications/${list}/list_changed`);
    for (const uri of this.#peer.followed) this.#notify("notifications/resources/updated", { uri });
  }

  /** The record with which another hub goes on with it. */
  get record(): SessionRecord {
    const { principal, credential } = this.admitted;
    const { logLevel, followed } = this.#peer;
    const words = { ...this.#words };
    return { principal, credential, tab: this.tab, words, logLevel, followed: [...followed], moves: this.#moves };
  }

  /** Whether another hub could not go on with it without a loss. */
  get isBusy(): boolean {
    return this.#streams.size > 1 || (this.#peer.running?.size ?? 0) > 0;
  }

  /** Ends the notification stream: its client opens another. */
  endNotifications(): void {
    this.#streams.get(notificationStream)?.connection?.end();
  }

  close(): void {
    for (const { call } of [...(this.#peer.running ?? [])]) call.handle.cancel("The client's session ended.");
    this.#lists.close();
    for (const { connection } of this.#streams.values()) connection?.end();
    this.#streams.clear();
    this.#log.close();
    for (const agent of this.#agents.values()) agent.close();
  }

  #notify(method: string, params?: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params });
    this.#streams.get(notificationStream)?.connection?.send(text, this.#log.store(notificationStream, text));
  }

  #connect(response: ServerResponse): EventStream {
    const { door, onSlow, answers } = this.#context;
    const { limits } = door;
    return openEventStream(response, { limits, headers: this.#headers, onSlow, onUnread: answers.unread });
  }

  #openChannel(response: ServerResponse, version: string, requests: readonly Request[]): Channel {
    const log = this.#log;
    const name = `${++this.#streamsBegun}`;
    const mark = this.#sharing ? markOf(requests) : "";
    const stream: LoggedStream = { connection: this.#connect(response), mark, open: Math.max(1, requests.length) };
    this.#streams.set(name, stream);
    if (version >= primingBegins) stream.connection?.send("", log.store(name, ""));
    return {
      get unread() {
        return stream.connection?.unread ?? 0;
      },
      isResumable: true,
      send: (text) => stream.connection?.send(text, log.store(name, text)),
      end: (text) => {
        stream.open--;
        stream.connection?.send(text, log.store(name, text, stream.open === 0));
        if (stream.open > 0) return;
        stream.connection?.end();
        this.#streams.delete(name);
      },
    };
  }

  #replyTo(response: ServerResponse, given: Pick<ReplyOptions, "id" | "openChannel" | "channel">): HttpReply {
    const { door, answers } = this.#context;
    const { admitted } = this;
    return new HttpReply({
      response,
      ...given,
      limits: door.limits,
      headers: this.#headers,
      challenge: (outcome) => challengeOf(door, outcome, admitted),
      statusOf: () => 200,
      splice: (payload, call) => (isWrappedFor(call, this.#peer) ? undefined : spliceInSession(payload)),
      onUnread: answers.unread,
    });
  }
}

/** Answers once the session is written down as it is now. */
function afterSaving(reply: Reply, { save }: SessionSharing): Reply {
  return {
    result: (result) => void save().then(() => reply.result(result)),
    error: (error) => reply.error(error),
    notify: (method, params) => reply.notify(method, params),
  };
}
