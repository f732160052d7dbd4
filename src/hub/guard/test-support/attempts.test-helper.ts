// All requests that an anonymous client may try, and their required results: specified here a second time, independent
// of the guard's implementation.
import { askRaw, upgradeLines } from "../../test-support/raw.test-helper.ts";
import type { RawAnswer } from "../../test-support/raw.test-helper.ts";
import type { Route } from "../../http/routes.ts";

export interface HostCase {
  readonly name: string;
  readonly isOurs: boolean;
  /** The request line and the lines that name the target host. */
  lines(method: string, path: string): readonly string[];
}

export interface OriginCase {
  readonly origin: string | undefined;
  readonly kind: "none" | "own" | "allowed" | "foreign";
}

export interface TokenCase {
  readonly name: string;
  readonly is: "right" | "wrong" | "missing";
  readonly line?: string;
  readonly query?: string;
  /** The meaning of the token as a subprotocol, its only place in browsers' sockets; missing for a request. */
  readonly inProtocol?: "agent" | "app" | "wrong" | "ended";
  /** Whether it is the token of a page that signed in. */
  readonly isApp?: true;
}

/** The ways of naming the host of a hub on this port. */
export function hostCases(port: number): readonly HostCase[] {
  const plain = (host: string, isOurs: boolean): HostCase => ({
    name: `Host: ${host}`,
    isOurs,
    lines: (method, path) => [`${method} ${path} HTTP/1.1`, `Host: ${host}`],
  });
  const odd = (name: string, lines: HostCase["lines"]): HostCase => ({ name, isOurs: false, lines });
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`, `[::1]:${port}`];
  const forged = [
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `evil.localhost:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `[::ffff:7f00:1]:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `0.0.0.0:${port}`,
    `localhost.:${port}`,
    `127.0.0.1.:${port}`,
    `127.0.0.1:${port + 1}`,
    `127.0.0.1:0${port}`,
    "127.0.0.1",
    "localhost",
    `evil@localhost:${port}`,
    `localhost:${port}, evil.example`,
    "",
  ];
  const own = `Host: 127.0.0.1:${port}`;
  const evil = "Host: evil.example";
  return [
    ...ours.map((host) => plain(host, true)),
    ...forged.map((host) => plain(host, false)),
    odd("two Hosts, ours first", (method, path) => [`${method} ${path} HTTP/1.1`, own, evil]),
    odd("two Hosts, ours last", (method, path) => [`${method} ${path} HTTP/1.1`, evil, own]),
    odd("two Hosts, both ours", (method, path) => [`${method} ${path} HTTP/1.1`, own, own]),
    odd("an absolute address of ours", (method, path) => [`${method} http://127.0.0.1:${port}${path} HTTP/1.1`, own]),
    odd("an absolute address of theirs", (method, path) => [`${method} http://evil.example${path} HTTP/1.1`, own]),
    odd("no Host", (method, path) => [`${method} ${path} HTTP/1.1`]),
    odd("no Host, as HTTP/1.0", (method, path) => [`${method} ${path} HTTP/1.0`]),
  ];
}

/** The origins of pages, if `https://shop.example` is allowed and the hub has this port. */
export function originCases(port: number): readonly OriginCase[] {
  const foreign = [
    "null",
    "https://evil.example",
    "https://shop.example.evil.example",
    "https://shop.exampl",
    "https://evil-shop.example",
    "https://evil.shop.example",
    "https://shop.example:8443",
    "https://shop.example:443",
    "https://shop.example/",
    "https://shop.example.",
    "http://shop.example",
    "https://SHOP.example",
    "https://shop.example, https://evil.example",
    "https://192.0.2.1",
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.2:${port}`,
    `http://localhost.evil.example:${port}`,
    `http://[::ffff:7f00:1]:${port}`,
    "http://localhost",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
  ];
  return [
    { origin: undefined, kind: "none" },
    { origin: "https://shop.example", kind: "allowed" },
    { origin: `http://127.0.0.1:${port}`, kind: "own" },
    { origin: `http://localhost:${port}`, kind: "own" },
    ...foreign.map((origin): OriginCase => ({ origin, kind: "foreign" })),
  ];
}

/** The ways of sending a token, or something like one: as an agent, and as a page that signed in with it. */
export function tokenCases(token: string, app: string): readonly TokenCase[] {
  const ended = `pagewire-app.${"x".repeat(43)}`;
  const inProtocol = (name: string, is: NonNullable<TokenCase["inProtocol"]>, text: string): TokenCase => {
    return { name, is: "missing", inProtocol: is, line: `Sec-WebSocket-Protocol: pagewire.bearer.${text}` };
  };
  return [
    { name: "no token", is: "missing" },
    { name: "the token", is: "right", line: `Authorization: Bearer ${token}` },
    { name: "the token, with a scheme in lower case", is: "right", line: `Authorization: bearer ${token}` },
    { name: "an app's token", is: "right", line: `Authorization: Bearer ${app}`, isApp: true },
    { name: "another token", is: "wrong", line: "Authorization: Bearer another-token" },
    { name: "the token and more", is: "wrong", line: `Authorization: Bearer ${token}x` },
    { name: "the beginning of the token", is: "wrong", line: `Authorization: Bearer ${token.slice(0, -1)}` },
    { name: "an app's token that has ended", is: "wrong", line: `Authorization: Bearer ${ended}`, isApp: true },
    { name: "the token in the query", is: "missing", query: `?token=${token}&access_token=${token}` },
    { name: "an app's token in the query", is: "missing", query: `?token=${app}&access_token=${app}` },
    { name: "the token as a cookie", is: "missing", line: `Cookie: token=${token}; pagewire=${token}` },
    { name: "the token without a scheme", is: "missing", line: `Authorization: ${token}` },
    { name: "the token as Basic", is: "missing", line: `Authorization: Basic ${btoa(`agent:${token}`)}` },
    { name: "an empty token", is: "missing", line: "Authorization: Bearer " },
    inProtocol("the token as a subprotocol", "agent", token),
    inProtocol("an app's token as a subprotocol", "app", app),
    inProtocol("another token as a subprotocol", "wrong", "another-token"),
    inProtocol("an app's token that has ended, as a subprotocol", "ended", ended),
  ];
}

export interface Attempt {
  readonly route: Route;
  readonly host: HostCase;
  readonly origin: OriginCase;
  readonly token: TokenCase;
}

/** The public services, by purpose: the table of routes itself could be wrong. */
const openToAll: ReadonlySet<Route["serves"]> = new Set(["files", "health", "readiness"]);

/** The required result of an attempt. */
export function verdictOn({ route, host, origin, token }: Attempt): string {
  if (!host.isOurs) return "421";
  // An empty challenge asks for no proof.
  if (route.serves === "proof") return "400";
  if (openToAll.has(route.serves)) return "served";
  if (route.access === "public" && (route.serves === "resource" || route.serves === "team")) return "404";
  if (route.serves === "sign-in") return verdictOnSignIn(route, origin, token);
  // An empty body has no code; a challenge needs no body.
  if (route.access === "own" && origin.kind !== "own") return "403";
  if (route.access === "own") return route.path === "/api/challenge" ? "served" : "400";
  if (route.access === "terminal") return origin.kind === "none" ? "401" : "403";
  if (route.access === "shell") return verdictOnShell(route, origin);
  if (route.access === "owner" || route.access === "admin") return verdictOnOwner(origin, token);
  if (route.access === "page") return mayGreet(origin) ? "open" : "told 4010";
  if (route.access === "either") return verdictOnEither(route, origin, token);
  // The hub is in another mode.
  if (route.access === "app" && (origin.kind === "foreign" || origin.kind === "allowed")) return "404";
  if (origin.kind === "foreign" || origin.kind === "allowed") return "403";
  if (route.isUpgrade) return verdictOnSocket(route, token);
  return token.is === "right" ? servedBy(route, token) : "401";
}

/** A hub in another mode than team mode has nothing there, after its usual checks. */
function verdictOnSignIn({ access }: Route, { kind }: OriginCase, { is }: TokenCase): string {
  if (access === "own" && kind !== "own") return "403";
  if (access !== "agent") return "404";
  if (kind === "foreign" || kind === "allowed") return "403";
  return is === "right" ? "404" : "401";
}

/** A browser's extension sends its token in its first frame, too. */
function mayGreet({ kind, origin }: OriginCase): boolean {
  return kind === "own" || kind === "allowed" || origin?.startsWith("chrome-extension:") === true;
}

/** A view sends its token in its first frame; creating codes for views needs a key that no client here has. */
function verdictOnShell({ isUpgrade }: Route, { kind }: OriginCase): string {
  if (isUpgrade) return kind === "own" || kind === "allowed" ? "open" : "told 4010";
  return kind === "none" ? "401" : "403";
}

/** No client here has the owner's key or is an admin; an agent that is known gets the answer that it is not. */
function verdictOnOwner({ kind }: OriginCase, { is }: TokenCase): string {
  if (kind === "foreign" || kind === "allowed") return "403";
  return is === "right" ? "403" : "401";
}

/** Any socket may still send its token in the first frame, except an agent's window. */
function verdictOnSocket({ serves }: Route, { is, inProtocol }: TokenCase): string {
  if (inProtocol === "wrong") return "told 4012";
  if (inProtocol === "ended") return "told 4013";
  if (is === "wrong") return "401";
  if (serves !== "window") return "open";
  // The session in the path does not exist.
  return is === "right" || inProtocol !== undefined ? "told 4041" : "told 4011";
}

/** A page gets in by its origin; a client without one, or with the hub's own, needs a token. */
function verdictOnEither(route: Route, { kind }: OriginCase, token: TokenCase): string {
  const served = route.isUpgrade ? "open" : servedBy(route, token);
  if (kind === "allowed") return served;
  if (kind === "foreign") return route.isUpgrade ? "told 4010" : "403";
  if (token.is === "right") return served;
  if (route.isUpgrade && token.inProtocol === "app") return served;
  if (route.isUpgrade && token.inProtocol === "ended") return "told 4013";
  // The tab in a subprotocol identifies a page, which here needs an allowed origin.
  if (kind === "own" && token.is === "missing") return served;
  if (route.isUpgrade && token.inProtocol !== undefined) return "told 4010";
  return route.isUpgrade ? `told ${token.is === "missing" ? 4011 : token.isApp ? 4013 : 4012}` : "401";
}

/** The result of an admitted request with an empty body. */
function servedBy({ serves, path, method }: Route, { isApp }: TokenCase): string {
  // Codes are created by agents, and only a signed-in page can sign out.
  if ((path === "/api/codes" || path === "/api/terminals") && isApp) return "401";
  if (path === "/api/sign-out" && !isApp) return "401";
  // Browsers are paired by the hub's owner, whose key no client here has.
  if (path === "/api/browser-codes") return "403";
  // An empty body names no tools.
  if ((serves === "window-tools" || path === "/api/pins/*") && method === "POST") return "400";
  // An empty body has no session; and the tab, conversation or consent in the path does not exist.
  if (serves === "mcp") return path.endsWith("*") ? "404" : "400";
  // A list names no model; a test of one would count against the answers of all attempts at once.
  if (path === "/api/model/test") return "400";
  // No tab and no call has the empty id.
  if (path === "/api/tabs/*") return "404";
  if (path === "/api/calls/*") return "404";
  // Agents look at what waits for their user, and do not answer it.
  if (serves === "waits" && method === "POST") return "403";
  // The hub is in another mode.
  if (serves === "team") return "404";
  if (serves === "terminals") return path.endsWith("*") ? "404" : "served";
  return method === "DELETE" ? "404" : "served";
}

export function pathAt({ path }: Pick<Route, "path">): string {
  return path
    .replace("/pagewire/*", "/pagewire/dialog.js")
    .replace("/call/*", "/call/work")
    .replace("/tabs/*", "/tabs/none")
    .replace("*", "");
}

/** Makes the attempt; returns the result in the terms of `verdictOn`. */
export async function attempt(port: number, { route, host, origin, token }: Attempt): Promise<string> {
  const body = route.method === "POST" ? ["Content-Type: application/json", "Content-Length: 2"] : [];
  const text = route.path === "/api/model/test" ? "[]" : "{}";
  const lines = [
    ...host.lines(route.method, `${pathAt(route)}${token.query ?? ""}`),
    ...(origin.origin === undefined ? [] : [`Origin: ${origin.origin}`]),
    ...(token.line === undefined ? [] : [token.line]),
    ...(route.isUpgrade ? upgradeLines : body),
  ];
  return outcomeOf(await askRaw(port, `${lines.join("\r\n")}\r\n\r\n${route.method === "POST" ? text : ""}`));
}

function outcomeOf({ status, closeCode }: RawAnswer): string {
  if (status === 101) return closeCode === undefined ? "open" : `told ${closeCode}`;
  return status === 200 || status === 204 || status === 302 ? "served" : String(status);
}
