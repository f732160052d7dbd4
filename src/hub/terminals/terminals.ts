// The registry of terminals: their tokens, and the tab that each is attached to. It is independent of shells and sockets: the
// view of a terminal reports its tab.
import type { TokenBudgets, Limits } from "../../wire/index.ts";
import { holderOf, parseHolder } from "../identity/admitted.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import type { StoredRecord } from "../store/index.ts";

export interface TerminalInfo {
  /** Unguessable, but not secret: it is only accepted together with the terminal's token. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The token is returned only here. */
export interface NewTerminal extends TerminalInfo {
  readonly token: string;
}

/** The credential that a terminal derives from. When it changes, the terminal's token becomes invalid. */
export type MadeWith = "agent" | "shell";

export interface TerminalOptions {
  readonly name: string;
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** "shell" by default. */
  readonly madeWith?: MadeWith;
  /** The `jti` of the creating token, in jwt mode. */
  readonly tokenId?: string | undefined;
  /** The token's lower limits. */
  readonly allowed?: TokenBudgets | undefined;
  readonly ofToken?: Admitted["ofToken"] | undefined;
  readonly scopes?: Holder["scopes"] | undefined;
}

export interface Terminals {
  /** Rejects if the principal has too many terminals. */
  create(principal: string, options: TerminalOptions): Promise<NewTerminal>;
  /** Undefined if the principal has no such terminal. Counts as a use. */
  find(principal: string, id: string): Promise<TerminalInfo | undefined>;
  list(principal: string): Promise<readonly TerminalInfo[]>;
  rename(principal: string, id: string, name: string): Promise<void>;
  /** Invalidates its token. Can be called twice. */
  end(principal: string, id: string): Promise<void>;
  /** Attaches a terminal to a tab, or detaches it with undefined. */
  attach(principal: string, id: string, tabId: string | undefined): Promise<void>;
  attachedTab(id: string): string | undefined;
  /** Subscribes to changes of attachments. */
  onAttached(listener: (id: string, tabId: string | undefined) => void): () => void;
  /** The proof key of the terminal whose token has this digest. */
  proofKey(digest: string): Promise<string | undefined>;
  /** Authenticates a program by its token; rejects with token-invalid or token-expired. */
  verify(token: string): Promise<Admitted>;
  isStillGood(admitted: Admitted): boolean;
}

/** A terminal as it is stored, without its token. */
export interface TerminalRecord extends TerminalInfo, Holder {
  /** The digest of its token, which is its key in the store. */
  readonly digest: string;
  /** The key for proving to the token's owner that the hub knows the terminal. Records of older hubs lack it. */
  readonly proofKey?: string;
  readonly madeWith: MadeWith;
  /** A fingerprint of the secret that it derives from. */
  readonly root: string;
  readonly expiresAt?: number;
  readonly usedAt: number;
  /** The last use that was stored: not every use is. */
  readonly notedAt: number;
  readonly endedAt?: number;
}

export function recordOf(terminal: TerminalRecord, forgetAt: number): StoredRecord {
  const { notedAt: _, ...kept } = terminal;
  return { ...kept, forgetAt };
}

/** Undefined for an invalid record: then its programs need a new terminal. */
export function parseTerminal(record: StoredRecord, limits: Partial<Limits> = {}): TerminalRecord | undefined {
  const { id, name, digest, root, madeWith, createdAt, usedAt, expiresAt, endedAt, proofKey } = record;
  const holder = parseHolder(record, limits);
  if (!holder) return undefined;
  if (!isText(id) || !isText(name) || !isText(digest) || !isText(root)) return undefined;
  if (madeWith !== "agent" && madeWith !== "shell") return undefined;
  if (!isTime(createdAt) || !isTime(usedAt)) return undefined;
  if ((expiresAt !== undefined && !isTime(expiresAt)) || (endedAt !== undefined && !isTime(endedAt))) return undefined;
  const ends = { ...(expiresAt === undefined ? {} : { expiresAt }), ...(endedAt === undefined ? {} : { endedAt }) };
  const proof = isText(proofKey) ? { proofKey } : {};
  const rest = { ...holder, ...proof, ...ends };
  return { id, name, digest, root, madeWith, createdAt, usedAt, notedAt: usedAt, ...rest };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTime(value: unknown): value is number {
  return typeof value === "number";
}

export function infoOf({ id, name, createdAt }: TerminalRecord): TerminalInfo {
  return { id, name, createdAt };
}

export function byId(terminals: ReadonlyMap<string, TerminalRecord>, id: string): TerminalRecord | undefined {
  for (const terminal of terminals.values()) if (terminal.id === id) return terminal;
  return undefined;
}

export function changeOf(terminal: TerminalRecord) {
  return { key: terminal.digest, principal: terminal.principal, value: terminal };
}

export function admittedBy(terminal: TerminalRecord) {
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
