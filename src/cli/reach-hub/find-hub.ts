// Which hub the commands speak to, and with which token.
import { createContextFiles, openState, stateDirectory } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import type { Printer } from "../common/printer.ts";
import type { Io } from "../common/io.ts";
import { usageError } from "../common/command.ts";
import { contextNamed, readContext } from "../contexts/context.ts";
import type { HubContext } from "../contexts/context.ts";

/** The default port of a hub. */
export const defaultPort = 7337;

export function openOwnState({ environment, platform, homeDirectory }: Io): State {
  return openState(stateDirectory(environment, platform, homeDirectory));
}

/** How a command line names a hub. */
export interface HubChoice {
  readonly hub?: string | undefined;
  readonly context?: string | undefined;
}

/** A hub, and the context whose tokens are for it. */
export interface FoundHub {
  readonly url: string;
  /** It was named as the context `local`. */
  readonly isLocal?: true;
  readonly context?: HubContext | undefined;
}

type Named = Pick<Io, "environment">;

/**
 * The hub that the user named: by --hub, --context, PAGEWIRE_URL or PAGEWIRE_CONTEXT, or as the context in use. If that is this state
 * directory's own hub, the result is the address that the hub announced: another program may listen at the other addresses
 * of localhost.
 */
export function namedHub(choice: HubChoice, io: Named, state: State): FoundHub | undefined {
  const { PAGEWIRE_TOKEN } = io.environment;
  // The token is for the hub of PAGEWIRE_URL, or of this state directory.
  const inUse = PAGEWIRE_TOKEN ? undefined : createContextFiles(state.directory).inUse();
  return explicitHub(choice, io, state) ?? withContext(inUse, state);
}

/** The same without the context in use: what a program keeps to, whichever its user turns to meanwhile. */
export function explicitHub({ hub, context }: HubChoice, { environment }: Named, state: State): FoundHub | undefined {
  if (hub !== undefined && context !== undefined) throw usageError("Give --hub or --context, not both.");
  const { PAGEWIRE_URL, PAGEWIRE_CONTEXT, PAGEWIRE_TOKEN } = environment;
  const url = hub ?? (context === undefined ? PAGEWIRE_URL || undefined : undefined);
  if (url === undefined) return withContext(context ?? (PAGEWIRE_CONTEXT || undefined), state);
  if (isOwnHub(url, state)) return { url: state.runningHub()?.url ?? url };
  return { url, context: PAGEWIRE_TOKEN ? undefined : contextAt(url, state) };
}

/** "local" names the hub of this state directory, if one runs. */
function withContext(name: string | undefined, state: State): FoundHub | undefined {
  if (name === undefined) return undefined;
  const context = contextNamed(createContextFiles(state.directory), name);
  if (context !== undefined) return { url: context.hub, context };
  const running = state.runningHub();
  return running && { url: running.url, isLocal: true };
}

/** The one context of this address. */
function contextAt(url: string, { directory }: State): HubContext | undefined {
  const files = createContextFiles(directory);
  const names = parseUrl(url)?.protocol === "https:" ? files.list() : [];
  const found = names.map((name) => readContext(files, name)).filter((each) => each?.hub === hubAddress(url));
  return found.length === 1 ? found[0] : undefined;
}

/** The hub that was named, else that of this state directory. There is no other guess. */
export function findHub(choice: HubChoice, io: Named, state: State): FoundHub {
  const own = state.runningHub();
  const found = namedHub(choice, io, state) ?? (own && { url: own.url });
  if (found === undefined) throw noHub(state);
  return found;
}

/** The address of the hub for terminals of this machine, whichever context is in use. */
export function hubUrl(given: string | undefined, io: Named, state: State): string {
  const url = explicitHub({ hub: given }, io, state)?.url ?? state.runningHub()?.url;
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
