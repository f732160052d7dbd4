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
import type { Later, RecordStore } from "../store/index.ts";
import { createAttachments } from "./attachments.ts";
import { parseTerminal, recordOf } from "./terminal-record.ts";
import type { TerminalRecord } from "./terminal-record.ts";
import type { MadeWith, NewTerminal, TerminalInfo, TerminalOptions, Terminals } from "./terminals.ts";

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
  const { store, later, limits, now, note, onNotSaved, record: tellAudit, onOver, root, onEnded } = options;
  const { terminalTime } = limits;
  const attachments = createAttachments({
    isStillGood,
    onChange({ principal, terminal }, tab) {
      tellAudit({ ...about(principal, terminal), tab, outcome: tab === undefined ? "detached" : "attached" });
    },
  });

  /** When it ended, or will end if it is not used. */
  const endOf = ({ endedAt, expiresAt = Infinity, usedAt }: TerminalRecord) =>
    endedAt ?? Math.min(expiresAt, usedAt + terminalTime);
  const isGood = (terminal: TerminalRecord | undefined): terminal is TerminalRecord =>
    terminal !== undefined && endOf(terminal) > now() && terminal.root === root(terminal.madeWith, terminal);
  /** How long an ended terminal's token is still recognized as ended. */
  const forgetAt = (terminal: TerminalRecord) => endOf(terminal) + terminalTime;

  const records = createPrincipalRecords({
    store,
    later,
    onNotSaved,
    kind: "terminals",
    parse: (_, record) => parseTerminal(record, limits),
    toRecord: (terminal: TerminalRecord) => recordOf(terminal, forgetAt(terminal)),
  });

  async function goodOne(principal: string, id: string): Promise<TerminalRecord | undefined> {
    const terminal = byId(await records.of(principal), id);
    return isGood(terminal) ? terminal : undefined;
  }

  function use(terminal: TerminalRecord): void {
    const usedAt = now();
    const isDue = usedAt - terminal.notedAt >= terminalTime / writesPerTime;
    const used = changeOf({ ...terminal, usedAt, notedAt: isDue ? usedAt : terminal.notedAt });
    // Not awaited; a failed write is retried.
    if (isDue) void records.hold(used).catch(() => {});
    else records.note(used);
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async function end(terminal: TerminalRecord): Promise<void> {
    const { id } = terminal;
    const ended = records.hold(changeOf({ ...terminal, endedAt: now() }));
    attachments.detach(id);
    onEnded();
    note("info", "terminal-ended", { terminal: id });
    tellAudit({ ...about(terminal.principal, id), outcome: "ended" });
    await ended;
  }

  /** Limits how many ended terminals are remembered. */
  function tidy(principal: string): void {
    attachments.review();
    const bad = [...(records.known(principal)?.values() ?? [])].filter((each): boolean => !isGood(each));
    const first = bad
      .toSorted((one, other) => endOf(one) - endOf(other))
      .slice(0, Math.max(0, bad.length - limits.terminalsPerPrincipal));
    const old = new Set([...first, ...bad.filter((each) => forgetAt(each) <= now())]);
    for (const { digest } of old) void records.hold({ principal, key: digest, value: undefined }).catch(() => {});
  }

  /** The terminal to evict for a new one, if needed; throws if none can be evicted. */
  function leaving(
    { principal, allowed }: Holder,
    terminals: ReadonlyMap<string, TerminalRecord>,
  ): TerminalRecord | undefined {
    const { terminalsPerPrincipal: most } = { ...limits, ...allowed };
    const good = [...terminals.values()].filter(isGood);
    if (good.length < most) return undefined;
    const idle = good.filter(({ madeWith, usedAt }) => madeWith === "agent" && now() - usedAt >= idleTime);
    const [longest] = idle.toSorted((one, other) => one.usedAt - other.usedAt);
    if (longest) return longest;
    tellAudit({ ...about(principal), outcome: "refused", code: "terminals-too-many" });
    onOver?.("terminalsPerPrincipal");
    throw new PagewireError(
      "terminals-too-many",
      `There are ${good.length} terminals; the limit terminalsPerPrincipal is ${most}. End one that is not needed: type exit in it.`,
    );
  }

  async function create(principal: string, options: TerminalOptions) {
    const { name, expiresAt, madeWith = "shell", tokenId, allowed } = options;
    const holder = holderOf({ principal, tokenId, allowed });
    const gone = leaving(holder, await records.of(principal));
    const made = { ...holder, name, madeWith, root: root(madeWith, holder) };
    const { record, token } = newTerminal(made, now(), expiresAt);
    // Both at once, so that a concurrent creation neither sees the room as free nor evicts the same terminal.
    records.note(changeOf(record));
    if (gone) records.note(changeOf({ ...gone, endedAt: now() }));
    try {
      await records.save(changeOf(record));
    } catch (error) {
      records.note({ ...changeOf(record), value: undefined });
      if (gone) records.note(changeOf(gone));
      throw error;
    }
    // The new terminal exists even if the eviction is not saved yet.
    if (gone) await end(gone).catch(() => {});
    note("info", "terminal-made", { terminal: record.id, madeWith });
    tellAudit({ ...about(principal, record.id), outcome: "opened", details: { madeWith } });
    tidy(principal);
    return { ...infoOf(record), token } satisfies NewTerminal;
  }

  function isStillGood(admitted: Admitted): boolean {
    const { principal, terminal, restsOn, expiresAt = Infinity } = admitted;
    if (terminal === undefined) return false;
    const known = records.known(principal);
    if (known) return isGood(byId(known, terminal));
    return expiresAt > now() && (restsOn === root("agent", admitted) || restsOn === root("shell", admitted));
  }

  return {
    create,
    async find(principal, id) {
      const terminal = await goodOne(principal, id);
      if (terminal) use(terminal);
      return terminal && infoOf(terminal);
    },
    list: async (principal) => [...(await records.of(principal)).values()].filter(isGood).map(infoOf),
    async rename(principal, id, name) {
      const terminal = await goodOne(principal, id);
      if (terminal) await records.save(changeOf({ ...terminal, name }));
    },
    async end(principal, id) {
      const terminal = await goodOne(principal, id);
      if (terminal) await end(terminal);
    },
    async attach(principal, id, tabId) {
      const terminal = await goodOne(principal, id);
      if (!terminal) return;
      use(terminal);
      if (tabId === undefined) attachments.detach(id);
      else attachments.attach(admittedBy(terminal), tabId);
    },
    attachedTab: attachments.get,
    onAttached: attachments.subscribe,
    async proofKey(digest) {
      const terminal = await records.find(digest);
      return terminal && forgetAt(terminal) > now() ? terminal.proofKey : undefined;
    },
    async verify(token) {
      const terminal = await records.find(digestOf(token));
      if (!terminal || forgetAt(terminal) <= now())
        throw new PagewireError("token-invalid", `This is not the token of a terminal. ${nextStep}`);
      if (!isGood(terminal)) throw new PagewireError("token-expired", `This terminal has ended. ${nextStep}`);
      use(terminal);
      return admittedBy(terminal);
    },
    isStillGood,
  };
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

function infoOf({ id, name, createdAt }: TerminalRecord): TerminalInfo {
  return { id, name, createdAt };
}

function byId(terminals: ReadonlyMap<string, TerminalRecord>, id: string): TerminalRecord | undefined {
  for (const terminal of terminals.values()) if (terminal.id === id) return terminal;
  return undefined;
}

function changeOf(terminal: TerminalRecord) {
  return { key: terminal.digest, principal: terminal.principal, value: terminal };
}

function admittedBy(terminal: TerminalRecord) {
  const { id, root, expiresAt } = terminal;
  const ends = expiresAt === undefined ? {} : { expiresAt };
  return {
    ...holderOf(terminal),
    credential: `terminal.${id}`,
    terminal: id,
    restsOn: root,
    ...ends,
  } satisfies Admitted;
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
