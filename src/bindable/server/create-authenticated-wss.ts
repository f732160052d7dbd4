import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import type { RawData, ServerOptions, WebSocket } from "ws";
import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import { RemoteShellProxy, WebSocketServerTransport } from "../remote.ts";
import type { RemoteShellProxyOptions } from "../remote/remote-shell-proxy.ts";
import { chooseProtocol, expectationOf, extractTokenFromProtocol, verifyAuth0Token } from "./verify-auth0-token.ts";
import type { UserContext, VerifyTokenOptions } from "./verify-auth0-token.ts";

/** The created core: one to attach, or one that its factory attaches itself. */
type CreatedCores = EventTarget | { readonly core?: EventTarget } | void;

interface AuthenticatedConnectionOptions {
  /** The tenant, such as `example.auth0.com`. */
  readonly auth0Domain: string;
  /** The API that tokens must be for. */
  readonly auth0Audience: string;
  /** Origins that may connect; any when left out. Clients without an origin are no browsers, and always may. */
  readonly allowedOrigins?: readonly string[];
  readonly rolesClaim?: string;
  /** The issuer and its keys, where they are not the tenant's. */
  readonly issuer?: string;
  readonly jwks?: string;
  /** Creates the core for this user. An EventTarget is served over the socket; anything else the factory serves itself. */
  createCores(user: UserContext, socket: AuthenticatedSocket): CreatedCores | Promise<CreatedCores>;
  /** Receives a refreshed token; rejects to refuse it. */
  readonly onTokenRefresh?: (core: EventTarget | undefined, user: UserContext) => void | Promise<void>;
  /** Milliseconds for which a connection outlives its token. None when left out. */
  readonly sessionGraceMs?: number;
  readonly proxyOptions?: RemoteShellProxyOptions;
  readonly clock?: Clock;
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Timers cannot be longer; longer waits are split. */
const MAX_TIMER = 2 ** 31 - 1;

/** Accepts a connection with a valid token from an allowed origin, and closes it when its last token expires. */
async function handleConnection(
  socket: WebSocket,
  request: IncomingMessage,
  options: AuthenticatedConnectionOptions,
): Promise<void> {
  const { clock = systemClock, now = Date.now, sessionGraceMs = 0, onTokenRefresh } = options;
  const { logger = console } = options.proxyOptions ?? {};
  let core: EventTarget | undefined;
  let subject = "";
  let endsAt = Infinity;
  let stopEnd = () => {};

  socket.on("error", () => undefined);
  socket.on("close", () => stopEnd());

  function endAt(time: number): void {
    endsAt = time;
    stopEnd();
    if (socket.readyState > socket.OPEN) return;
    const left = endsAt - now();
    stopEnd =
      left > 0
        ? clock.after(Math.min(left, MAX_TIMER), () => endAt(endsAt))
        : (socket.close(4401, "Token expired"), () => {});
  }

  /** Moves the end if `accept` succeeds. It moves first, so that the old end cannot come while `accept` runs. */
  async function extend(end: number, accept: () => void | Promise<void>): Promise<void> {
    const before = endsAt;
    endAt(end);
    try {
      await accept();
    } catch (error) {
      if (endsAt === end) endAt(before);
      throw error;
    }
  }

  async function refresh(id: string, token: unknown): Promise<void> {
    let answer: object = { type: "return", id };
    try {
      const { user, expiresAt } = await verifyAuth0Token(String(token), tokenOptions(options));
      if (user.sub !== subject) return socket.close(4403, "Token subject mismatch");
      await extend(expiresAt + sessionGraceMs, () => onTokenRefresh?.(core, user));
    } catch (error) {
      logger.warn(`A token was not accepted: ${messageOf(error)}`);
      answer = { type: "throw", id, error: { name: "Error", message: "The token was not accepted." } };
    }
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(answer));
  }

  function handleRefresh(text: string): boolean {
    if (!text.includes('"auth:refresh"')) return false;
    const { type, name, id, args } = parse(text);
    if (type !== "cmd" || name !== "auth:refresh") return false;
    if (typeof id === "string" && id !== "" && Array.isArray(args)) void refresh(id, args[0]);
    return true;
  }

  function reject(code: number, reason: string): void {
    socket.close(code, reason);
    socket.resume();
  }

  const { origin } = request.headers;
  if (options.allowedOrigins && origin !== undefined && !options.allowedOrigins.includes(origin)) {
    return reject(1008, "Forbidden origin");
  }
  // Nothing is read before the client is authenticated, and nothing that it sends is lost.
  socket.pause();
  let user: UserContext;
  try {
    const verified = await verifyAuth0Token(extractTokenFromProtocol(request), tokenOptions(options));
    ({ user } = verified);
    subject = user.sub;
    endAt(verified.expiresAt + sessionGraceMs);
  } catch (error) {
    logger.warn(`A connection was refused: ${messageOf(error)}`);
    return reject(1008, "Unauthorized");
  }
  // The client may have left, or its token expired, during verification.
  if (socket.readyState !== socket.OPEN) return socket.resume();
  try {
    const session = createSessionSocket(socket, handleRefresh);
    const created = await options.createCores(user, session);
    core = created instanceof EventTarget ? created : created?.core;
    if (created instanceof EventTarget) {
      new RemoteShellProxy(created, new WebSocketServerTransport(session), options.proxyOptions);
    }
  } catch (error) {
    logger.error(`A core could not be made: ${messageOf(error)}`);
    socket.close(1011, "The core could not be made");
  }
  socket.resume();
}

/** How the tokens of these connections are verified. */
function tokenOptions(options: AuthenticatedConnectionOptions): VerifyTokenOptions {
  const { auth0Domain: domain, auth0Audience: audience, rolesClaim, issuer, jwks } = options;
  return {
    domain,
    audience,
    ...(rolesClaim !== undefined && { rolesClaim }),
    ...(issuer !== undefined && { issuer }),
    ...(jwks !== undefined && { jwks }),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Options for `ws`, above all where to listen. With neither `port` nor `server`, pass it upgrades yourself. */
export interface AuthenticatedWSSOptions
  extends
    AuthenticatedConnectionOptions,
    Pick<ServerOptions, "port" | "host" | "path" | "server" | "noServer" | "maxPayload" | "backlog"> {}

const MAX_MESSAGE = 16 * 1024 * 1024;

/** A WebSocket server that only accepts authenticated users. Resolves once it listens. */
export async function createAuthenticatedWSS(options: AuthenticatedWSSOptions): Promise<WebSocketServer> {
  expectationOf(tokenOptions(options));
  const { port, host, path, server, backlog, maxPayload = MAX_MESSAGE } = options;
  const noServer = port === undefined && server === undefined;
  const sockets = new WebSocketServer({
    ...(noServer ? { noServer } : { port, host, server, backlog }),
    ...(path !== undefined && { path }),
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: chooseProtocol,
  });
  sockets.on("connection", (socket, request) => void handleConnection(socket, request, options));
  if (port !== undefined) await once(sockets, "listening");
  return sockets;
}

/** The part of a WebSocket that a transport and its owner need. */
interface AuthenticatedSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  on(type: "message" | "close" | "error", listener: (...details: never[]) => void): unknown;
  off(type: "message" | "close" | "error", listener: (...details: never[]) => void): unknown;
}

/** A view of a socket without the messages that `handle` returns true for. */
function createSessionSocket(socket: WebSocket, handle: (text: string) => boolean): AuthenticatedSocket {
  const events = new EventEmitter();
  events.on("error", () => undefined);
  socket.on("message", (data: RawData) => {
    // oxlint-disable-next-line no-base-to-string -- ws gives a Buffer here, its binaryType being as it was
    const text = String(data);
    if (!handle(text)) events.emit("message", text);
  });
  socket.on("close", (code, reason) => events.emit("close", code, reason));
  socket.on("error", (error) => events.emit("error", error));
  return {
    get readyState() {
      return socket.readyState;
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    on: (type, listener) => events.on(type, listener as () => void),
    off: (type, listener) => events.off(type, listener as () => void),
  };
}
