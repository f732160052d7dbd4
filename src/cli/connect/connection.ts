// Works out how a client reaches a hub: with which command, at which address, with which variables.
import { defaultPort, hubToken, namedHub, mcpAddress } from "../reach-hub/find-hub.ts";
import type { FoundHub, HubChoice } from "../reach-hub/find-hub.ts";
import { localName } from "../contexts/context.ts";
import type { Io } from "../common/io.ts";
import { stateDirectory } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { tokenVariable } from "./clients/client.ts";
import type { ClientDefinition, ClientLimits, Connection, Scope } from "./clients/client.ts";
import { launchFor, ownInstallation } from "./launch.ts";
import type { Launch } from "./launch.ts";
import { commandLine } from "../console/shell-words.ts";
import type { HubOptions } from "../../hub/index.ts";
import { clientTable } from "./clients/client-table.ts";

type ClientSetup = ReturnType<NonNullable<HubOptions["clients"]>>[number];

/** The choices made on the command line. */
export interface ConnectChoices {
  readonly scope: Scope;
  /** The client's file for that scope. */
  readonly path: string;
  readonly project: string;
  readonly name: string;
  readonly tab: string | undefined;
  readonly hub: HubChoice;
  readonly isAbsolute: boolean;
  /** The arguments that make `pagewire` write this configuration. */
  readonly writeArguments: readonly string[];
  /** The state directory of the user. */
  readonly state: State;
}

export interface ConnectionWithNotes {
  readonly connection: Connection;
  readonly notes: readonly string[];
  /** Needed for HTTP only. */
  readonly httpNotes: readonly string[];
  /** Whether the hub is a context's, which takes no token of its own. */
  readonly isSignedIn: boolean;
}

/** Puts a connection together for one client. */
export function connectionFor(client: ClientDefinition, choices: ConnectChoices, io: Io): ConnectionWithNotes {
  const { environment, platform } = io;
  const { scope, path, project, name, tab, writeArguments, state } = choices;
  const isAbsolute = choices.isAbsolute || client.needsPath === true;
  const named = namedHub(choices.hub, io, state);
  // If none runs, the next one will listen here: nothing is sent there, and no token is shown for it.
  const base = named?.url ?? state.runningHub()?.url ?? `http://127.0.0.1:${defaultPort}`;
  const url = mcpAddress(base, tab).href;
  const needsCmd = client.needsCmd && platform === "win32";
  const installation = ownInstallation();
  const launching = { project, environment, installation, needsCmd, isAbsolute };
  const launch = launchFor({ ...launching, scope });
  const env = homeVariable(io);
  const aims = [...(tab === undefined ? [] : ["--tab", tab]), ...aimOf(named)];
  const { needsVariable, ...secret } = named?.context ? signsIn : tokenFor(base, io, state);
  const forwards = needsVariable ? [tokenVariable] : [];
  const server = ({ command, args }: Launch) => ({ command, args: [...args, "mcp", ...aims], env, forwards });
  const writer = launch.isLocal ? [launch.command, ...launch.args] : ["npx", "pagewire"];
  const connection: Connection = {
    name,
    scope,
    path,
    stdio: server(launch),
    stdioAnywhere: server(launchFor({ ...launching, scope: "user" })),
    url,
    ...secret,
    writeCommand: commandLine([...writer, ...writeArguments], env, platform),
    platform,
  };
  const isShared = scope === "project";
  const notes = [
    ...(launch.isLocal ? [isShared ? sentences.paths : sentences.copy(installation.root)] : []),
    ...(isShared && !launch.isLocal && Object.keys(env).length > 0 ? [sentences.home] : []),
    ...(isShared && launch.command === "cmd" ? [sentences.windows] : []),
    ...(forwards.length > 0 ? [sentences.token(client.title)] : []),
    ...(tab === undefined ? [] : [sentences.tab(tab)]),
    ...(client.limits ? [sentences.limits(client.title, name, client.limits)] : []),
  ];
  const isThere = named !== undefined || state.runningHub() !== undefined;
  const httpNotes = named?.context ? [sentences.signsIn(url)] : isThere ? [] : [sentences.noHub];
  return { connection, notes, httpNotes, isSignedIn: named?.context !== undefined };
}

const sentences = {
  paths:
    "This names paths of this machine. Keep such a file to yourself, or install Pagewire in the project (npm install --save-dev pagewire) and run this again.",
  copy: (root: string) =>
    `This starts the copy of Pagewire in ${root}. When that one moves or goes away, run this again.`,
  home: "This names your state directory, because PAGEWIRE_HOME or XDG_STATE_HOME is set here. Keep such a file to yourself.",
  windows:
    "This starts npx through cmd, as Windows needs it. Where others of your team do not use Windows, keep it to yourself.",
  token: (title: string) =>
    `The hub's token is not written down: ${title} has to be started with ${tokenVariable} in its environment.`,
  tab: (tab: string) => `This is for tab ${tab} alone, as long as that tab is open.`,
  limits: (title: string, name: string, { name: tooLong, tools }: ClientLimits) =>
    `${title} may use no more than ${tools} tools of all servers together${tooLong === undefined ? "" : `, and leaves out a tool whose name and "${name}" have ${tooLong} characters or more`}. call_tab_tool reaches every tool all the same.`,
  signsIn: (url: string) =>
    `A client that signs in by itself needs the address alone, and no token: ${url}. It opens your browser for that.`,
  noHub: "No hub runs at the moment. Start one first: npx pagewire. Then run this again, which shows its token.",
} as const;

/** Clients start programs with an environment of their own, so a different state directory must be named. */
function homeVariable({ environment, platform, homeDirectory }: Io): Readonly<Record<string, string>> {
  const here = stateDirectory(environment, platform, homeDirectory);
  const { PAGEWIRE_HOME: _home, XDG_STATE_HOME: _state, ...bare } = environment;
  return here === stateDirectory(bare, platform, homeDirectory) ? {} : { PAGEWIRE_HOME: here };
}

interface TokenFor extends Pick<Connection, "token" | "isTokenKnown"> {
  /** Whether the client needs another hub's token in a variable. */
  readonly needsVariable: boolean;
}

/** The words that aim `pagewire mcp` at a hub other than that of this state directory. */
function aimOf(named: FoundHub | undefined): readonly string[] {
  if (named?.context) return ["--context", named.context.name];
  return named === undefined || named.isLocal ? [] : ["--hub", named.url];
}

/** The token that a client needs: only that of a hub that runs with this state directory is written out. */
function tokenFor(hub: string, io: Io, state: State): TokenFor {
  const given = io.environment[tokenVariable];
  if (given) return { needsVariable: true, isTokenKnown: true, token: () => given };
  try {
    const token = hubToken(hub, io, state);
    return { needsVariable: false, isTokenKnown: true, token: () => token };
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    // A broken token file is the hub's problem: the configuration without a token is still correct.
    const token = () => {
      if (error.code === "hub-unreachable") return placeholder;
      throw error;
    };
    return { needsVariable: error.code === "token-required", isTokenKnown: false, token };
  }
}

const placeholder = "<the hub's token>";
/** Tokens of a context are renewed: none is written down. */
const signsIn: TokenFor = { needsVariable: false, isTokenKnown: false, token: () => placeholder };

/**
 * How to connect each client to the hub of this state directory, from any folder of this machine: the first line of
 * `connect <client> --user`, and as `other` the program alone. No line holds the token.
 */
export function clientSetups(io: Io, state: State): readonly ClientSetup[] {
  const { PAGEWIRE_URL: _url, PAGEWIRE_CONTEXT: _context, PAGEWIRE_TOKEN: _token, ...environment } = io.environment;
  const own = { ...io, environment };
  const name = "pagewire";
  const connectionOf = (client: ClientDefinition) => {
    const place = { ...own, project: "." };
    const path = client.configPath("user", place) ?? "";
    const writeArguments = ["connect", client.id, "--write", "--user"];
    const choices = { scope: "user", path, project: ".", name, writeArguments, state } as const;
    return connectionFor(client, { ...choices, tab: undefined, hub: { context: localName }, isAbsolute: false }, own)
      .connection;
  };
  const setups = clientTable.map((client): ClientSetup => {
    const { id, title, names, restart } = client;
    return { id, title, line: firstLine(client, connectionOf(client)), next: [restart, ...client.check(name)], names };
  });
  const [first] = clientTable;
  if (!first) return setups;
  const { command, args, env } = connectionOf(first).stdio;
  const line = commandLine([command, ...args], env, io.platform);
  const next = ["A client that takes an address and a token connects to /mcp of the hub."];
  return [...setups, { id: "other", title: "Another client", line, next, names: [] }];
}

/** The shortest way: what `connect` shows first. */
export function firstLine(client: ClientDefinition, connection: Connection): string {
  return client.stdioSteps(connection).find(({ code }) => code !== undefined)?.code ?? connection.writeCommand;
}
