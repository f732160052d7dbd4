// The MCP endpoint over HTTP, for all revisions.
import type { IncomingMessage, ServerResponse } from "node:http";
import { parseRpc } from "../../../mcp/index.ts";
import type { Incoming, RequestId } from "../../../mcp/index.ts";
import { PagewireError, messageOf, parseJson } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { alwaysHeaders, createTransientSet, onEnd, pathOf, readBody } from "../../http/exchange.ts";
import { createOpenAnswers } from "../callers.ts";
import type { OpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import type { HttpExchange, McpContext } from "./context.ts";
import { isOfNewest } from "./headers.ts";
import { withBytes } from "./raw-arguments.ts";
import { refusals, respondRpcError } from "./reply.ts";
import { SessionHomes } from "./session-homes.ts";
import type { SessionStore } from "./session-homes.ts";
import { Sessions, asRefusal } from "./sessions.ts";
import type { Posted } from "./sessions.ts";
import { StatelessClients } from "./stateless-clients.ts";

export interface McpDoor {
  /** The number of unfinished responses, not counting streams that stay open. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Ends the streams of notifications: their clients open others, at another hub. */
  endStreams(): void;
  /** Disconnects clients whose credential is no longer valid. */
  review(): void;
  /**
   * To be called when all calls have ended. Sends pending answers and ends all streams; resolves when clients have read them, or
   * after a timeout.
   */
  close(): Promise<void>;
}

interface Passing extends HttpExchange {
  /** All of the request's body, if it was read. */
  readonly body?: Uint8Array;
}

/** How long a stopping hub waits for clients to read the ends of their streams, in milliseconds. */
const farewellTime = 500;

/** `hubsKey` is for a hub of several. */
export function createMcpDoor(door: Door, store: SessionStore, hubsKey: (() => string) | undefined): McpDoor {
  const { limits, switchboard, cluster } = door;
  const answers = createOpenAnswers(door);
  const context = contextOf(door, answers);
  const { refuse } = context;
  const homes = cluster && new SessionHomes(cluster, store);
  const sessions = new Sessions(context, homes);
  const stateless = new StatelessClients(context, cluster && { others: cluster.others, key: hubsKey });
  /** The streams that another hub serves. */
  const passedStreams = createTransientSet<ServerResponse>();

  function endStreams(): void {
    stateless.endStreams();
    sessions.endNotifications();
    for (const response of passedStreams.items()) response.destroy();
  }

  async function serve(request: IncomingMessage, response: ServerResponse, { admitted }: Passed): Promise<void> {
    if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
    const tab = tabOfPath(pathOf(request));
    const exchange = { request, response, admitted, tab };
    const hub = cluster && (await sessions.elsewhere(exchange));
    if (cluster && hub !== undefined) return passOn(cluster, hub, exchange);
    if (tab !== undefined && !switchboard.hasTab(admitted.principal, tab)) {
      throw new PagewireError("tab-not-found", `There is no tab "${tab}".`);
    }
    answers.add(response, admitted);
    if (request.method !== "POST") return sessions.serveOther(exchange);
    if (!isJson.test(request.headers["content-type"] ?? "")) return refuse(exchange, refusals.notJsonType);
    const bytes = await readBody(request, limits.frameBytes, {
      arrivals: door.arrivals,
      whose: admitted,
    });
    const body = parseJson(bytes.toString(), limits.jsonDepth);
    if (body === undefined) return refuse(exchange, refusals.notJson);
    const at = cluster && (await stateless.elsewhere(body, request));
    if (cluster && at !== undefined) return passOn(cluster, at, { ...exchange, body: bytes });
    const trace = door.readTrace(request.headers);
    const read = (message: unknown) => parseRpc(message, trace);
    const posted = Array.isArray(body)
      ? { messages: body.map(read), isBatch: true }
      : { messages: [bytes.length > maxText ? withBytes(read(body), bytes) : read(body)], isBatch: false };
    try {
      const taken = take(exchange, posted);
      if (taken) await taken;
    } catch (error) {
      const [message] = posted.messages;
      refuse(exchange, asRefusal(error), message && "id" in message ? (message.id as RequestId) : null);
    }
  }

  /** This hub does not end before the answer of the other one has, but for a stream that stays open. */
  function passOn({ others }: Cluster, hub: string, { request, response, admitted, body }: Passing): void {
    if (!others.isUp) throw new PagewireError("bus-unavailable", "The hub that knows this cannot be reached.");
    if (request.method === "GET") onEnd(response, passedStreams.add(response));
    else if (!body) answers.add(response, admitted);
    others.pass(hub, { request, response, body });
  }

  function take(exchange: HttpExchange, posted: Posted): void | Promise<void> {
    const { messages, isBatch } = posted;
    const [message] = messages;
    if (isBatch) {
      const isWrong = messages.length === 0 || messages.some((one) => one.kind === "malformed" || isNew(exchange, one));
      return isWrong ? refuse(exchange, refusals.batch) : sessions.serve(exchange, posted);
    }
    if (message?.kind === "malformed") throw message.error;
    if (!message || !isNew(exchange, message)) return sessions.serve(exchange, posted);
    if (message.kind === "request") return stateless.serve(exchange, message);
    exchange.response.writeHead(202, { ...alwaysHeaders, "Content-Length": 0 }).end();
  }

  return {
    get open() {
      return answers.passing;
    },
    serve,
    endStreams,
    review() {
      answers.review();
      sessions.review();
    },
    async close() {
      stateless.endStreams();
      // Pending answers still need their sessions.
      await atMost(farewellTime, answers.passingEnded());
      sessions.close();
      stateless.close();
      await atMost(farewellTime, answers.standingEnded());
    },
  };
}

function contextOf(door: Door, answers: OpenAnswers): McpContext {
  const note: McpContext["note"] = (stage, message) => door.note("warn", "mcp-failed", { stage, message });
  return {
    ...{ door, answers, note },
    refuse({ response }, refusal, id) {
      note("request", `A request was refused with ${refusal.code}.`);
      respondRpcError(response, refusal, id);
    },
    onSlow() {
      door.metrics.refused("too-slow");
      door.note("warn", "request-refused", { code: "too-slow" });
    },
    // The rest of a message may be a page's text.
    onFailure: (error) => note("server", messageOf(error).split(/[:"'{[]/, 1)[0] ?? ""),
  };
}

/** Whether the message is of revision 2026-07-28. */
function isNew({ request }: HttpExchange, message: Incoming): boolean {
  return (message.kind === "request" || message.kind === "notification") && isOfNewest(request.headers, message);
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
