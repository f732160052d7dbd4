// The sessions of clients with revisions before 2026-07-28, by session id.
import type { IncomingMessage, ServerResponse } from "node:http";
import { RpcError, batchesEnd, checkCapabilities, olderVersions, parseInitialize } from "../../../mcp/index.ts";
import type { Incoming, Request } from "../../../mcp/index.ts";
import type { BudgetName } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { alwaysHeaders, onEnd } from "../../http/exchange.ts";
import type { Door } from "../door.ts";
import { ofBusiestPrincipal } from "../../backpressure/of-busiest-principal.ts";
import type { OpenAnswers } from "../callers.ts";
import { refusals, respondRpcError } from "./reply.ts";
import type { Refusal } from "./reply.ts";
import { createSession } from "./session.ts";
import type { McpSession } from "./session.ts";

/** An HTTP request and its context. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  /** The tab in the URL; undefined for all tabs. */
  readonly tab: string | undefined;
}

/** The body of a POST: one message or a batch. */
export interface Posted {
  readonly messages: readonly Incoming[];
  readonly isBatch: boolean;
}

export interface Sessions {
  serve(exchange: HttpExchange, posted: Posted): void;
  /** Serves a request without a body: opens a notification stream, or ends a session. */
  serveOther(exchange: HttpExchange): void;
  /** Closes sessions whose credential is no longer valid, including their calls. */
  review(): void;
  close(): void;
}

export interface SessionsOptions {
  readonly door: Door;
  readonly answers: OpenAnswers;
  readonly onSlow: () => void;
  /** Receives refusals, for the log. */
  readonly note: (what: string) => void;
  readonly onFailure: (error: unknown) => void;
}

interface Used {
  readonly session: McpSession;
  uses: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

const whose = ({ session }: Used) => session.admitted.principal;

const maxInBatch = 100;
/** The assumed revision of a client that does not name one. */
const unsaidVersion = "2025-03-26";

export function createSessions(options: SessionsOptions): Sessions {
  const { door, answers } = options;
  const { limits } = door;
  const sessions = new Map<string, Used>();
  /** The size of each principal's replay buffers. */
  const replays = new Map<string, { bytes: number }>();
  let lastUsed: Used | undefined;
  let isClosed = false;

  function find({ request, admitted, tab }: HttpExchange): Used | undefined {
    const id = String(request.headers["mcp-session-id"]);
    const used = sessions.get(id);
    const { session } = used ?? {};
    if (!used || session?.tab !== tab || session?.admitted.principal !== admitted.principal) return undefined;
    if (session.admitted.credential !== admitted.credential) return undefined;
    session.admitted = admitted;
    // Keeps the map in order of use, for eviction.
    if (used !== lastUsed) {
      sessions.delete(id);
      sessions.set(id, used);
    }
    lastUsed = used;
    return used;
  }

  function open({ response, admitted, tab }: HttpExchange, request: Request): void {
    const words = parseInitialize(request.params);
    checkCapabilities(words.capabilities);
    const id = crypto.randomUUID();
    const { onSlow, onFailure } = options;
    const { principal, allowed } = admitted;
    const held = replays.get(principal) ?? { bytes: 0 };
    replays.set(principal, held);
    const onUnread = answers.unread;
    const session = createSession({ door, id, admitted, tab, words, held, onSlow, onUnread, onFailure });
    const used: Used = { session, uses: 0, idle: undefined };
    sessions.set(id, used);
    use(used, response);
    session.begin(request, response);
    // A client may connect while the hub is closing its sessions.
    if (isClosed) end(used);
    const own = ofPrincipal(principal);
    const { mcpSessionsPerPrincipal } = { ...limits, ...allowed };
    if (own.length > mcpSessionsPerPrincipal) makeRoom("mcpSessionsPerPrincipal", own);
    if (sessions.size > limits.mcpSessions) makeRoom("mcpSessions", ofBusiestPrincipal([...sessions.values()], whose));
  }

  const ofPrincipal = (principal: string) => [...sessions.values()].filter((used) => whose(used) === principal);

  /** Evicts one of these, preferably one that is not in use. */
  function makeRoom(name: BudgetName, those: readonly Used[]): void {
    door.metrics.overBudget(name);
    const least = those.find(({ uses }) => uses === 0) ?? those[0];
    if (least) end(least);
  }

  function use(used: Used, response: ServerResponse): void {
    used.uses++;
    clearTimeout(used.idle);
    onEnd(response, () => {
      const isIdle = --used.uses === 0 && sessions.get(used.session.id) === used;
      if (isIdle) used.idle = setTimeout(() => end(used), limits.mcpSessionTime);
    });
  }

  function end(used: Used): void {
    clearTimeout(used.idle);
    sessions.delete(used.session.id);
    if (lastUsed === used) lastUsed = undefined;
    used.session.close();
    if (ofPrincipal(whose(used)).length === 0) replays.delete(whose(used));
  }

  function refuse({ response }: HttpExchange, refusal: Refusal): void {
    options.note(refusal.message);
    respondRpcError(response, refusal);
  }

  /** The session of a request, marked as in use until the response ends. Refuses the request if there is none. */
  function sessionOf(exchange: HttpExchange): Used | undefined {
    const { request, response } = exchange;
    const used = find(exchange);
    if (!used) {
      const hasId = request.headers["mcp-session-id"] !== undefined;
      refuse(exchange, hasId ? refusals.unknownSession : refusals.noSession);
      return undefined;
    }
    use(used, response);
    const version = request.headers["mcp-protocol-version"];
    if (version === undefined || olderVersions.includes(String(version))) return used;
    refuse(exchange, refusals.unknownVersion);
    return undefined;
  }

  function serveIn({ session }: Used, exchange: HttpExchange, { messages, isBatch }: Posted): void {
    const { request, response } = exchange;
    const malformed = messages.find((message) => message.kind === "malformed");
    if (malformed || (isBatch && (session.version >= batchesEnd || messages.length > maxInBatch))) {
      return refuse(exchange, refusals.batch);
    }
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.some(({ method }) => method === "initialize")) return refuse(exchange, refusals.initialized);
    const heard = messages.map((message) => message.kind === "request" || session.hear(message));
    if (heard.includes(false)) options.note("An answer to a question that nobody asked.");
    if (requests.length === 0) return void response.writeHead(202, { ...alwaysHeaders, "Content-Length": 0 }).end();
    const version = String(request.headers["mcp-protocol-version"] ?? unsaidVersion);
    session.serve(requests, { response, isBatch, version });
  }

  return {
    serve(exchange, posted) {
      const { messages, isBatch } = posted;
      const { accept = "", "mcp-session-id": id } = exchange.request.headers;
      const [message] = messages;
      const begins = id === undefined && !isBatch && message?.kind === "request" && message.method === "initialize";
      if (!accept.includes("application/json") || !accept.includes("text/event-stream")) {
        const used = begins || sessionOf(exchange);
        return used ? refuse(exchange, refusals.notBoth) : undefined;
      }
      if (begins) return open(exchange, message);
      const used = sessionOf(exchange);
      if (used) serveIn(used, exchange, posted);
    },
    serveOther(exchange) {
      const { request, response } = exchange;
      const used = sessionOf(exchange);
      if (!used) return;
      if (request.method === "DELETE") {
        response.writeHead(200, { ...alwaysHeaders, "Content-Length": 0 }).end();
        return end(used);
      }
      if (request.method !== "GET") return respondRpcError(response, refusals.wrongMethod);
      if (!request.headers.accept?.includes("text/event-stream")) return refuse(exchange, refusals.notEvents);
      const lastEventId = request.headers["last-event-id"]?.toString();
      answers.stand(response);
      const refused = used.session.listen(response, lastEventId === "" ? undefined : lastEventId);
      if (refused === 400) refuse(exchange, refusals.unknownEvent);
      if (refused === 409) refuse(exchange, refusals.streamTaken);
    },
    review() {
      for (const used of sessions.values()) if (!door.credentials.isStillGood(used.session.admitted)) end(used);
    },
    close() {
      isClosed = true;
      for (const used of sessions.values()) end(used);
    },
  };
}

/** The refusal of a request that should begin a session but is malformed. */
export function asRefusal(error: unknown): Refusal & { readonly data?: object | undefined } {
  if (!(error instanceof RpcError)) throw error;
  const { code, message, data } = error;
  return { status: code === -32_601 ? 404 : 400, code, message, data };
}
