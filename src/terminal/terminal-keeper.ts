// Manages all terminals with a shell: lists and opens them, and finds the ones that ended unnoticed.
import type { Clock } from "../link/index.ts";
import type { ShellHost, TerminalInfo } from "../hub/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { TokenBudgets } from "../wire/index.ts";
import { openTerminal } from "./open-terminal.ts";
import type { OpenTerminal } from "./open-terminal.ts";
import { isAlive } from "./pty/is-alive.ts";
import { terminalVariables } from "./shell/shell-environment.ts";
import type { ShellRecord, ShellRecords } from "./shell/shell-records.ts";
import type { Shells, Size } from "./shells.ts";
import { terminalName } from "./terminal-names.ts";

export interface TerminalKeeper {
  /** The terminals of a principal. */
  list(principal: string): Promise<readonly TerminalInfo[]>;
  /** Opens a terminal, or without an id a new one; rejects with an error code. */
  open(principal: string, wanted: Wanted): Promise<Opened>;
  rename(principal: string, id: string, name: string): Promise<void>;
  end(principal: string, id: string): Promise<void>;
  /** Ends the shells of terminals that were ended by command, or by revoking their key. */
  review(): Promise<void>;
  /** Calls back with a principal's changed list of terminals; several changes at once are merged. */
  onChange(listener: ChangeListener): () => void;
  close(): Promise<void>;
}

export type ChangeListener = (principal: string, terminals: readonly TerminalInfo[]) => void;

export interface Wanted extends Size {
  readonly terminal?: string | undefined;
  readonly name?: string | undefined;
  /** The id of the view's token in jwt mode, if it has one. */
  readonly tokenId?: string | undefined;
  readonly allowed?: TokenBudgets | undefined;
}

export interface Opened {
  readonly terminal: OpenTerminal;
  readonly isNew: boolean;
}

export interface TerminalKeeperOptions {
  readonly host: ShellHost;
  readonly shells: Shells;
  readonly records: ShellRecords;
  readonly klangk: boolean;
  readonly clock: Clock;
}

export function createTerminalKeeper(options: TerminalKeeperOptions): TerminalKeeper {
  const { host, shells, records, klangk, clock } = options;
  const { terminals, note } = host;
  const open = new Map<string, OpenTerminal>();
  /** Terminals being reopened: concurrent requests share the same promise. */
  const opening = new Map<string, Promise<OpenTerminal>>();
  const listeners = new Set<ChangeListener>();
  /** Principals whose views are waiting for a notification. */
  const toTell = new Set<string>();
  let telling: Promise<void> = Promise.resolve();
  let isClosed = false;

  const wordsOf = (id: string, token?: string) =>
    terminalVariables({ url: host.url, id, klangk, ...(token === undefined ? {} : { token }) });

  /** A principal's terminals, except those that another running hub has open. */
  function own(principal: string): ReadonlyMap<string, ShellRecord> {
    const isOwn = ([id, record]: [string, ShellRecord]) =>
      open.has(id) || record.hub === process.pid || !isAlive(record.hub);
    return new Map([...records.all()].filter((each) => each[1].principal === principal && isOwn(each)));
  }

  /** Lists once for all views, and in sequence, so that the last notification is the newest. */
  function changed(principal: string): void {
    if (toTell.has(principal)) return;
    toTell.add(principal);
    telling = telling.then(() => tell(principal)).catch(noted("terminals-not-listed"));
  }

  async function tell(principal: string): Promise<void> {
    toTell.delete(principal);
    const found = await list(principal);
    for (const listener of listeners) listener(principal, found);
  }

  function noted(what: string, terminal?: string): (error: unknown) => void {
    return (error) => note("error", what, { terminal, message: messageOf(error) });
  }

  function show(info: TerminalInfo, principal: string, size: Size): OpenTerminal {
    const { id } = info;
    if (isClosed) throw new PagewireError("going-away", "The hub is stopping. Open the terminal again in a moment.");
    const forget = () => void open.delete(id);
    const onEnded = () => {
      const code = records.exitCode(id);
      forget();
      void over(principal, id);
      return shells.inTmux ? (code === undefined ? {} : { code }) : undefined;
    };
    records.put(id, { principal, inTmux: shells.inTmux, hub: process.pid });
    const terminal = openTerminal({ host, shells, clock, principal, info, size, onEnded, onLost: forget });
    open.set(id, terminal);
    return terminal;
  }

  /** Revokes the token of a shell that ended. */
  async function over(principal: string, id: string): Promise<void> {
    try {
      await terminals.end(principal, id);
      records.remove(id);
    } catch (error) {
      noted("terminal-not-ended", id)(error);
    }
    changed(principal);
  }

  /** Ends a shell, and with it the terminal. */
  async function endShell(principal: string, id: string): Promise<void> {
    const terminal = open.get(id);
    if (terminal) return terminal.end();
    await shells.end(id, undefined);
    await over(principal, id);
  }

  /** Ends the shell of a terminal that was ended by command, or by revoking its key. */
  async function endIfOver(principal: string, id: string): Promise<void> {
    if (!(await terminals.find(principal, id))) await endShell(principal, id);
  }

  async function openNew(principal: string, { name, columns, rows, tokenId, allowed }: Wanted): Promise<Opened> {
    const size = { columns, rows };
    const named = terminalName(name, await list(principal));
    const info = await terminals.create(principal, { name: named, tokenId, allowed });
    const { id, token } = info;
    try {
      await shells.open({ id, ...size, variables: wordsOf(id, token) });
      const terminal = show(info, principal, size);
      changed(principal);
      return { terminal, isNew: true };
    } catch (error) {
      await shells.end(id, undefined);
      await over(principal, id);
      throw error;
    }
  }

  async function openAgain(principal: string, id: string, size: Size): Promise<OpenTerminal> {
    const info = (await list(principal)).find((each) => each.id === id);
    const there = open.get(id);
    if (there && info) return there;
    if (!info) throw notFound(id);
    await shells.reopen(id, wordsOf(id));
    return show(info, principal, size);
  }

  function openOnce(principal: string, id: string, size: Size): Promise<OpenTerminal> {
    const whose = JSON.stringify([principal, id]);
    const known = opening.get(whose);
    if (known) return known;
    const opened = openAgain(principal, id, size).finally(() => opening.delete(whose));
    opening.set(whose, opened);
    return opened;
  }

  async function list(principal: string): Promise<readonly TerminalInfo[]> {
    const infos = await terminals.list(principal);
    const lasting = await shells.lasting();
    const found: TerminalInfo[] = [];
    for (const [id, { inTmux }] of own(principal)) {
      const info = infos.find((each) => each.id === id);
      if (open.has(id) || lasting.has(id)) {
        if (info) found.push(info);
        // The terminal may be newer than the list.
        else endIfOver(principal, id).catch(noted("terminal-not-ended", id));
      } else if (inTmux === shells.inTmux || !inTmux) {
        await over(principal, id);
      }
    }
    return found;
  }

  const stopListening = terminals.onAttached((id, tab) => {
    const terminal = open.get(id);
    terminal?.attached();
    // It may have no tab because it has ended.
    if (terminal && tab === undefined) {
      endIfOver(terminal.principal, id).catch(noted("terminal-not-ended", id));
    }
  });

  return {
    list,
    async open(principal, wanted) {
      const { terminal: id, columns, rows } = wanted;
      if (id === undefined) return openNew(principal, wanted);
      // The other options of the request do not apply to an existing terminal.
      return { terminal: await openOnce(principal, id, { columns, rows }), isNew: false };
    },
    async rename(principal, id, name) {
      const known = await list(principal);
      if (!known.some((each) => each.id === id)) throw notFound(id);
      const chosen = terminalName(name, known);
      await terminals.rename(principal, id, chosen);
      open.get(id)?.rename(chosen);
      changed(principal);
    },
    async end(principal, id) {
      if (!own(principal).has(id)) throw notFound(id);
      await terminals.end(principal, id);
      await endShell(principal, id);
    },
    async review() {
      const principals = new Set([...records.all().values()].map(({ principal }) => principal));
      await Promise.all([...principals].map(list));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      stopListening();
      await Promise.all([...open.values()].map((terminal) => terminal.close()));
    },
  };
}

function notFound(id: string): PagewireError {
  return new PagewireError("terminal-not-found", `There is no terminal "${id}" that can be shown. Open a new one.`);
}
