// Which hub the commands speak to, and with which token.
import { openState, stateDirectory } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import type { Printer } from "../common/printer.ts";
import type { Io } from "../common/io.ts";
import { usageError } from "../common/command.ts";

/** The default port of a hub. */
export const defaultPort = 7337;

export function openOwnState({ environment, platform, homeDirectory }: Io): State {
  return openState(stateDirectory(environment, platform, homeDirectory));
}

/**
 * The address of the hub that the user named, by --hub or in PAGEWIRE_URL. If that is this state directory's own hub,
 * the result is the address that the hub announced: another program may listen at the other addresses of localhost.
 */
export function namedHub(
  given: string | undefined,
  { environment }: Pick<Io, "environment">,
  state: State,
): string | undefined {
  const { PAGEWIRE_URL } = environment;
  const named = given ?? (PAGEWIRE_URL || undefined);
  return named !== undefined && isOwnHub(named, state) ? state.runningHub()?.url : named;
}

/** The hub's address: the one that was named, else that of the hub of this state directory. There is no other guess. */
export function hubUrl(given: string | undefined, io: Pick<Io, "environment">, state: State): string {
  const url = namedHub(given, io, state) ?? state.runningHub()?.url;
  if (url === undefined) throw noHub(state);
  return url;
}

/** The token for a hub: the one that was given, else that of this state directory, for its own hub only. */
export function hubToken(url: string, { environment }: Pick<Io, "environment">, state: State): string {
  const { PAGEWIRE_TOKEN } = environment;
  if (PAGEWIRE_TOKEN) return PAGEWIRE_TOKEN;
  requireOwnHub(url, state, { name: "token", variable: "PAGEWIRE_TOKEN" });
  return state.agentToken();
}

/** The key for terminals: the one that was given, else that of this state directory, for its own hub only. */
export function hubShellKey(url: string, { environment }: Pick<Io, "environment">, state: State): string {
  const { PAGEWIRE_SHELL_KEY } = environment;
  if (PAGEWIRE_SHELL_KEY) return PAGEWIRE_SHELL_KEY;
  requireOwnHub(url, state, { name: "shell key", variable: "PAGEWIRE_SHELL_KEY" });
  return state.shellKey();
}

interface Secret {
  readonly name: string;
  /** The environment variable that a user puts another hub's secret into. */
  readonly variable: string;
}

/** A long-lived secret must not be sent to a program that merely listens at a hub's address. */
function requireOwnHub(url: string, state: State, { name, variable }: Secret): void {
  if (isOwnHub(hubAddress(url), state)) return;
  if (isLoopback(url)) throw noHub(state, { url, variable });
  throw new PagewireError(
    "token-required",
    `The ${name} of this machine is not sent to ${url}. Put that hub's own into ${variable}.`,
  );
}

/** Whether the running hub of this state directory has this address, or localhost with its port. */
export function isOwnHub(url: string, state: Pick<State, "runningHub">): boolean {
  const running = state.runningHub();
  const address = url.replace(/^ws/, "http");
  if (running === undefined || !parseUrl(address)) return false;
  const [asked, own] = [new URL(address), new URL(running.url)];
  const isSameHost = asked.hostname === own.hostname || (isLocalName(asked.hostname) && isLoopback(running.url));
  return asked.protocol === own.protocol && asked.port === own.port && isSameHost;
}

interface Asked {
  readonly url: string;
  /** The environment variable for another hub's secret. */
  readonly variable: string;
}

/** No hub of this state directory runs, or none at the requested address. */
export function noHub(state: Pick<State, "directory" | "runningHub">, asked?: Asked): PagewireError {
  const where = asked === undefined ? "" : ` at ${asked.url}`;
  const start = (asked && runsElsewhere(asked.url, state)) || " Start it with: npx pagewire.";
  const other =
    asked === undefined ? "--hub and PAGEWIRE_TOKEN" : `its PAGEWIRE_HOME, or its secret in ${asked.variable}`;
  return new PagewireError(
    "hub-unreachable",
    `No hub of the state directory ${state.directory} runs${where}.${start} What may listen on its port is not known to be that hub and was sent nothing. For a hub of another state directory, give ${other}.`,
  );
}

/** Reports that no running hub applies a change: the user may mean another state directory. */
export function noteNoHub(state: Pick<State, "directory" | "runningHub">, printer: Printer): void {
  if (printer.json || state.runningHub() !== undefined) return;
  printer.note(
    `No hub of the state directory ${state.directory} runs now. If yours runs with another, or as another user, do this there: set PAGEWIRE_HOME.`,
  );
}

/**
 * A sentence with the address of the state directory's hub, if that is another than the requested one; begins with a
 * space.
 */
export function runsElsewhere(url: string, state: Pick<State, "runningHub">): string {
  const running = state.runningHub();
  if (running === undefined || isOwnHub(url, state)) return "";
  return ` The hub of your state directory runs at ${running.url}: leave out --hub and PAGEWIRE_URL to use that one.`;
}

/** Whether an address is on this machine; invalid ones are refused elsewhere. */
export function isLoopback(url: string): boolean {
  if (!parseUrl(url)) return true;
  const { hostname } = new URL(url);
  return isLocalName(hostname) || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** The address for requests to a hub, without a trailing slash; also accepts the address of its sockets. */
export function hubAddress(url: string): string {
  const text = url.replace(/^ws/, "http");
  const parsed = parseUrl(text);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.origin + parsed.pathname.replace(/\/+$/, "");
  throw new PagewireError("options-invalid", `"${url}" is not the address of a hub.`);
}

export function mcpAddress(hub: string, tab: string | undefined): URL {
  const url = parseUrl(hub);
  if (url === undefined || !/^(http|ws)s?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw usageError(
      `${JSON.stringify(hub)} is not the address of a hub. Write it like this: "http://127.0.0.1:7337".`,
    );
  }
  const path = tab === undefined ? "mcp" : `mcp/tabs/${encodeURIComponent(tab)}`;
  return new URL(`${url.protocol.replace("ws", "http")}//${url.host}${url.pathname.replace(/\/?$/, "/")}${path}`);
}
