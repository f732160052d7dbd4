// The clients of revision 2026-07-28, which have no session: each request brings all that there is to know of its client.
import type { IncomingMessage, ServerResponse } from "node:http";
import { systemClock } from "../../../link/index.ts";
import {
  RpcError,
  answer,
  asksOf,
  checkCapabilities,
  createRounds,
  dispatch,
  hubCapabilities,
  inNewestForm,
  listen,
  newestMethods,
  newestVersion,
  parseEnvelope,
  parseFollowed,
  parseListen,
  readerOf,
  subscriptionMark,
  watchLists,
  watchUpdates,
} from "../../../mcp/index.ts";
import type { ClientWords, HubPeer, Request, RoundsPeer } from "../../../mcp/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import { isJsonObject } from "../../../wire/index.ts";
import type { Outcome } from "../../../wire/index.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { createTransientSet, onEnd } from "../../http/exchange.ts";
import { passedFor } from "../../http/tunnel-socket.ts";
import { mayAnswer } from "../../identity/admitted.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { challengeOf, createCallers } from "../callers.ts";
import type { Callers } from "../callers.ts";
import type { HttpExchange, McpContext } from "./context.ts";
import { openEventStream } from "../event-stream.ts";
import { fitFor } from "./fitted-tools.ts";
import { checkHeaders, checkParamHeaders } from "./headers.ts";
import { wordsOf } from "./instructions.ts";
import { ListReader } from "./list-reader.ts";
import { HttpReply, refusals, tooManyStreams } from "./reply.ts";
import type { Channel, Refusal } from "./reply.ts";
import { createSeal } from "./seal.ts";
import { spliceStateless } from "./splice.ts";

/** For a hub of several. */
export interface SharedStates {
  readonly others: Cluster["others"];
  /** The key of states, which all hubs know. */
  readonly key: (() => string) | undefined;
}

interface StatelessPeer extends RoundsPeer, HubPeer {
  readonly scopes: Admitted["scopes"];
}

export class StatelessClients {
  readonly #context: McpContext;
  readonly #callers: Callers;
  readonly #rounds: ReturnType<typeof createRounds>;
  /** The functions that end the streams of notifications. */
  readonly #listening = createTransientSet<() => void>();
  /** The clients that get notified of their tools, each by its identity and the tab in its URL. */
  readonly #readers = new Map<string, ListReader>();

  readonly #shared: SharedStates | undefined;

  constructor(context: McpContext, shared: SharedStates | undefined) {
    const { limits, switchboard, newId } = context.door;
    this.#context = context;
    this.#shared = shared;
    this.#callers = createCallers(switchboard, { door: "mcp", revision: newestVersion, max: limits.mcpSessions });
    const seal = createSeal(limits.callTimeMost, shared?.key);
    this.#rounds = createRounds({ limits, clock: systemClock, newId, seal, hubs: shared?.others });
  }

  /** The other hub that has the call which a request answers questions of. */
  async elsewhere(body: unknown, request: IncomingMessage): Promise<string | undefined> {
    const params = isJsonObject(body) ? body["params"] : undefined;
    const state = isJsonObject(params) ? params["requestState"] : undefined;
    const { others } = this.#shared ?? {};
    if (!others || typeof state !== "string" || passedFor(request) !== undefined) return undefined;
    const hub = others.hubOf(state);
    return hub === undefined || (await others.isGone(hub)) ? undefined : hub;
  }

  serve(exchange: HttpExchange, message: Request): void {
    const { door, answers, onFailure } = this.#context;
    const { limits } = door;
    const { request, response, admitted, tab } = exchange;
    const { id, method, params } = message;
    const words = parseEnvelope(params);
    if (!words) throw new RpcError("invalid-params", "The request lacks the revision and capabilities in its _meta.");
    checkCapabilities(words.capabilities);
    checkHeaders(request.headers, message);
    const openChannel = () => this.#openChannel(response);
    const onUnread = answers.unread;
    const challenge = (outcome: Outcome) => challengeOf(door, outcome, admitted);
    const options = { response, id, limits, statusOf, splice: spliceStateless, openChannel, onUnread, challenge };
    const reply = new HttpReply(options);
    if (method === "subscriptions/listen") return this.#serveListener(exchange, message, { words, reply });
    const agent = this.#callers.of(admitted, words.client);
    const { name, arguments: given } = params;
    const tool = method === "tools/call" && typeof name === "string" ? agent.tool(name, tab) : undefined;
    const problem =
      tool && checkParamHeaders(tool.inputSchema, isJsonObject(given) ? given : undefined, request.headers);
    if (problem !== undefined) throw new RpcError("header-mismatch", problem);
    const { capabilities, logLevel } = words;
    const rounds = this.#rounds;
    // The only client for whom the state between rounds is valid.
    const owner = identityOf(exchange, words);
    const { scopes } = admitted;
    const peer: StatelessPeer = {
      agent,
      scopes,
      refusalToAnswer: scopes && ((begunBy) => refusalToAnswer(scopes, begunBy as StatelessPeer)),
      tab,
      isNewest: true,
      get server() {
        return wordsOf(agent, tab);
      },
      limits,
      clock: systemClock,
      logLevel,
      capabilities,
      asks: asksOf(capabilities),
      takesRounds: true,
      lists: this.#readers.get(owner),
      fit: fitFor(words.client),
      owner,
      rounds,
      refusal: door.refusal,
      shape: (result, call) => inNewestForm(result, call, peer.server),
      begin: rounds.serve,
    };
    answer(reply, () => dispatch(newestMethods, { request: message, peer, reply }), onFailure);
  }

  /** Ends the streams of notifications. */
  endStreams(): void {
    for (const end of this.#listening.items()) end();
  }

  close(): void {
    this.#rounds.close();
  }

  #openChannel(response: ServerResponse): Channel {
    const { door, answers, onSlow } = this.#context;
    const stream = openEventStream(response, { limits: door.limits, onSlow, onUnread: answers.unread });
    return {
      get unread() {
        return stream.unread;
      },
      isResumable: false,
      send: (text) => stream.send(text),
      end(text) {
        stream.send(text);
        stream.end();
      },
    };
  }

  #serveListener(
    exchange: HttpExchange,
    message: Request,
    { words, reply }: { readonly words: ClientWords; readonly reply: HttpReply },
  ): void {
    const { response, admitted, tab } = exchange;
    const { principal, credential, allowed } = admitted;
    const { client } = words;
    // As in `callers`: a client that also calls is the same agent.
    const identity = JSON.stringify([credential, client.name, client.version]);
    const { id, params } = message;
    const lists = parseListen(params, hubCapabilities);
    const followed = parseFollowed(params);
    const refusal = this.#tooMany(exchange, followed);
    if (refusal) return this.#context.refuse(exchange, refusal, id);
    this.#context.answers.stand(response);
    // Not from `callers`, which evicts agents, who would get no more notifications.
    const agent = this.#context.door.switchboard.agent({ principal, identity, ...client, door: "mcp", allowed });
    const honored = followed.length > 0 ? { ...lists, resourceSubscriptions: followed } : lists;
    const read = readerOf(agent, tab);
    const end = listen(message, { honored, agent, read, reply, server: wordsOf(agent, tab) });
    onEnd(response, this.#listening.add(end));
    if (lists["toolsListChanged"]) this.#follow(exchange, words, agent);
    watchUpdates(agent, { uris: new Set(followed), tab }, (uri) =>
      reply.notify("notifications/resources/updated", { uri, ...subscriptionMark(id) }),
    );
  }

  /** Has the results of this client's calls wait until it has read the tools that they changed, while it is notified. */
  #follow(exchange: HttpExchange, words: ClientWords, agent: AgentSession): void {
    const identity = identityOf(exchange, words);
    const patience = this.#context.door.limits.listReadTime;
    const reader = new ListReader(agent, { isListening: () => true, patience });
    this.#readers.set(identity, reader);
    watchLists(agent, readerOf(agent, exchange.tab), (list) => {
      if (list === "tools") reader.changed();
    });
    onEnd(exchange.response, () => {
      reader.close();
      if (this.#readers.get(identity) === reader) this.#readers.delete(identity);
    });
  }

  #tooMany({ admitted }: HttpExchange, followed: readonly string[]): Refusal | undefined {
    const { door, answers } = this.#context;
    const { mcpSessions, mcpStreamsPerPrincipal } = { ...door.limits, ...admitted.allowed };
    const count = answers.standingOf(admitted.principal);
    if (count >= mcpStreamsPerPrincipal) {
      door.metrics.overBudget("mcpStreamsPerPrincipal");
      return tooManyStreams("mcpStreamsPerPrincipal");
    }
    if (count >= mcpSessions) return tooManyStreams("mcpSessions");
    return followed.length > door.limits.mcpSubscriptions ? refusals.tooManySubscriptions : undefined;
  }
}

function refusalToAnswer(scopes: Admitted["scopes"], begunBy: StatelessPeer): Outcome | undefined {
  if (mayAnswer(scopes, begunBy.scopes)) return undefined;
  const message = "The token may not be used to answer this. Get one with the scope tools:destructive.";
  return { outcome: "rejected", ran: "maybe", code: "scope-needed", message };
}

function identityOf({ admitted, tab }: HttpExchange, { client }: ClientWords): string {
  return JSON.stringify([admitted.principal, admitted.credential, client.name, client.version, tab]);
}

/** The HTTP status of an error without a session. */
function statusOf({ code }: RpcError): number {
  if (code === -32_601) return 404;
  return code === -32_021 ? 400 : 200;
}
