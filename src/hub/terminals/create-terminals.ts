// The terminals of all principals, and the tab that each is attached to. Of a token only the digest is kept; tokens have 256
// random bits, so a lookup by digest leaks nothing about a guess.
import { hash, randomBytes } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import { holderOf } from "../identity/admitted.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import { proofKeyOf } from "../identity/hub-proofs.ts";
import type { Audit } from "../audit/audit.ts";
import type { Note } from "../common/log.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore } from "../store/index.ts";
import { createAttachments } from "./attachments.ts";
import type { AttachmentListener, Attachments } from "./attachments.ts";
import { admittedBy, byId, changeOf, infoOf, parseTerminal, recordOf } from "./terminals.ts";
import type { TerminalRecord, MadeWith, NewTerminal, TerminalInfo, TerminalOptions, Terminals } from "./terminals.ts";

export interface TerminalsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "terminalsPerPrincipal" | "terminalTime">;
  readonly now: () => number;
  readonly note: Note;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
  readonly onOver?: OnOver;
  /** A fingerprint of the secret that a terminal derives from. */
  readonly root: (madeWith: MadeWith, holder: Holder) => string;
  /** Called when a token has become invalid. */
  readonly onEnded: () => void;
}

const prefix = "pagewire-terminal.";

/** Max writes of a terminal's last use during its idle timeout. */
const writesPerTime = 30;

/** A terminal created by command has no shell that ends it: after this idle time it may be evicted. */
const idleTime = 24 * 60 * 60 * 1000;

export function createTerminals(options: TerminalsOptions): Terminals {
  return new TerminalRegistry(options);
}

class TerminalRegistry implements Terminals {
  readonly #options: TerminalsOptions;
  readonly #records: PrincipalRecords<TerminalRecord>;
  readonly #attachments: Attachments;

  constructor(options: TerminalsOptions) {
    const { store, later, onNotSaved, limits, record } = options;
    this.#options = options;
    this.#records = createPrincipalRecords({
      ...{ store, later, onNotSaved, kind: "terminals" },
      parse: (_, found) => parseTerminal(found, limits),
      toRecord: (terminal: TerminalRecord) => recordOf(terminal, this.#forgetAt(terminal)),
      onReread: (principal, before) => {
        const after = this.#records.known(principal);
        if (![...before].some(([key, one]) => this.#isGood(one) && !this.#isGood(after?.get(key)))) return;
        this.#attachments.review();
        options.onEnded();
      },
    });
    this.#attachments = createAttachments({
      isStillGood: (admitted) => this.isStillGood(admitted),
      onChange: ({ principal, terminal }, tab) =>
        record({ ...about(principal, terminal), tab, outcome: tab === undefined ? "detached" : "attached" }),
    });
  }

  async create(principal: string, options: TerminalOptions): Promise<NewTerminal> {
    const { now, root, note, record: recordEvent } = this.#options;
    const { name, expiresAt, madeWith = "shell", tokenId, allowed, ofToken, scopes } = options;
    const holder = holderOf({ principal, tokenId, allowed, ...(ofToken && { ofToken }), scopes });
    const evicted = this.#evictedBy({ principal, allowed }, await this.#records.of(principal));
    const made = { ...holder, name, madeWith, root: root(madeWith, holder) };
    const { record, token } = newTerminal(made, now(), expiresAt);
    // Both at once, so that a concurrent creation neither sees the room as free nor evicts the same terminal.
    this.#records.note(changeOf(record));
    if (evicted) this.#records.note(changeOf({ ...evicted, endedAt: now() }));
    try {
      await this.#records.save(changeOf(record));
    } catch (error) {
      this.#records.note({ ...changeOf(record), value: undefined });
      if (evicted) this.#records.note(changeOf(evicted));
      throw error;
    }
    // The new terminal exists even if the eviction is not saved yet.
    if (evicted) await this.#end(evicted).catch(() => {});
    note("info", "terminal-made", { terminal: record.id, madeWith });
    recordEvent({ ...about(principal, record.id), outcome: "opened", details: { madeWith } });
    this.#tidy(principal);
    return { ...infoOf(record), token };
  }

  async find(principal: string, id: string): Promise<TerminalInfo | undefined> {
    const terminal = await this.#goodOne(principal, id);
    if (terminal) this.#use(terminal);
    return terminal && infoOf(terminal);
  }

  async list(principal: string): Promise<readonly TerminalInfo[]> {
    const terminals = [...(await this.#records.of(principal)).values()];
    return terminals.filter((each) => this.#isGood(each)).map(infoOf);
  }

  async rename(principal: string, id: string, name: string): Promise<void> {
    const terminal = await this.#goodOne(principal, id);
    if (!terminal) return;
    // Another hub may have ended it.
    await this.#records
      .touch(changeOf(terminal), (kept) => ({ ...kept, name }))
      .catch((error: unknown) => {
        this.#options.onNotSaved();
        throw error;
      });
  }

  async end(principal: string, id: string): Promise<void> {
    const terminal = await this.#goodOne(principal, id);
    if (terminal) await this.#end(terminal);
  }

  async attach(principal: string, id: string, tabId: string | undefined): Promise<void> {
    const terminal = await this.#goodOne(principal, id);
    if (!terminal) return;
    this.#use(terminal);
    if (tabId === undefined) this.#attachments.detach(id);
    else this.#attachments.attach(admittedBy(terminal), tabId);
  }

  attachedTab(id: string): string | undefined {
    return this.#attachments.get(id);
  }

  onAttached(listener: AttachmentListener): () => void {
    return this.#attachments.subscribe(listener);
  }

  async proofKey(digest: string): Promise<string | undefined> {
    const terminal = await this.#records.find(digest);
    return terminal && this.#forgetAt(terminal) > this.#options.now() ? terminal.proofKey : undefined;
  }

  async verify(token: string): Promise<Admitted> {
    const terminal = await this.#records.find(digestOf(token));
    if (!terminal || this.#forgetAt(terminal) <= this.#options.now())
      throw new PagewireError("token-invalid", `This is not the token of a terminal. ${nextStep}`);
    if (!this.#isGood(terminal)) throw new PagewireError("token-expired", `This terminal has ended. ${nextStep}`);
    this.#use(terminal);
    return admittedBy(terminal);
  }

  isStillGood(admitted: Admitted): boolean {
    const { now, root } = this.#options;
    const { principal, terminal, restsOn, expiresAt = Infinity } = admitted;
    if (terminal === undefined) return false;
    const known = this.#records.known(principal);
    if (known) return this.#isGood(byId(known, terminal));
    return expiresAt > now() && (restsOn === root("agent", admitted) || restsOn === root("shell", admitted));
  }

  /** When it ended, or will end if it is not used. */
  #endOf({ endedAt, expiresAt = Infinity, usedAt }: TerminalRecord): number {
    return endedAt ?? Math.min(expiresAt, usedAt + this.#options.limits.terminalTime);
  }

  /** How long an ended terminal's token is still recognized as ended. */
  #forgetAt(terminal: TerminalRecord): number {
    return this.#endOf(terminal) + this.#options.limits.terminalTime;
  }

  #isGood(terminal: TerminalRecord | undefined): terminal is TerminalRecord {
    const { now, root } = this.#options;
    return (
      terminal !== undefined && this.#endOf(terminal) > now() && terminal.root === root(terminal.madeWith, terminal)
    );
  }

  async #goodOne(principal: string, id: string): Promise<TerminalRecord | undefined> {
    const terminal = byId(await this.#records.of(principal), id);
    return this.#isGood(terminal) ? terminal : undefined;
  }

  #use(terminal: TerminalRecord): void {
    const { now, limits } = this.#options;
    const usedAt = now();
    const isDue = usedAt - terminal.notedAt >= limits.terminalTime / writesPerTime;
    this.#records.note(changeOf({ ...terminal, usedAt, notedAt: isDue ? usedAt : terminal.notedAt }));
    // Not awaited; if the write fails, a later use is noted.
    if (!isDue) return;
    const laterOf = (time: number) => Math.max(time, usedAt);
    const noteUse = (kept: TerminalRecord) => ({
      ...kept,
      usedAt: laterOf(kept.usedAt),
      notedAt: laterOf(kept.notedAt),
    });
    this.#records.touch(changeOf(terminal), noteUse).catch(() => {});
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async #end(terminal: TerminalRecord): Promise<void> {
    const { now, note, record, onEnded } = this.#options;
    const { id } = terminal;
    const ended = this.#records.hold(changeOf({ ...terminal, endedAt: now() }));
    this.#attachments.detach(id);
    onEnded();
    note("info", "terminal-ended", { terminal: id });
    record({ ...about(terminal.principal, id), outcome: "ended" });
    await ended;
  }

  /** Limits how many ended terminals are remembered. */
  #tidy(principal: string): void {
    const { now, limits } = this.#options;
    this.#attachments.review();
    const known = [...(this.#records.known(principal)?.values() ?? [])];
    const ended = known.filter((each): boolean => !this.#isGood(each));
    const first = ended
      .toSorted((one, other) => this.#endOf(one) - this.#endOf(other))
      .slice(0, Math.max(0, ended.length - limits.terminalsPerPrincipal));
    const old = new Set([...first, ...ended.filter((each) => this.#forgetAt(each) <= now())]);
    for (const { digest } of old) void this.#records.hold({ principal, key: digest, value: undefined }).catch(() => {});
  }

  /** The terminal to evict for a new one, if needed; throws if none can be evicted. */
  #evictedBy(
    { principal, allowed }: Pick<TerminalOptions, "allowed"> & Pick<Holder, "principal">,
    terminals: ReadonlyMap<string, TerminalRecord>,
  ): TerminalRecord | undefined {
    const { now, limits, record, onOver } = this.#options;
    const { terminalsPerPrincipal: max } = { ...limits, ...allowed };
    const good = [...terminals.values()].filter((each) => this.#isGood(each));
    if (good.length < max) return undefined;
    const idle = good.filter(({ madeWith, usedAt }) => madeWith === "agent" && now() - usedAt >= idleTime);
    const [longest] = idle.toSorted((one, other) => one.usedAt - other.usedAt);
    if (longest) return longest;
    record({ ...about(principal), outcome: "refused", code: "terminals-too-many" });
    onOver?.("terminalsPerPrincipal");
    throw new PagewireError(
      "terminals-too-many",
      `There are ${good.length} terminals; the limit terminalsPerPrincipal is ${max}. End one that is not needed: type exit in it.`,
    );
  }
}

function about(principal: string, name?: string) {
  return { kind: "terminal", principal, name } as const;
}

const nextStep = "Open another with: npx pagewire terminal";

function newTerminal(
  made: Holder & Pick<TerminalRecord, "name" | "madeWith" | "root">,
  at: number,
  expiresAt: number | undefined,
): { readonly record: TerminalRecord; readonly token: string } {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  // A command-line argument, so it must not begin with a dash.
  const id = randomBytes(16).toString("hex");
  const times = { createdAt: at, usedAt: at, notedAt: at, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return { record: { ...made, ...times, id, digest: digestOf(token), proofKey: proofKeyOf(token) }, token };
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
