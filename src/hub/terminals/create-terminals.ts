// Who the terminals of all principals are, until when, and to which tab each is attached. Of a token only its digest is
// kept, which has 256 random bits behind it: looking one up tells nobody how close a guess was.
import { hash, randomBytes } from "node:crypto";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Admitted } from "../guard/admitted.ts";
import type { Note } from "../log.ts";
import type { Store } from "../store/index.ts";
import { createAttachments } from "./attachments.ts";
import type { TerminalRecord } from "./terminal-record.ts";
import { createTerminalShelf } from "./terminal-shelf.ts";
import type { MadeWith, NewTerminal, TerminalInfo, TerminalOptions, Terminals } from "./terminals.ts";

export interface TerminalsOptions {
  readonly store: Pick<Store, "records" | "setRecord">;
  readonly limits: Pick<Limits, "terminalsPerPrincipal" | "terminalTime">;
  readonly now: () => number;
  readonly note: Note;
  /** Stands for the secret that a terminal rests on which was made with this. */
  readonly root: (madeWith: MadeWith) => string;
  /** Hears that a token is worth nothing any more. */
  readonly onEnded: () => void;
}

const prefix = "pagewire-terminal.";

/** How many times at most a terminal's last use is written down, in the time that it may be idle. */
const writesPerTime = 30;

/** One that was made by command has no shell whose end would end it: idle for so long, it makes room for another. */
const idleTime = 24 * 60 * 60 * 1000;

export function createTerminals({ store, limits, now, note, root, onEnded }: TerminalsOptions): Terminals {
  const { terminalTime, terminalsPerPrincipal: most } = limits;
  const shelf = createTerminalShelf(store, note);
  const attachments = createAttachments();

  /** When it ended, or will unless it is used. */
  const endOf = ({ endedAt, expiresAt = Infinity, usedAt }: TerminalRecord) =>
    endedAt ?? Math.min(expiresAt, usedAt + terminalTime);
  const isGood = (terminal: TerminalRecord | undefined): terminal is TerminalRecord =>
    terminal !== undefined && endOf(terminal) > now() && terminal.root === root(terminal.madeWith);

  function goodOne(principal: string, id: string): TerminalRecord | undefined {
    const terminal = shelf.get(id);
    return isGood(terminal) && terminal.principal === principal ? terminal : undefined;
  }

  function use(terminal: TerminalRecord): void {
    const usedAt = now();
    const isDue = usedAt - terminal.notedAt >= terminalTime / writesPerTime;
    shelf.set({ ...terminal, usedAt, notedAt: isDue ? usedAt : terminal.notedAt });
    if (isDue) void keep([terminal.id]);
  }

  /** Writes what nobody waits for: where that fails, it is tried again with the next change. */
  async function keep(ids: readonly string[]): Promise<void> {
    await shelf.save(ids).catch((error: unknown) => note("error", "store-failed", { message: messageOf(error) }));
  }

  function end(terminal: TerminalRecord): void {
    const { id } = terminal;
    shelf.set({ ...terminal, endedAt: now() });
    attachments.set(id, undefined);
    onEnded();
    note("info", "terminal-ended", { terminal: id });
  }

  /** The token of one that ended is told so for a while: as long as it could have been idle, and not for too many. */
  function tidy(principal: string): readonly string[] {
    const bad = shelf.all().filter((each): boolean => !isGood(each));
    for (const { id } of bad) attachments.set(id, undefined);
    const own = bad.filter((each) => each.principal === principal);
    const first = own.toSorted((one, other) => endOf(one) - endOf(other)).slice(0, Math.max(0, own.length - most));
    const old = new Set([...first, ...bad.filter((each) => endOf(each) + terminalTime <= now())]);
    for (const each of old) shelf.forget(each);
    return [...old].map(({ id }) => id);
  }

  /** The one that makes room for another; throws where there is no room, and none does. */
  function leaving(principal: string): TerminalRecord | undefined {
    const good = shelf.all().filter((each) => each.principal === principal && isGood(each));
    if (good.length < most) return undefined;
    const idle = good.filter(({ madeWith, usedAt }) => madeWith === "agent" && now() - usedAt >= idleTime);
    const [longest] = idle.toSorted((one, other) => one.usedAt - other.usedAt);
    if (longest) return longest;
    throw new PagewireError(
      "terminals-too-many",
      `There are ${good.length} terminals; the limit terminalsPerPrincipal is ${most}. End one that is not needed: type exit in it.`,
    );
  }

  async function create(principal: string, { name, expiresAt, madeWith = "shell" }: TerminalOptions) {
    await shelf.load();
    const gone = leaving(principal);
    const terminal = newTerminal({ principal, name, madeWith, root: root(madeWith) }, now(), expiresAt);
    const { id } = terminal.record;
    const ended = gone ? [gone.id] : [];
    // Both at once: whoever makes one meanwhile finds neither its room free nor this one to leave again.
    shelf.set(terminal.record);
    if (gone) end(gone);
    try {
      await shelf.save([id]);
    } catch (error) {
      shelf.forget(terminal.record);
      await keep([id, ...ended]);
      throw error;
    }
    note("info", "terminal-made", { terminal: id, madeWith });
    await keep([...ended, ...tidy(principal)]);
    return { ...infoOf(terminal.record), token: terminal.token } satisfies NewTerminal;
  }

  return {
    create,
    async find(principal, id) {
      await shelf.load();
      const terminal = goodOne(principal, id);
      if (terminal) use(terminal);
      return terminal && infoOf(terminal);
    },
    async list(principal) {
      await shelf.load();
      const own = shelf.all().filter((each) => each.principal === principal);
      return own.filter(isGood).map(infoOf);
    },
    async rename(principal, id, name) {
      await shelf.load();
      const terminal = goodOne(principal, id);
      if (!terminal) return;
      shelf.set({ ...terminal, name });
      await shelf.save([id]);
    },
    async end(principal, id) {
      await shelf.load();
      const terminal = goodOne(principal, id);
      if (!terminal) return;
      end(terminal);
      await shelf.save([id]);
    },
    attach(id, tabId) {
      const terminal = shelf.get(id);
      if (!isGood(terminal)) return;
      use(terminal);
      attachments.set(id, tabId);
    },
    attachedTab: (id) => (isGood(shelf.get(id)) ? attachments.get(id) : undefined),
    onAttached: attachments.subscribe,
    async verify(token) {
      await shelf.load();
      const terminal = shelf.get(shelf.idOf(digestOf(token)));
      if (!terminal) throw new PagewireError("token-invalid", `This is not the token of a terminal. ${nextStep}`);
      if (!isGood(terminal)) throw new PagewireError("token-expired", `This terminal has ended. ${nextStep}`);
      use(terminal);
      return admittedBy(terminal);
    },
    isStillGood: ({ terminal }) => isGood(shelf.get(terminal)),
  };
}

const nextStep = "Open another with: npx pagewire terminal";

function newTerminal(
  made: Pick<TerminalRecord, "principal" | "name" | "madeWith" | "root">,
  at: number,
  expiresAt: number | undefined,
): { readonly record: TerminalRecord; readonly token: string } {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  // It is an argument of commands, and must not look like an option.
  const id = randomBytes(16).toString("hex");
  const times = { createdAt: at, usedAt: at, notedAt: at, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return { record: { ...made, ...times, id, digest: digestOf(token) }, token };
}

function infoOf({ id, name, createdAt }: TerminalRecord): TerminalInfo {
  return { id, name, createdAt };
}

function admittedBy({ id, principal, expiresAt }: TerminalRecord): Admitted {
  return { principal, credential: `terminal.${id}`, terminal: id, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
