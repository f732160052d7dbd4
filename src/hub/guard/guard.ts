// The one gate that HTTP requests and upgrades both pass: first the host, then the route, the origin, and the credential.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { Access, Route } from "../http/routes.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isAppToken } from "./app-sessions.ts";
import type { Credentials } from "./credentials.ts";
import type { Proxies } from "./proxies.ts";

/** What the guard found out about a request that may go on. */
export interface Passed {
  readonly origin: string | undefined;
  /** Missing on public routes, on sockets that will say who they are in their first frame, and on refused ones. */
  readonly admitted?: Admitted;
  /** Whether it is a page that was admitted, where agents may come too. */
  readonly isPage?: boolean;
  /** Why a socket may not stay that was let in only to be told so. */
  readonly refusal?: PagewireError;
}

export interface Guard {
  /** Refuses a request whose host is not ours; must come before anything else is done with it. */
  checkHost(request: IncomingMessage): void;
  /** What was found out, at once where nothing had to be waited for; throws or rejects with the reason for a refusal. */
  pass(request: IncomingMessage, route: GuardedRoute): Passed | Promise<Passed>;
}

export type GuardedRoute = Pick<Route, "access" | "isUpgrade" | "takesVendorKeys">;

export interface GuardOptions {
  readonly hosts: ReadonlySet<string>;
  readonly ownOrigins: ReadonlySet<string>;
  readonly credentials: Credentials;
  readonly proxies: Proxies;
}

export function createGuard({ hosts, ownOrigins, credentials, proxies }: GuardOptions): Guard {
  async function passEither(request: IncomingMessage, route: GuardedRoute): Promise<Passed> {
    const { origin } = request.headers;
    const token = bearerToken(request) ?? (route.takesVendorKeys ? vendorKey(request) : undefined);
    const pageToken = route.isUpgrade ? protocolToken(request) : undefined;
    const isOwn = origin === undefined || ownOrigins.has(origin);
    // The hub's own pages are agents of whoever signed in to them, and a browser's sockets have no other place for that.
    if (isOwn && pageToken !== undefined && isAppToken(pageToken))
      return { origin, admitted: await credentials.agent(pageToken), isPage: false };
    if (isOwn && (token !== undefined || (origin === undefined && pageToken === undefined)))
      return { origin, admitted: await credentials.agent(token), isPage: false };
    return { origin, admitted: await credentials.page(origin, pageToken), isPage: true };
  }

  const checks: Record<Access, (request: IncomingMessage, route: GuardedRoute) => Passed | Promise<Passed>> = {
    public: (request) => ({ origin: request.headers.origin }),
    own(request) {
      const { origin } = request.headers;
      if (origin !== undefined && ownOrigins.has(origin)) return { origin };
      throw new PagewireError("origin-not-allowed", "Only the hub's own pages can do this.");
    },
    // Programs send no Origin; a page that does is not one.
    async terminal(request) {
      const { origin } = request.headers;
      if (origin !== undefined)
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot act as programs in a terminal.`);
      return { origin, admitted: await credentials.terminal(bearerToken(request)) };
    },
    // A view of a terminal says who it is in its first frame; what makes codes for them brings the key.
    async shell(request, { isUpgrade }) {
      const { origin } = request.headers;
      if (isUpgrade) {
        return orTold(request, async () => {
          credentials.checkShellOrigin(origin);
          return { origin };
        });
      }
      if (origin !== undefined)
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot make codes for terminals.`);
      return { origin, admitted: await credentials.shell(bearerToken(request), origin) };
    },
    // A page is told over its socket why it is refused: a refused upgrade would only look like a hub that is down.
    page: (request) => ({ origin: request.headers.origin }),
    either: (request, route) =>
      route.isUpgrade ? orTold(request, () => passEither(request, route)) : passEither(request, route),
    agent(request, { isUpgrade }) {
      const { origin } = request.headers;
      if (origin !== undefined && !ownOrigins.has(origin)) {
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot act as agents.`);
      }
      const token = bearerToken(request);
      if (isUpgrade && token === undefined) {
        const inBrowser = protocolToken(request);
        return inBrowser === undefined
          ? { origin }
          : orTold(request, async () => ({ origin, admitted: await credentials.agent(inBrowser) }));
      }
      const admitted = credentials.agent(token);
      return admitted instanceof Promise
        ? admitted.then((found) => ({ origin, admitted: found }))
        : { origin, admitted };
    },
  };

  return {
    checkHost(request) {
      checkHost(request, hosts);
      const forwarded = proxies.forwardedHost(request);
      if (forwarded !== undefined && !hosts.has(forwarded.toLowerCase())) throw hostRefused(forwarded);
    },
    pass(request, route) {
      if (route.access !== "public") proxies.checkUnread(request);
      return checks[route.access](request, route);
    },
  };
}

/** As with pages: a browser lets its pages know why only over the socket. */
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

const vendorKeyHeaders = ["x-api-key", "api-key", "x-goog-api-key"];

/** The headers in which the vendors' own libraries bring what they take for their key. */
function vendorKey({ headers }: IncomingMessage): string | undefined {
  const keys = vendorKeyHeaders.flatMap((name) => headers[name] ?? []);
  return keys.length === 1 ? keys[0] : undefined;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** The names under which browsers and agents may call a hub that listens on this port. */
export function hostNames(port: number, publicHosts: readonly string[]): ReadonlySet<string> {
  return new Set([...loopbackNames.map((name) => `${name}:${port}`), ...publicHosts]);
}

/** Whether a request calls the hub by a name of the machine that both are on. */
export function isByLoopbackName({ headers: { host = "" } }: IncomingMessage): boolean {
  return loopbackNames.includes(host.toLowerCase().replace(/:\d+$/, ""));
}

/**
 * Refuses a request that does not name this hub as its host, exactly once and in the usual form. A page whose name was made
 * to point at this address (DNS rebinding) brings its own name here.
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

// What a browser's socket can say in its upgrade: a page sets no headers, only subprotocols.

/** The protocol of a socket that speaks to a model, and of an agent's window's. */
export const coreProtocol = "pagewire.core.1";
export const windowProtocol = "pagewire.window.1";

const tokenForm = /^(?:pagewire|auth0-gate)\.bearer\.(.{1,8192})$/;
const tabForm = /^pagewire\.tab\.(.{1,128})$/;

/** The page's token, from `pagewire.bearer.<token>`; undefined where there is none or more than one. */
function protocolToken(request: IncomingMessage): string | undefined {
  return onlyOne(request, tokenForm);
}

/** The tab that the page says it is, from `pagewire.tab.<id>`. */
export function protocolTab(request: IncomingMessage): string | undefined {
  return onlyOne(request, tabForm);
}

/** Which of the offered protocols a socket has: its own, or any. A browser hangs up where none of its own is chosen. */
export function chooseProtocol(offered: ReadonlySet<string>, own: string): string | false {
  const [first = false] = offered;
  if (offered.has(own)) return own;
  return [...offered].find((one) => tokenForm.test(one)) ?? first;
}

function onlyOne({ headers }: IncomingMessage, form: RegExp): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const found = offered.flatMap((one) => form.exec(one)?.[1] ?? []);
  return found.length === 1 ? found[0] : undefined;
}
