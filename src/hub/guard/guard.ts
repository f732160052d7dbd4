// The one guard of HTTP requests and upgrades. It checks the host first, then the route, the origin and the credential.
import type { IncomingMessage } from "node:http";
import { PagewireError, isExtensionOrigin } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import { pathOf } from "../http/exchange.ts";
import { isPassedOwn, passedFor } from "../http/tunnel-socket.ts";
import { corePath, windowPath } from "../http/routes.ts";
import type { Access, Route } from "../http/routes.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isAppToken, uses } from "./grant.ts";
import { allowCommand } from "./root-credentials.ts";
import type { Credentials } from "./credentials.ts";
import type { Proxies } from "./proxies.ts";
import type { Note } from "../common/log.ts";
import type { Metrics } from "../common/metrics.ts";

/** Clients that are not browsers can send any text as origin: shell metacharacters must not reach the command. */
const plainOrigin = /^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/i;

interface RefusalNotes {
  readonly metrics: Metrics;
  readonly note: Note;
  readonly origins: { refused(origin: string): void } | undefined;
}

const pairingHelps: readonly ErrorCode[] = ["code-invalid", "token-required", "token-invalid", "token-expired"];

/** The command that pairs a browser, for an error of its extension after which that helps. */
export function pairCommand(code: ErrorCode): string | undefined {
  return pairingHelps.includes(code) ? uses.browser.command : undefined;
}

/** Counts and logs a refused page, and lists its origin for the user. Returns the command that lets it in, if there is one. */
export function noteRefusedPage(
  { metrics, note, origins }: RefusalNotes,
  code: ErrorCode,
  origin: string | undefined,
): string | undefined {
  const isExtension = isExtensionOrigin(origin);
  const isUnknown = !isExtension && code === "origin-not-allowed" && origin !== undefined && plainOrigin.test(origin);
  const command = isExtension ? pairCommand(code) : isUnknown ? allowCommand(origin) : undefined;
  if (isUnknown) origins?.refused(origin);
  metrics.refused(code);
  note("warn", "page-refused", { code, origin: origin ?? "none", command });
  return command;
}

/** The result for a request that may proceed. */
export interface Passed {
  readonly origin: string | undefined;
  /** Missing on public routes, on sockets that authenticate in their first frame, and on refused sockets. */
  readonly admitted?: Admitted;
  /** Whether the client is a page, on routes that agents may use too. */
  readonly isPage?: boolean;
  /** Why a socket will be closed: it is accepted only to receive this error. */
  readonly refusal?: PagewireError;
}

export interface Guard {
  /** Refuses a request for another host. Must run before anything else. */
  checkHost(request: IncomingMessage): void;
  /** Synchronous where nothing has to be awaited; throws or rejects with the reason for a refusal. */
  pass(request: IncomingMessage, route: GuardedRoute): Passed | Promise<Passed>;
}

export type GuardedRoute = Pick<Route, "access" | "isUpgrade">;

export interface GuardOptions {
  readonly hosts: ReadonlySet<string>;
  readonly ownOrigins: ReadonlySet<string>;
  readonly credentials: Credentials;
  readonly proxies: Proxies;
  /** In team mode: throws for a token in a form, or at a place, where none may be. */
  readonly checkTokenForm?: ((request: IncomingMessage) => void) | undefined;
}

export function createGuard({ hosts, ownOrigins, credentials, proxies, checkTokenForm }: GuardOptions): Guard {
  async function passEither(request: IncomingMessage, route: GuardedRoute): Promise<Passed> {
    const { origin } = request.headers;
    const token = bearerToken(request);
    const pageToken = route.isUpgrade ? protocolToken(request) : undefined;
    const isOwn = origin === undefined || ownOrigins.has(origin);
    // The hub's own pages act as agents of the signed-in user. A browser can send a socket's token only as a subprotocol.
    if (isOwn && pageToken !== undefined && isAppToken(pageToken))
      return { origin, admitted: await credentials.agent(pageToken, request), isPage: false };
    if (isOwn && (token !== undefined || (origin === undefined && pageToken === undefined)))
      return { origin, admitted: await credentials.agent(token, request), isPage: false };
    return { origin, admitted: await credentials.page(origin, pageToken), isPage: true };
  }

  /** The origin of one of the hub's own pages; undefined for a program. */
  function ownOrNone({ headers: { origin } }: IncomingMessage, deed: string): string | undefined {
    if (origin === undefined || ownOrigins.has(origin)) return origin;
    throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot ${deed}.`);
  }

  const checks: Record<Access, (request: IncomingMessage, route: GuardedRoute) => Passed | Promise<Passed>> = {
    public: (request) => ({ origin: request.headers.origin }),
    visitor: (request) => ({ origin: request.headers.origin }),
    own(request) {
      const { origin } = request.headers;
      if (origin !== undefined && ownOrigins.has(origin)) return { origin };
      throw new PagewireError("origin-not-allowed", "Only the hub's own pages can do this.");
    },
    async owner(request) {
      const origin = ownOrNone(request, "act as the hub's owner");
      return { origin, admitted: await credentials.owner(bearerToken(request), request) };
    },
    async admin(request) {
      const origin = ownOrNone(request, "govern an organisation");
      return { origin, admitted: await credentials.admin(bearerToken(request), request) };
    },
    // Programs send no Origin header; pages do.
    async terminal(request) {
      const { origin } = request.headers;
      if (origin !== undefined)
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot act as programs in a terminal.`);
      return { origin, admitted: await credentials.terminal(bearerToken(request)) };
    },
    async person(request) {
      const origin = ownOrNone(request, "answer for the hub's user");
      return { origin, admitted: await credentials.person(bearerToken(request), origin, request) };
    },
    // A terminal view authenticates in its first frame; a program that requests codes sends the key.
    async shell(request, { isUpgrade }) {
      const { origin } = request.headers;
      if (isUpgrade) return orTold(request, async () => (credentials.checkShellOrigin(origin), { origin }));
      if (origin !== undefined)
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot make codes for terminals.`);
      return { origin, admitted: await credentials.shell(bearerToken(request), origin) };
    },
    // Pages are refused over their socket: to a page, a refused upgrade looks like a hub that is down.
    page: (request) => ({ origin: request.headers.origin }),
    either: (request, route) => orTold(request, () => passEither(request, route)),
    agent(request, { isUpgrade }) {
      const origin = ownOrNone(request, "act as agents");
      const token = bearerToken(request);
      if (isUpgrade && token === undefined) {
        const inBrowser = protocolToken(request);
        return inBrowser === undefined
          ? { origin }
          : orTold(request, async () => ({ origin, admitted: await credentials.agent(inBrowser, request) }));
      }
      const admitted = credentials.agent(token, request);
      return admitted instanceof Promise
        ? admitted.then((found) => ({ origin, admitted: found }))
        : { origin, admitted };
    },
    app(request, route) {
      const { origin } = request.headers;
      return origin === undefined || ownOrigins.has(origin) ? checks.agent(request, route) : { origin, isPage: true };
    },
  };

  return {
    checkHost(request) {
      // The hub that passes it on has checked it, and may have other names.
      if (isPassedOwn(request)) [request.headers.origin] = ownOrigins;
      if (passedFor(request) !== undefined) return;
      checkHost(request, hosts);
      const forwarded = proxies.forwardedHost(request);
      if (forwarded !== undefined && !hosts.has(forwarded.toLowerCase())) throw hostRefused(forwarded);
    },
    pass(request, route) {
      if (route.access !== "public") {
        proxies.checkUnread(request);
        checkTokenForm?.(request);
      }
      return checks[route.access](request, route);
    },
  };
}

/** Turns an error into a refusal over the socket, because a browser hides the reason of a failed upgrade. */
async function orTold({ headers: { origin } }: IncomingMessage, find: () => Promise<Passed>): Promise<Passed> {
  try {
    return await find();
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    return { origin, refusal: error };
  }
}

function bearerToken(request: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(request.headers.authorization ?? "")?.[1];
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** The Host values that a hub on this port accepts. */
export function hostNames(port: number, publicHosts: readonly string[]): ReadonlySet<string> {
  return new Set([...loopbackNames.map((name) => `${name}:${port}`), ...publicHosts]);
}

/** Whether a request names the hub by a loopback name. */
export function isByLoopbackName({ headers: { host = "" } }: IncomingMessage): boolean {
  return loopbackNames.includes(host.toLowerCase().replace(/:\d+$/, ""));
}

/**
 * Refuses a request unless it has exactly one Host header, which names this hub. This stops DNS rebinding: a page whose name
 * resolves to this address sends its own name.
 */
export function checkHost({ headers: { host }, url, rawHeaders }: IncomingMessage, names: ReadonlySet<string>): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  if (host !== undefined && names.has(host.toLowerCase()) && url?.startsWith("/") && count === 1) return;
  throw hostRefused(host);
}

function hostRefused(host = ""): PagewireError {
  return new PagewireError("host-refused", `This hub does not answer to the host ${JSON.stringify(host)}.`);
}

// A page cannot set headers on a WebSocket, so it sends its token and tab as subprotocols.

const coreProtocol = "pagewire.core.1";
const windowProtocol = "pagewire.window.1";

const tokenForm = /^(?:pagewire|auth0-gate)\.bearer\.(.{1,8192})$/;
const tabForm = /^pagewire\.tab\.(.{1,128})$/;

/** The page's token, from `pagewire.bearer.<token>`; undefined if there is none or more than one. */
function protocolToken(request: IncomingMessage): string | undefined {
  return onlyOne(request, tokenForm);
}

/** The page's tab id, from `pagewire.tab.<id>`. */
export function protocolTab(request: IncomingMessage): string | undefined {
  return onlyOne(request, tabForm);
}

/** The subprotocol of a socket that carries many pages. */
export const channelsProtocol = "pagewire.channels.1";

/** The subprotocol of an upgrade, by its path; false for none. */
export function selectProtocol(offered: Set<string>, request: IncomingMessage): string | false {
  const path = pathOf(request);
  if (path === corePath) return chooseProtocol(offered, coreProtocol);
  if (path.startsWith(windowPath)) return chooseProtocol(offered, windowProtocol);
  return offered.has(channelsProtocol) && channelsProtocol;
}

/** Chooses our protocol if it is offered, else any: a browser closes the socket when none of its protocols is chosen. */
function chooseProtocol(offered: ReadonlySet<string>, own: string): string | false {
  const [first = false] = offered;
  if (offered.has(own)) return own;
  return [...offered].find((one) => tokenForm.test(one)) ?? first;
}

function onlyOne({ headers }: IncomingMessage, form: RegExp): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const found = offered.flatMap((one) => form.exec(one)?.[1] ?? []);
  return found.length === 1 ? found[0] : undefined;
}
