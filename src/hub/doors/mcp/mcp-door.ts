// The MCP endpoint over HTTP, for all revisions.
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
  parseRpc,
  readerOf,
  subscriptionMark,
  watchUpdates,
} from "../../../mcp/index.ts";
import type { ClientWords, HubPeer, Incoming, Request, RequestId, RoundsPeer } from "../../../mcp/index.ts";
import { PagewireError, isJsonObject, messageOf, parseJson } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { alwaysHeaders, createRoster, onEnd, pathOf, readBody } from "../../http/exchange.ts";
import { createCallers, createOpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import { openEventStream } from "./event-stream.ts";
import { checkHeaders, checkParamHeaders, isOfNewest } from "./headers.ts";
import { wordsOf } from "./instructions.ts";
import { withBytes } from "./raw-arguments.ts";
import { HttpReply, refusals, respondRpcError, tooManyStreams } from "./reply.ts";
import type { Channel, Refusal } from "./reply.ts";
import { createSeal } from "./seal.ts";
import { asRefusal, createSessions } from "./sessions.ts";
import type { HttpExchange, Posted } from "./sessions.ts";
import { spliceStateless } from "./splice.ts";

export interface McpDoor {
  /** The number of unfinished responses, not counting streams that stay open. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Disconnects clients whose credential is no longer valid. */
  review(): void;
  /**
   * To be called when all calls have ended. Sends pending answers and ends all streams; resolves when clients have read them, or
   * after a timeout.
   */
  close(): Promise<void>;
}

/** How long a stopping hub waits for clients to read the ends of their streams, in milliseconds. */
const farewellTime = 500;

export function createMcpDoor(door: Door): McpDoor {
  const { limits, switchboard } = door;
  const seal = createSeal(limits.callTimeMost);
  const rounds = createRounds({ limits, clock: systemClock, newId: door.newId, seal });
  const answers = createOpenAnswers(door);
  const callers = createCallers(switchboard, { door: "mcp", revision: newestVersion, most: limits.mcpSessions });
  /** The functions that end the streams of clients without a session. */
  const listening = createRoster<() => void>();

  const note = (stage: "request" | "server") => (message: string) =>
    door.note("warn", "mcp-failed", { stage, message });
  const onFailure = (error: unknown) => note("server")(messageOf(error).split(/[:"'{[]/, 1)[0] ?? "");
  const onUnread = answers.unread;
  const onSlow = () => {
    door.metrics.refused("too-slow");
    door.note("warn", "request-refused", { code: "too-slow" });
  };

  const sessions = createSessions({ door, answers, onSlow, note: note("server"), onFailure });

  function refuse({ response }: HttpExchange, refusal: Refusal, id?: RequestId | null): void {
    note("request")(`A request was refused with ${refusal.code}.`);
    respondRpcError(response, refusal, id);
  }

  async function serve(request: IncomingMessage, response: ServerResponse, { admitted }: Passed): Promise<void> {
    if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
    const tab = tabOfPath(pathOf(request));
    if (tab !== undefined && !switchboard.hasTab(admitted.principal, tab)) {
      throw new PagewireError("tab-not-found", `There is no tab "${tab}".`);
    }
    answers.add(response, admitted);
    const exchange = { request, response, admitted, tab };
    if (request.method !== "POST") return sessions.serveOther(exchange);
    if (!isJson.test(request.headers["content-type"] ?? "")) return refuse(exchange, refusals.notJsonType);
    const bytes = await readBody(request, limits.frameBytes, {
      arrivals: door.arrivals,
      whose: admitted,
    });
    const body = parseJson(bytes.toString(), limits.jsonDepth);
    if (body === undefined) return refuse(exchange, refusals.notJson);
    const trace = door.readTrace(request.headers);
    const read = (message: unknown) => parseRpc(message, trace);
    const posted = Array.isArray(body)
      ? { messages: body.map(read), isBatch: true }
      : { messages: [bytes.length > maxText ? withBytes(read(body), bytes) : read(body)], isBatch: false };
    try {
      take(exchange, posted);
    } catch (error) {
      const [message] = posted.messages;
      refuse(exchange, asRefusal(error), message && "id" in message ? (message.id as RequestId) : null);
    }
  }

  function take(exchange: HttpExchange, posted: Posted): void {
    const { messages, isBatch } = posted;
    const [message] = messages;
    if (isBatch) {
      const isWrong = messages.length === 0 || messages.some((one) => one.kind === "malformed" || isNew(exchange, one));
      return isWrong ? refuse(exchange, refusals.batch) : sessions.serve(exchange, posted);
    }
    if (message?.kind === "malformed") throw message.error;
    if (!message || !isNew(exchange, message)) return sessions.serve(exchange, posted);
    if (message.kind === "request") return serveNewest(exchange, message);
    exchange.response.writeHead(202, { ...alwaysHeaders, "Content-Length": 0 }).end();
  }

  function isNew({ request }: HttpExchange, message: Incoming): boolean {
    const isTold = message.kind === "request" || message.kind === "notification";
    return isTold && isOfNewest(request.headers, message);
  }

  function serveNewest(exchange: HttpExchange, message: Request): void {
    const { request, response, admitted, tab } = exchange;
    const { method, params } = message;
    const words = parseEnvelope(params);
    if (!words) throw new RpcError("invalid-params", "The request lacks the revision and capabilities in its _meta.");
    checkCapabilities(words.capabilities);
    checkHeaders(request.headers, message);
    const openChannel = () => channelOf(response);
    const { id } = message;
    const reply = new HttpReply({ response, id, limits, statusOf, splice: spliceStateless, openChannel, onUnread });
    if (method === "subscriptions/listen") return serveListener(exchange, { message, words, reply });
    const agent = callers.of(admitted, words.client);
    const { name, arguments: given } = params;
    const tool = method === "tools/call" && typeof name === "string" ? agent.tool(name, tab) : undefined;
    const problem =
      tool && checkParamHeaders(tool.inputSchema, isJsonObject(given) ? given : undefined, request.headers);
    if (problem !== undefined) throw new RpcError("header-mismatch", problem);
    const { client, capabilities, logLevel } = words;
    const peer: RoundsPeer & HubPeer = {
      agent,
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
      // The only client for whom the state between rounds is valid.
      owner: JSON.stringify([admitted.principal, admitted.credential, client.name, client.version, tab]),
      rounds,
      refusal: door.refusal,
      shape: (result, call) => inNewestForm(result, call, peer.server),
      begin: rounds.serve,
    };
    answer(reply, () => dispatch(newestMethods, { request: message, peer, reply }), onFailure);
  }

  function channelOf(response: ServerResponse): Channel {
    const stream = openEventStream(response, { limits, onSlow, onUnread });
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

  interface Listener {
    readonly message: Request;
    readonly words: ClientWords;
    readonly reply: HttpReply;
  }

  function serveListener(exchange: HttpExchange, { message, words, reply }: Listener): void {
    const { response, admitted, tab } = exchange;
    const { principal, credential: identity, allowed } = admitted;
    const { id, params } = message;
    const lists = parseListen(params, hubCapabilities);
    const followed = parseFollowed(params);
    const { mcpSessions, mcpStreamsPerPrincipal } = { ...limits, ...allowed };
    const count = answers.standingOf(principal);
    if (count >= mcpStreamsPerPrincipal) door.metrics.overBudget("mcpStreamsPerPrincipal");
    const over =
      (count >= mcpStreamsPerPrincipal && "mcpStreamsPerPrincipal") || (count >= mcpSessions && "mcpSessions");
    if (over) return refuse(exchange, tooManyStreams(over), id);
    if (followed.length > limits.mcpSubscriptions) return refuse(exchange, refusals.tooManySubscriptions, id);
    answers.stand(response);
    // Not from `callers`, which evicts agents, who would get no more notifications.
    const agent = switchboard.agent({ principal, identity, ...words.client, allowed });
    const honored = followed.length > 0 ? { ...lists, resourceSubscriptions: followed } : lists;
    const read = readerOf(agent, tab);
    onEnd(response, listening.add(listen(message, { honored, agent, read, reply, server: wordsOf(agent, tab) })));
    watchUpdates(agent, { uris: new Set(followed), tab }, (uri) =>
      reply.notify("notifications/resources/updated", { uri, ...subscriptionMark(id) }),
    );
  }

  return {
    get open() {
      return answers.passing;
    },
    serve,
    review() {
      answers.review();
      sessions.review();
    },
    async close() {
      for (const end of listening.items()) end();
      // Pending answers still need their sessions.
      await atMost(farewellTime, answers.passingEnded());
      sessions.close();
      rounds.close();
      await atMost(farewellTime, answers.standingEnded());
    },
  };
}

const isJson = /^application\/json\s*(;|$)/i;

/** The tab in a path; undefined for all tabs. */
function tabOfPath(path: string): string | undefined {
  const [, tab] = /^\/mcp\/tabs\/([\x21-\x2e\x30-\x7e]{1,128})$/.exec(path) ?? [];
  if (tab !== undefined || path === "/mcp") return tab;
  throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
}

/** In small bodies, serializing the arguments again is cheaper than locating their bytes. */
const maxText = 16_384;

/** The HTTP status of an error without a session. */
function statusOf({ code }: RpcError): number {
  if (code === -32_601) return 404;
  return code === -32_021 ? 400 : 200;
}

/** Resolves when the promise does, or after a timeout. */
function atMost(milliseconds: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
