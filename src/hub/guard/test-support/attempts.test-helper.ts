// Everything that a stranger may try at the hub's border, and what must come of it: written down here once more,
// without a look at how the guard does it.
import { askRaw, upgradeLines } from "../../test-support/raw.test-helper.ts";
import type { RawAnswer } from "../../test-support/raw.test-helper.ts";
import type { Route } from "../../http/routes.ts";

export interface HostCase {
  readonly name: string;
  readonly isOurs: boolean;
  /** The lines of the request that say whom it is for; the first is the request line with what is asked for. */
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
  /** What it is as a subprotocol of a socket, where browsers have no other place for it; for a request it is missing. */
  readonly inProtocol?: "agent" | "app" | "wrong" | "ended";
  /** Whether it is that of a page which signed in. */
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

/** The origins that pages may have, where `https://shop.example` is allowed and the hub has this port. */
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

/** The ways of bringing a token, or something like one: the agents', and that of a page which signed in with it. */
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

/** What the hub serves to everybody; by what it is, since the table of routes could say it of anything. */
const openToAll: ReadonlySet<Route["serves"]> = new Set(["files", "health", "readiness"]);

/** What an attempt must come to. */
export function verdictOn({ route, host, origin, token }: Attempt): string {
  if (!host.isOurs) return "421";
  // An empty question asks for no proof.
  if (route.serves === "proof") return "400";
  if (openToAll.has(route.serves)) return "served";
  // An empty message holds no code; for a challenge nothing is needed.
  if (route.access === "own" && origin.kind !== "own") return "403";
  if (route.access === "own") return route.path === "/api/challenge" ? "served" : "400";
  if (route.access === "terminal") return origin.kind === "none" ? "401" : "403";
  if (route.access === "shell") return verdictOnShell(route, origin);
  if (route.access === "page") return origin.kind === "own" || origin.kind === "allowed" ? "open" : "told 4010";
  if (route.access === "either") return verdictOnEither(route, origin, token);
  if (origin.kind === "foreign" || origin.kind === "allowed") return "403";
  if (route.isUpgrade) return verdictOnSocket(route, token);
  return token.is === "right" ? servedBy(route, token) : "401";
}

/** A view brings its token in its first frame, and what makes codes for views brings a key that nobody has here. */
function verdictOnShell({ isUpgrade }: Route, { kind }: OriginCase): string {
  if (isUpgrade) return kind === "own" || kind === "allowed" ? "open" : "told 4010";
  return kind === "none" ? "401" : "403";
}

/** A socket may still bring its token in its first frame, but for an agent's window. */
function verdictOnSocket({ serves }: Route, { is, inProtocol }: TokenCase): string {
  if (inProtocol === "wrong") return "told 4012";
  if (inProtocol === "ended") return "told 4013";
  if (is === "wrong") return "401";
  if (serves !== "window") return "open";
  // The session that the path names does not exist.
  return is === "right" || inProtocol !== undefined ? "told 4041" : "told 4011";
}

/** A page comes by its origin, and whoever has none, or the hub's own, by a token. */
function verdictOnEither(route: Route, { kind }: OriginCase, token: TokenCase): string {
  const served = route.isUpgrade ? "open" : servedBy(route, token);
  if (kind === "allowed") return served;
  if (kind === "foreign") return route.isUpgrade ? "told 4010" : "403";
  if (token.is === "right") return served;
  if (route.isUpgrade && token.inProtocol === "app") return served;
  if (route.isUpgrade && token.inProtocol === "ended") return "told 4013";
  // What is in a subprotocol says which page it is, and a page says that by its origin here.
  if (kind === "own" && token.is === "missing") return served;
  if (route.isUpgrade && token.inProtocol !== undefined) return "told 4010";
  return route.isUpgrade ? `told ${token.is === "missing" ? 4011 : token.isApp ? 4013 : 4012}` : "401";
}

/** What a request that says nothing is answered by those who it is for. */
function servedBy({ serves, path, method }: Route, { isApp }: TokenCase): string {
  // Codes are made by agents, and signing out is for whoever signed in.
  if ((path === "/api/codes" || path === "/api/terminals") && isApp) return "401";
  if (path === "/api/sign-out" && !isApp) return "401";
  // An empty message names no tools.
  if ((serves === "window-tools" || path === "/api/pins/*") && method === "POST") return "400";
  // An empty message has no session; and the tab, the conversation or the consent that the path names does not exist.
  if (serves === "mcp") return path.endsWith("*") ? "404" : "400";
  if (serves === "terminals") return path.endsWith("*") ? "404" : "served";
  return method === "DELETE" ? "404" : "served";
}

/** A path that a route answers to. */
export function pathAt({ path }: Pick<Route, "path">): string {
  return path
    .replace("/pagewire/*", "/pagewire/dialog.js")
    .replace("/call/*", "/call/work")
    .replace("/tabs/*", "/tabs/none")
    .replace("*", "");
}

/** Tries it, and says what came of it in the words of `verdictOn`. */
export async function attempt(port: number, { route, host, origin, token }: Attempt): Promise<string> {
  const body = route.method === "POST" ? ["Content-Type: application/json", "Content-Length: 2"] : [];
  const lines = [
    ...host.lines(route.method, `${pathAt(route)}${token.query ?? ""}`),
    ...(origin.origin === undefined ? [] : [`Origin: ${origin.origin}`]),
    ...(token.line === undefined ? [] : [token.line]),
    ...(route.isUpgrade ? upgradeLines : body),
  ];
  return outcomeOf(await askRaw(port, `${lines.join("\r\n")}\r\n\r\n${route.method === "POST" ? "{}" : ""}`));
}

function outcomeOf({ status, closeCode }: RawAnswer): string {
  if (status === 101) return closeCode === undefined ? "open" : `told ${closeCode}`;
  return status === 200 || status === 204 || status === 302 ? "served" : String(status);
}
