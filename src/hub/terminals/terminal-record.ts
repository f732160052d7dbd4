import type { Limits } from "../../wire/index.ts";
import type { Holder } from "../identity/admitted.ts";
import { parseHolder } from "../identity/admitted.ts";
import type { StoredRecord } from "../store/index.ts";
import type { MadeWith, TerminalInfo } from "./terminals.ts";

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
