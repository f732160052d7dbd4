// Manages all terminals with a shell: lists and opens them, and finds the ones that ended unnoticed.
import type { Clock } from "../link/index.ts";
import type { ShellHost, ShellInfo, TerminalInfo } from "../hub/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { TokenBudgets } from "../wire/index.ts";
import { OpenTerminal } from "./open-terminal.ts";
import { isAlive } from "./pty/processes.ts";
import { terminalVariables } from "./shell/shell-environment.ts";
import type { ShellRecord, ShellRecords } from "./shell/shell-records.ts";
import type { Shells, Size } from "./shells.ts";
import { terminalName } from "./terminal-names.ts";

export type ChangeListener = (principal: string, terminals: readonly TerminalInfo[]) => void;

/** The terminal to open, or the name of a new one. */
export interface OpenRequest extends Size {
  readonly terminal?: string | undefined;
  readonly name?: string | undefined;
  /** The id of the view's token in jwt mode, if it has one. */
  readonly tokenId?: string | undefined;
  readonly allowed?: TokenBudgets | undefined;
  /** Its limits without those of its organisation. */
  readonly ofToken?: { readonly allowed?: TokenBudgets } | undefined;
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

export class TerminalKeeper {
  readonly #options: TerminalKeeperOptions;
  readonly #open = new Map<string, OpenTerminal>();
  /** Terminals being reopened: concurrent requests share the same promise. */
  readonly #opening = new Map<string, Promise<OpenTerminal>>();
  readonly #listeners = new Set<ChangeListener>();
  /** Principals whose views are waiting for a notification. */
  readonly #toNotify = new Set<string>();
  #notifying: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #stops: readonly (() => void)[];

  constructor(options: TerminalKeeperOptions) {
    this.#options = options;
    const stopListening = options.host.terminals.onAttached((id, tab) => {
      const terminal = this.#open.get(id);
      terminal?.sendAttached();
      // It may have no tab because it has ended.
      if (terminal && tab === undefined) this.#endIfRevoked(terminal.principal, id);
    });
    const stopFollowing = options.host.elsewhere?.onChange((principal) => this.#notifySoon(principal));
    this.#stops = [stopListening, ...(stopFollowing ? [stopFollowing] : [])];
  }

  async list(principal: string): Promise<readonly TerminalInfo[]> {
    const { host, shells } = this.#options;
    const infos = await host.terminals.list(principal);
    const lasting = await shells.lasting();
    const found: TerminalInfo[] = [];
    for (const [id, { inTmux }] of this.#own(principal)) {
      const info = infos.find((each) => each.id === id);
      if (this.#open.has(id) || lasting.has(id)) {
        if (info) found.push(info);
        // The terminal may be newer than the list.
        else this.#endIfRevoked(principal, id);
      } else if (inTmux === shells.inTmux || !inTmux) {
        await this.#remove(principal, id);
      }
    }
    return found;
  }

  /** Whether the shell of a terminal runs beside this hub. */
  has(id: string): boolean {
    const record = this.#options.records.all().get(id);
    return record !== undefined && this.#isOwn(id, record);
  }

  /** The terminals of all hubs. */
  async listAll(principal: string): Promise<readonly TerminalInfo[]> {
    const { elsewhere } = this.#options.host;
    const [own, others = []] = await Promise.all([this.list(principal), elsewhere?.list(principal)]);
    return [...own, ...others.map(({ id, name, createdAt }) => ({ id, name, createdAt }))];
  }

  async isElsewhere(principal: string, id: string): Promise<boolean> {
    const { elsewhere } = this.#options.host;
    return !this.has(id) && ((await elsewhere?.list(principal)) ?? []).some((each) => each.id === id);
  }

  /** As `list`, with what each shows and who shows it. */
  async describe(principal: string): Promise<readonly ShellInfo[]> {
    const { shells } = this.#options;
    const [infos, programs] = await Promise.all([this.list(principal), shells.programs()]);
    return infos.map((info) => {
      const about = this.#open.get(info.id)?.describe() ?? { views: 0, program: undefined };
      // In tmux, the program in the pseudo terminal is tmux itself.
      return { ...info, ...about, program: shells.inTmux ? programs.get(info.id) : about.program };
    });
  }

  /** Opens a terminal, or without an id a new one; rejects with an error code. */
  async open(principal: string, request: OpenRequest): Promise<Opened> {
    const { terminal: id, columns, rows } = request;
    if (id === undefined) return this.#openNew(principal, request);
    // The other options of the request do not apply to an existing terminal.
    return { terminal: await this.#openOnce(principal, id, { columns, rows }), isNew: false };
  }

  async rename(principal: string, id: string, name: string): Promise<void> {
    const known = await this.list(principal);
    if (!known.some((each) => each.id === id)) throw notFound(id);
    const chosen = terminalName(name, known);
    await this.#options.host.terminals.rename(principal, id, chosen);
    this.#open.get(id)?.rename(chosen);
    this.#changed(principal);
  }

  async end(principal: string, id: string): Promise<void> {
    if (!this.#own(principal).has(id)) throw notFound(id);
    await this.#options.host.terminals.end(principal, id);
    await this.#endShell(principal, id);
  }

  async endAnywhere(principal: string, id: string): Promise<void> {
    const { elsewhere } = this.#options.host;
    await (elsewhere && !this.has(id) ? elsewhere.end(principal, id) : this.end(principal, id));
  }

  /** Ends the shells of terminals that were ended by command, or by revoking their key. */
  async review(): Promise<void> {
    const principals = new Set([...this.#options.records.all().values()].map(({ principal }) => principal));
    await Promise.all([...principals].map((principal) => this.list(principal)));
  }

  /** Calls back with a principal's changed list of terminals; several changes at once are merged. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#open.values()].map((terminal) => terminal.close()));
  }

  /** A principal's terminals, except those that another running hub has open. */
  #own(principal: string): ReadonlyMap<string, ShellRecord> {
    const all = [...this.#options.records.all()];
    return new Map(all.filter(([id, record]) => record.principal === principal && this.#isOwn(id, record)));
  }

  #isOwn(id: string, { hub }: ShellRecord): boolean {
    return this.#open.has(id) || hub === process.pid || !isAlive(hub);
  }

  async #openNew(principal: string, { name, columns, rows, tokenId, allowed, ofToken }: OpenRequest): Promise<Opened> {
    const { host, shells } = this.#options;
    const size = { columns, rows };
    const named = terminalName(name, await this.list(principal));
    const info = await host.terminals.create(principal, { name: named, tokenId, allowed, ofToken });
    const { id, token } = info;
    try {
      await shells.open({ id, ...size, variables: this.#variablesOf(id, token) });
      const terminal = this.#show(info, principal, size);
      this.#changed(principal);
      return { terminal, isNew: true };
    } catch (error) {
      await shells.end(id, undefined);
      await this.#remove(principal, id);
      throw error;
    }
  }

  #openOnce(principal: string, id: string, size: Size): Promise<OpenTerminal> {
    const whose = JSON.stringify([principal, id]);
    const known = this.#opening.get(whose);
    if (known) return known;
    const opened = this.#reopen(principal, id, size).finally(() => this.#opening.delete(whose));
    this.#opening.set(whose, opened);
    return opened;
  }

  async #reopen(principal: string, id: string, size: Size): Promise<OpenTerminal> {
    const info = (await this.list(principal)).find((each) => each.id === id);
    if (!info) throw notFound(id);
    const open = this.#open.get(id);
    if (open) return open;
    await this.#options.shells.reopen(id, this.#variablesOf(id));
    return this.#show(info, principal, size);
  }

  #variablesOf(id: string, token?: string): Record<string, string> {
    const { host, klangk } = this.#options;
    return terminalVariables({ url: host.url, id, klangk, ...(token === undefined ? {} : { token }) });
  }

  #show(info: TerminalInfo, principal: string, size: Size): OpenTerminal {
    const { host, shells, records, clock } = this.#options;
    const { id } = info;
    if (this.#isClosed) {
      throw new PagewireError("going-away", "The hub is stopping. Open the terminal again in a moment.");
    }
    const onLost = () => void this.#open.delete(id);
    const onEnded = () => {
      const code = records.exitCode(id);
      onLost();
      void this.#remove(principal, id);
      return shells.inTmux ? (code === undefined ? {} : { code }) : undefined;
    };
    records.put(id, { principal, inTmux: shells.inTmux, hub: process.pid });
    const terminal = new OpenTerminal({ host, shells, clock, principal, info, size, onEnded, onLost });
    this.#open.set(id, terminal);
    return terminal;
  }

  /** Ends the shell of a terminal that was ended by command, or by revoking its key. */
  #endIfRevoked(principal: string, id: string): void {
    const { host } = this.#options;
    const end = async () => {
      if (!(await host.terminals.find(principal, id))) await this.#endShell(principal, id);
    };
    end().catch(this.#reporter("terminal-not-ended", id));
  }

  async #endShell(principal: string, id: string): Promise<void> {
    const terminal = this.#open.get(id);
    if (terminal) return terminal.end();
    await this.#options.shells.end(id, undefined);
    await this.#remove(principal, id);
  }

  /** Revokes the token of a shell that ended. */
  async #remove(principal: string, id: string): Promise<void> {
    try {
      await this.#options.host.terminals.end(principal, id);
      this.#options.records.remove(id);
    } catch (error) {
      this.#reporter("terminal-not-ended", id)(error);
    }
    this.#changed(principal);
  }

  /** Lists once for all views, and in sequence, so that the last notification is the newest. */
  #changed(principal: string): void {
    this.#options.host.elsewhere?.changed(principal);
    this.#notifySoon(principal);
  }

  #notifySoon(principal: string): void {
    if (this.#toNotify.has(principal)) return;
    this.#toNotify.add(principal);
    this.#notifying = this.#notifying.then(() => this.#notify(principal)).catch(this.#reporter("terminals-not-listed"));
  }

  async #notify(principal: string): Promise<void> {
    this.#toNotify.delete(principal);
    const found = await this.listAll(principal);
    for (const listener of this.#listeners) listener(principal, found);
  }

  #reporter(what: string, terminal?: string): (error: unknown) => void {
    return (error) => this.#options.host.note("error", what, { terminal, message: messageOf(error) });
  }
}

function notFound(id: string): PagewireError {
  return new PagewireError("terminal-not-found", `There is no terminal "${id}" that can be shown. Open a new one.`);
}
