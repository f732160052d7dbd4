// Variables that describe this terminal, from three sources: the session of its tmux pane, its own environment, and
// the file of an ordinary terminal that was attached. They may be out of date.
import { createTerminalFiles, stateDirectory, findProcess } from "../../state/index.ts";
import type { TerminalRecord, TerminalFiles, FindProcess } from "../../state/index.ts";
import { readServer, readSession, findTmuxSession } from "./tmux.ts";
import type { SessionVariables } from "./tmux.ts";
import type { Io } from "../common/io.ts";

export interface TerminalVariables {
  /** The `browser_id` for programs. */
  readonly browserId: string | undefined;
  /** The terminal's token, with the id and the hub's address that came with it. */
  readonly token: string | undefined;
  readonly terminal: string | undefined;
  readonly url: string | undefined;
}

const browserIdNames = ["PAGEWIRE_BROWSER_ID", "KLANGKWS_BROWSER_ID", "KLANGK_BROWSER_ID", "PAGEWIRE_TERMINAL"];
const tokenNames = ["PAGEWIRE_TERMINAL_TOKEN", "KLANGK_WORKSPACE_TOKEN"];
const urlNames = ["PAGEWIRE_URL", "KLANGKWS_BRIDGE_URL", "KLANGK_BRIDGE_URL"];
const allNames = [...browserIdNames, ...tokenNames, ...urlNames];

const safeIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Whether a text is one word that can be an id in commands, variables and file names. */
export function isSafeId(text: unknown): text is string {
  return typeof text === "string" && safeIdPattern.test(text);
}

type Place = Readonly<Record<string, string | null | undefined>>;

export async function readTerminalVariables(io: TerminalIo): Promise<TerminalVariables> {
  const session = await sessionVariables(io);
  const own = await ownVariables(io, session);
  const named = first([session, own], browserIdNames, isSafeId);
  const hasToken = first([session, own], tokenNames, isToken) !== undefined;
  // The file is an ordinary terminal's: one of a tab's own has no need of it.
  const file = named !== undefined && hasToken ? undefined : readTerminalFile(io);
  const places = [session, own, fromFile(file)];
  const holder = places.find((place) => first([place], tokenNames, isToken) !== undefined) ?? {};
  const terminal = first([holder], ["PAGEWIRE_TERMINAL"], isSafeId);
  return {
    // Its own id names a terminal in every tab; a tab's id becomes wrong as soon as another tab shows it.
    browserId: terminal ?? named ?? first([{ id: file?.browserId }], ["id"], isSafeId),
    token: first([holder], tokenNames, isToken),
    terminal,
    // A token is sent only to the hub that issued it.
    url: first([holder], urlNames, isUrl) ?? first(places, urlNames, isUrl),
  };
}

/** The first usable value: names in their order, and for each name the places in theirs. */
function first(
  places: readonly Place[],
  names: readonly string[],
  isGood: (value: unknown) => boolean,
): string | undefined {
  for (const name of names) {
    for (const { [name]: value } of places) if (typeof value === "string" && isGood(value)) return value;
  }
  return undefined;
}

async function sessionVariables({ environment }: TerminalIo): Promise<SessionVariables> {
  const tmux = findTmuxSession(environment);
  return tmux === undefined ? {} : readSession(tmux);
}

/**
 * The process's own environment. In tmux it may be old, or another terminal's: variables that the session removed are
 * gone, and those of the server's environment describe the terminal that the server was started in.
 */
async function ownVariables({ environment }: TerminalIo, session: SessionVariables): Promise<Place> {
  const names = allNames.filter((name) => environment[name] && session[name] === undefined);
  const tmux = findTmuxSession(environment);
  const server = tmux === undefined || names.length === 0 ? {} : await readServer(tmux);
  const own = names.filter((name) => server[name] !== environment[name]);
  return Object.fromEntries(own.map((name) => [name, environment[name]]));
}

function fromFile(file: TerminalRecord | undefined): Place {
  const { token, terminal, url } = file ?? {};
  return { PAGEWIRE_TERMINAL_TOKEN: token, PAGEWIRE_TERMINAL: terminal, PAGEWIRE_URL: url };
}

/** Whether a text is one word that can be a token. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{16,4096}$/.test(value);
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^(http|ws)s?:$/.test(new URL(value).protocol);
}

/** The name of all programs that run in no terminal. */
const NO_TERMINAL = "none";

/**
 * A name for the terminal that a process runs in, the same for all of its programs: the first process that has it, and
 * when that one was started, since names of devices and ids of processes are used again. Programs that an agent has cut
 * off from their terminal belong to the one that the agent runs in.
 */
export function nameTerminal(id: number, find: FindProcess): string {
  const seen = new Set<number>();
  let each = find(id);
  let first: typeof each;
  while (each !== undefined && !seen.has(each.id)) {
    if (each.terminal !== undefined && (first === undefined || each.terminal === first.terminal)) first = each;
    seen.add(each.id);
    each = find(each.parent);
  }
  return first === undefined ? NO_TERMINAL : `tty-${first.id}-${first.started}`;
}

/** The record of the ordinary terminal that this program runs in. */
function readTerminalFile(io: TerminalIo): TerminalRecord | undefined {
  const files = terminalFiles(io);
  return files.names().length === 0 ? undefined : files.read(ownName(io));
}

/** Stores the record, and removes those of closed terminals. */
export function writeTerminalFile(io: TerminalIo, record: TerminalRecord): void {
  const files = terminalFiles(io);
  const find = findProcess(io.platform);
  for (const name of files.names()) {
    const [, id] = /^tty-(\d+)-/.exec(name) ?? [];
    if (id !== undefined && nameTerminal(Number(id), find) !== name) files.remove(name);
  }
  files.write(ownName(io), record);
}

function terminalFiles({ environment, platform, homeDirectory }: TerminalIo): TerminalFiles {
  return createTerminalFiles(stateDirectory(environment, platform, homeDirectory));
}

function ownName({ platform }: TerminalIo): string {
  return nameTerminal(process.pid, findProcess(platform));
}

/** The inputs for identifying the terminal that a program runs in. */
type TerminalIo = Pick<Io, "environment" | "platform" | "homeDirectory">;
