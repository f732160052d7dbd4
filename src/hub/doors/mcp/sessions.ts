// The sessions of clients with revisions before 2026-07-28, by session id.
import type { ServerResponse } from "node:http";
import { RpcError, batchesEnd, checkCapabilities, olderVersions, parseInitialize } from "../../../mcp/index.ts";
import type { Incoming, Request } from "../../../mcp/index.ts";
import type { BudgetName } from "../../../wire/index.ts";
import { messageOf } from "../../../wire/index.ts";
import { alwaysHeaders, onEnd } from "../../http/exchange.ts";
import { passedFor } from "../../http/tunnel-socket.ts";
import { beyondExpiry } from "../../identity/admitted.ts";
import type { HttpExchange, McpContext } from "./context.ts";
import { refusals, respondRpcError } from "./reply.ts";
import type { Refusal } from "./reply.ts";
import { McpSession } from "./session.ts";
import type { SessionOptions } from "./session.ts";
import type { SessionHomes } from "./session-homes.ts";
import type { SessionRecord } from "./session-record.ts";

/** The body of a POST: one message or a batch. */
export interface Posted {
  readonly messages: readonly Incoming[];
  readonly isBatch: boolean;
}

interface Used {
  readonly session: McpSession;
  uses: number;
  /** When it was surely here, by the hub's clock; for a hub of several. */
  sureAt: number;
  /** Whether it was used since it was last written down. */
  isFresh: boolean;
  idle: ReturnType<typeof setTimeout> | undefined;
}

const whose = ({ session }: Used) => session.admitted.principal;

/** Sessions of several hubs that are used are written down again after a part of `mcpSessionTime`, but at least hourly. */
const keepPart = 4;
const mostKeepTime = 60 * 60_000;
const checkTime = 1000;

const maxInBatch = 100;
/** The assumed revision of a client that does not name one. */
const unsaidVersion = "2025-03-26";

export class Sessions {
  readonly #context: McpContext;
  readonly #sessions = new Map<string, Used>();
  /** The size of each principal's replay buffers. */
  readonly #replays = new Map<string, { bytes: number }>();
  /** For a hub of several. */
  readonly #homes: SessionHomes | undefined;
  readonly #takeOvers = new Map<string, Promise<string | undefined>>();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #isChecking = false;
  #lastUsed: Used | undefined;
  #isClosed = false;

  constructor(context: McpContext, homes: SessionHomes | undefined) {
    this.#context = context;
    this.#homes = homes;
    homes?.gives((id) => this.#give(id));
    if (!homes) return;
    this.#timers.push(setInterval(() => void this.#keepUsed(), this.#keepTime).unref());
    this.#timers.push(setInterval(() => void this.#checkStreams(homes), checkTime).unref());
  }

  /** The other hub that has the session of a request. A session whose hub is gone is taken over. */
  async elsewhere({ request, admitted, tab }: HttpExchange): Promise<string | undefined> {
    const { "mcp-session-id": id } = request.headers;
    if (!this.#homes || typeof id !== "string") return undefined;
    const used = this.#sessions.get(id);
    if (used && (await this.#isHere(used))) return undefined;
    const whose = JSON.stringify([id, admitted.principal, admitted.credential, tab]);
    const taking = this.#takeOvers.get(whose) ?? this.#takeOver(id, { request, admitted, tab });
    this.#takeOvers.set(whose, taking);
    return taking.finally(() => this.#takeOvers.delete(whose));
  }

  serve(exchange: HttpExchange, posted: Posted): void | Promise<void> {
    const { messages, isBatch } = posted;
    const { accept = "", "mcp-session-id": id } = exchange.request.headers;
    const [message] = messages;
    const begins = id === undefined && !isBatch && message?.kind === "request" && message.method === "initialize";
    if (!accept.includes("application/json") || !accept.includes("text/event-stream")) {
      const used = begins || this.#sessionOf(exchange);
      return used ? this.#refuse(exchange, refusals.notBoth) : undefined;
    }
    if (begins) return this.#open(exchange, message);
    const used = this.#sessionOf(exchange);
    if (used) this.#serveIn(used, exchange, posted);
  }

  /** Serves a request without a body: opens a notification stream, or ends a session. */
  serveOther(exchange: HttpExchange): void {
    const { request, response } = exchange;
    const used = this.#sessionOf(exchange);
    if (!used) return;
    if (request.method === "DELETE") {
      response.writeHead(200, { ...alwaysHeaders, "Content-Length": 0 }).end();
      return this.#end(used);
    }
    if (request.method !== "GET") return respondRpcError(response, refusals.wrongMethod);
    if (!request.headers.accept?.includes("text/event-stream")) return this.#refuse(exchange, refusals.notEvents);
    const lastEventId = request.headers["last-event-id"]?.toString();
    this.#context.answers.stand(response);
    const refused = used.session.listen(response, lastEventId === "" ? undefined : lastEventId);
    if (refused === 400) this.#refuse(exchange, refusals.unknownEvent);
    if (refused === 409) this.#refuse(exchange, refusals.streamTaken);
  }

  /** Closes sessions whose credential was revoked, including their calls. A client gets its next token when it needs one. */
  review(): void {
    const { credentials } = this.#context.door;
    for (const used of this.#sessions.values())
      if (!credentials.isStillGood(beyondExpiry(used.session.admitted))) this.#end(used);
  }

  /** Ends the notification streams: their clients open others. */
  endNotifications(): void {
    for (const { session } of this.#sessions.values()) session.endNotifications();
  }

  /** Other hubs take over what was here. */
  close(): void {
    this.#isClosed = true;
    this.#timers.forEach(clearInterval);
    for (const used of this.#sessions.values()) this.#drop(used);
  }

  get #keepTime(): number {
    return Math.min(this.#context.door.limits.mcpSessionTime / keepPart, mostKeepTime);
  }

  /** Whether a session is still here. Another hub may have taken it while this one could not be reached, or slept. */
  async #isHere(used: Used): Promise<boolean> {
    if (!this.#homes || used.sureAt >= this.#homes.sureSince) return true;
    const { sureSince } = this.#homes;
    if (await this.#homes.isHere(used.session.id)) {
      used.sureAt = sureSince;
      return true;
    }
    this.#drop(used);
    return false;
  }

  /** Ends the streams of sessions that another hub has taken: their clients open others there. Calls may end first. */
  async #checkStreams(homes: SessionHomes): Promise<void> {
    if (!homes.isUp || this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const used of this.#sessions.values()) if (used.uses > 0 && !used.session.isBusy) await this.#isHere(used);
    } catch {
      // The database does not say now.
    } finally {
      this.#isChecking = false;
    }
  }

  async #takeOver(id: string, { request, admitted, tab }: Omit<HttpExchange, "response">): Promise<string | undefined> {
    const found = await this.#homes?.find(id, {
      isPassed: passedFor(request) !== undefined,
      isTheirs: (record) =>
        record.principal === admitted.principal && record.credential === admitted.credential && record.tab === tab,
    });
    if (!found || "hub" in found) return found?.hub;
    const used = this.#add({ id, admitted, tab, words: found.record.words }, found.record);
    await this.#save(used);
    this.#idle(used);
    return undefined;
  }

  /** Gives a session to another hub, if nothing is lost by that. */
  async #give(id: string): Promise<boolean> {
    const used = this.#sessions.get(id);
    if (!used) return true;
    if (used.session.isBusy) return false;
    await this.#save(used);
    if (used.session.isBusy) return false;
    this.#drop(used);
    return true;
  }

  async #keepUsed(): Promise<void> {
    for (const used of this.#sessions.values()) if (used.isFresh || used.uses > 0) await this.#save(used);
  }

  /** Writes a session down for other hubs; one that could not be written is lost with this hub. */
  async #save(used: Used): Promise<void> {
    const { session } = used;
    used.isFresh = false;
    try {
      if (!(await this.#isHere(used)) || this.#sessions.get(session.id) !== used) return;
      const forgetAt = Date.now() + this.#context.door.limits.mcpSessionTime + 2 * this.#keepTime;
      await this.#homes?.keep(session.id, session.record, forgetAt);
    } catch (error) {
      this.#context.note("session", messageOf(error));
    }
  }

  #find({ request, admitted, tab }: HttpExchange): Used | undefined {
    const id = String(request.headers["mcp-session-id"]);
    const used = this.#sessions.get(id);
    const { session } = used ?? {};
    if (!used || session?.tab !== tab || session?.admitted.principal !== admitted.principal) return undefined;
    if (session.admitted.credential !== admitted.credential) return undefined;
    session.seen(admitted);
    used.isFresh = true;
    // Keeps the map in order of use, for eviction.
    if (used !== this.#lastUsed) {
      this.#sessions.delete(id);
      this.#sessions.set(id, used);
    }
    this.#lastUsed = used;
    return used;
  }

  async #open({ response, admitted, tab }: HttpExchange, request: Request): Promise<void> {
    const words = parseInitialize(request.params);
    checkCapabilities(words.capabilities);
    const id = this.#homes?.newId() ?? crypto.randomUUID();
    const used = this.#add({ id, admitted, tab, words });
    this.#use(used, response);
    if (this.#homes) await this.#save(used);
    used.session.begin(request, response);
  }

  #add(given: Omit<SessionOptions, "held" | "sharing">, from?: SessionRecord): Used {
    const { principal, allowed } = given.admitted;
    const held = this.#replays.get(principal) ?? { bytes: 0 };
    this.#replays.set(principal, held);
    const homes = this.#homes;
    const sharing = homes && { keys: homes.keys, save: () => this.#save(used), ...(from && { from }) };
    const session = new McpSession(this.#context, { ...given, held, sharing });
    const used: Used = { session, uses: 0, sureAt: homes?.sureSince ?? 0, isFresh: true, idle: undefined };
    const sessions = this.#sessions.set(given.id, used);
    // A client may connect while the hub is closing its sessions.
    if (this.#isClosed) this.#drop(used);
    const own = this.#ofPrincipal(principal);
    const { limits, queues } = this.#context.door;
    const { mcpSessionsPerPrincipal } = { ...limits, ...allowed };
    if (own.length > mcpSessionsPerPrincipal) this.#evictOne("mcpSessionsPerPrincipal", own);
    if (sessions.size > limits.mcpSessions)
      this.#evictOne("mcpSessions", queues.ofBusiest([...sessions.values()], whose));
    return used;
  }

  #ofPrincipal(principal: string): readonly Used[] {
    return [...this.#sessions.values()].filter((used) => whose(used) === principal);
  }

  /** Evicts one of these, preferably one that is not in use. */
  #evictOne(name: BudgetName, those: readonly Used[]): void {
    this.#context.door.metrics.overBudget(name);
    const evicted = those.find(({ uses }) => uses === 0) ?? those[0];
    if (evicted) this.#end(evicted);
  }

  #use(used: Used, response: ServerResponse): void {
    used.uses++;
    clearTimeout(used.idle);
    onEnd(response, () => {
      if (--used.uses === 0) this.#idle(used);
    });
  }

  #idle(used: Used): void {
    if (used.uses > 0 || this.#sessions.get(used.session.id) !== used) return;
    clearTimeout(used.idle);
    used.idle = setTimeout(() => this.#end(used), this.#context.door.limits.mcpSessionTime);
  }

  /** Ends a session for good, unless another hub has it by now. */
  #end(used: Used): void {
    const { id } = used.session;
    const isHere = this.#homes && this.#isHere(used);
    this.#drop(used);
    isHere
      ?.then((isOurs) => (isOurs ? this.#homes?.forget(id) : undefined))
      .catch((error: unknown) => this.#context.note("session", messageOf(error)));
  }

  #drop(used: Used): void {
    clearTimeout(used.idle);
    this.#sessions.delete(used.session.id);
    if (this.#lastUsed === used) this.#lastUsed = undefined;
    used.session.close();
    if (this.#ofPrincipal(whose(used)).length === 0) this.#replays.delete(whose(used));
  }

  #refuse({ response }: HttpExchange, refusal: Refusal): void {
    this.#context.note("server", refusal.message);
    respondRpcError(response, refusal);
  }

  /** The session of a request, marked as in use until the response ends. Refuses the request if there is none. */
  #sessionOf(exchange: HttpExchange): Used | undefined {
    const { request, response } = exchange;
    const used = this.#find(exchange);
    if (!used) {
      const hasId = request.headers["mcp-session-id"] !== undefined;
      this.#refuse(exchange, hasId ? refusals.unknownSession : refusals.noSession);
      return undefined;
    }
    this.#use(used, response);
    const version = request.headers["mcp-protocol-version"];
    if (version === undefined || olderVersions.includes(String(version))) return used;
    this.#refuse(exchange, refusals.unknownVersion);
    return undefined;
  }

  #serveIn({ session }: Used, exchange: HttpExchange, { messages, isBatch }: Posted): void {
    const { request, response } = exchange;
    const malformed = messages.find((message) => message.kind === "malformed");
    if (malformed || (isBatch && (session.version >= batchesEnd || messages.length > maxInBatch))) {
      return this.#refuse(exchange, refusals.batch);
    }
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.some(({ method }) => method === "initialize")) return this.#refuse(exchange, refusals.initialized);
    const expected = messages.map((message) => message.kind === "request" || session.receive(message));
    if (expected.includes(false)) this.#context.note("server", "An answer to a question that nobody asked.");
    if (requests.length === 0) return void response.writeHead(202, { ...alwaysHeaders, "Content-Length": 0 }).end();
    const version = String(request.headers["mcp-protocol-version"] ?? unsaidVersion);
    session.serve(requests, { response, isBatch, version });
  }
}

/** The refusal of a request that should begin a session but is malformed. */
export function asRefusal(error: unknown): Refusal & { readonly data?: object | undefined } {
  if (!(error instanceof RpcError)) throw error;
  const { code, message, data } = error;
  return { status: code === -32_601 ? 404 : 400, code, message, data };
}
