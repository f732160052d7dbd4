import { once } from "node:events";
import { WebSocketServer } from "ws";
import type { ServerOptions, WebSocket } from "ws";
import { chooseProtocol, extractTokenFromProtocol } from "./extract-token.ts";
import { expectationOf, verifyClaims } from "./verify-auth0-token.ts";
import type { VerifyTokenOptions } from "./verify-auth0-token.ts";
import type { IncomingMessage } from "node:http";
import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import { RemoteShellProxy, WebSocketServerTransport } from "../remote.ts";
import type { RemoteShellProxyOptions } from "../remote/remote-shell-proxy.ts";
import { createSessionSocket } from "./session-socket.ts";
import type { AuthenticatedSocket } from "./session-socket.ts";
import { userContextOf } from "./user-context.ts";
import type { UserContext } from "./user-context.ts";

/** The created core: one to attach, or one that its factory attaches itself. */
type CreatedCores = EventTarget | { readonly core?: EventTarget } | void;

interface AuthenticatedConnectionOptions {
  /** The tenant, such as `example.auth0.com`. */
  readonly auth0Domain: string;
  /** The API that tokens must be for. */
  readonly auth0Audience: string;
  /** Origins that may connect; any when left out. A client that is no browser has none, and is not asked. */
  readonly allowedOrigins?: readonly string[];
  readonly rolesClaim?: string;
  /** The issuer and its keys, where they are not the tenant's. */
  readonly issuer?: string;
  readonly jwks?: string;
  /** Makes what this user is shown: an EventTarget is shown over the socket; in any other case showing it is the maker's. */
  createCores(user: UserContext, socket: AuthenticatedSocket): CreatedCores | Promise<CreatedCores>;
  /** Receives a refreshed token; rejects to refuse it. */
  readonly onTokenRefresh?: (core: EventTarget | undefined, user: UserContext) => void | Promise<void>;
  /** Milliseconds that a connection lives on after its token has expired. None when left out. */
  readonly sessionGraceMs?: number;
  readonly proxyOptions?: RemoteShellProxyOptions;
  readonly clock?: Clock;
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Longer waits than this are waited for in parts. */
const longestWait = 2 ** 31 - 1;

/** Lets a connection in that brings a valid token from an allowed origin, and closes it when its last token expires. */
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
        ? clock.after(Math.min(left, longestWait), () => endAt(endsAt))
        : (socket.close(4401, "Token expired"), () => {});
  }

  /** Takes an end as the new one if `accept` does; a slow one is not to be overtaken by the end before. */
  async function prolong(end: number, accept: () => void | Promise<void>): Promise<void> {
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
      const claims = await verifyClaims(String(token), tokenOptions(options));
      const user = userContextOf(claims, options.rolesClaim);
      if (user.sub !== subject) return socket.close(4403, "Token subject mismatch");
      await prolong(claims.exp * 1000 + sessionGraceMs, () => onTokenRefresh?.(core, user));
    } catch (error) {
      logger.warn(`A token was not accepted: ${messageOf(error)}`);
      answer = { type: "throw", id, error: { name: "Error", message: "The token was not accepted." } };
    }
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(answer));
  }

  function taken(text: string): boolean {
    if (!text.includes('"auth:refresh"')) return false;
    const { type, name, id, args } = parse(text);
    if (type !== "cmd" || name !== "auth:refresh") return false;
    if (typeof id === "string" && id !== "" && Array.isArray(args)) void refresh(id, args[0]);
    return true;
  }

  function turnAway(code: number, reason: string): void {
    socket.close(code, reason);
    socket.resume();
  }

  const { origin } = request.headers;
  if (options.allowedOrigins && origin !== undefined && !options.allowedOrigins.includes(origin)) {
    return turnAway(1008, "Forbidden origin");
  }
  // Nothing of a stranger is read, and nothing of a guest is missed.
  socket.pause();
  let user: UserContext;
  try {
    const claims = await verifyClaims(extractTokenFromProtocol(request), tokenOptions(options));
    user = userContextOf(claims, options.rolesClaim);
    subject = user.sub;
    endAt(claims.exp * 1000 + sessionGraceMs);
  } catch (error) {
    logger.warn(`A connection was refused: ${messageOf(error)}`);
    return turnAway(1008, "Unauthorized");
  }
  // It may have gone, or its token have ended, while the token was looked at.
  if (socket.readyState !== socket.OPEN) return socket.resume();
  try {
    const session = createSessionSocket(socket, taken);
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

const largestMessage = 16 * 1024 * 1024;

/** A WebSocket server that only lets in whom it knows. Resolves once it listens. */
export async function createAuthenticatedWSS(options: AuthenticatedWSSOptions): Promise<WebSocketServer> {
  expectationOf(tokenOptions(options));
  const { port, host, path, server, backlog, maxPayload = largestMessage } = options;
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
