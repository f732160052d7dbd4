import type { Limits } from "../../wire/index.ts";
import type { Holder } from "../identity/admitted.ts";
import { parseHolder } from "../identity/admitted.ts";
import type { StoredRecord } from "../store/index.ts";
import type { MadeWith, TerminalInfo } from "./terminals.ts";

/** A terminal as a hub keeps it: nothing here lets anybody in. */
export interface TerminalRecord extends TerminalInfo, Holder {
  /** Of its token, and its key in the store. */
  readonly digest: string;
  /** The key with which the hub proves to the token's owner that it knows the terminal; those of older hubs have none. */
  readonly proofKey?: string;
  readonly madeWith: MadeWith;
  /** Stands for the secret that it was made with. */
  readonly root: string;
  readonly expiresAt?: number;
  readonly usedAt: number;
  /** The last use that is in the store; not every one is written down. */
  readonly notedAt: number;
  readonly endedAt?: number;
}

/** What is written down of a terminal; nobody needs it any more from `forgetAt` on. */
export function recordOf(terminal: TerminalRecord, forgetAt: number): StoredRecord {
  const { notedAt: _, ...kept } = terminal;
  return { ...kept, forgetAt };
}

/** Undefined where it is none: then its programs need a new terminal. */
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
