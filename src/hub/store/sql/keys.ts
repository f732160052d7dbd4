// The ledger of keyed calls. Its statements are on the call path, so they are plain SQL, compiled once.
import { createHash } from "node:crypto";
import { notSaved } from "../port/store.ts";
import { defineOperation } from "./session.ts";
import type { Context, Session } from "./session.ts";
import { storedName } from "./schema.ts";

/** A key's use, as threads exchange it. */
export interface KeptUse {
  readonly call: string;
  readonly tab: string;
  readonly epoch: string | undefined;
}

export interface KeptKey extends KeptUse {
  readonly isSameCall: boolean;
  readonly age: number;
  readonly outcome: KeptOutcome | "expired" | undefined;
}

/** An outcome without its payload, as JSON, and the payload's bytes. */
export interface KeptOutcome {
  readonly head: string;
  readonly payload: Uint8Array | undefined;
}

interface KeyRow {
  readonly call: string;
  readonly fingerprint: string;
  readonly tab: string;
  readonly epoch: string | null;
  readonly used: number;
  readonly ended: number | null;
  readonly outcome: string | null;
  readonly payload: Uint8Array | null;
}

const insertUse = `insert into keys (principal, "key", "call", fingerprint, tab, epoch, used, bytes)
  values (?, ?, ?, ?, ?, ?, ?, 0) on conflict do nothing`;
const selectKey = `select "call", fingerprint, tab, epoch, used, ended, outcome, payload from keys
  where principal = ? and "key" = ?`;
const updateUse = `update keys set tab = ?, epoch = ?, used = ?
  where principal = ? and "key" = ? and "call" = ? and ended is null`;
const updateEnd = `update keys set ended = ?, outcome = ?, payload = ?, bytes = ?
  where principal = ? and "key" = ? and ended is null`;
const deleteKey = `delete from keys where principal = ? and "key" = ?`;
const deleteOldKey = `delete from keys where principal = ? and "key" = ? and used = ?`;
const selectKept = `select "key", bytes from keys
  where principal = ? and outcome is not null order by ended desc`;
const expireKey = `update keys set outcome = null, payload = null, bytes = 0 where principal = ? and "key" = ?`;

type Named = readonly [principal: string, key: string];

const laneOf = ([principal, key]: readonly string[]) => `key ${key} ${principal}`;
const namesOf = (principal: string, key: string) => [storedName(principal), storedName(key)] as const;

export const keyOperations = {
  useKey: defineOperation({
    lane: laneOf,
    async run(session, [principal, key, use]: readonly [...Named, KeptUse & { fingerprint: string }]) {
      const names = namesOf(principal, key);
      const { call, tab, epoch = null } = use;
      const fingerprint = digestOf(use.fingerprint);
      // Between the two statements another hub may release the key, or it may expire.
      for (;;) {
        const now = session.time.next();
        const added = await session.text(insertUse, [...names, call, fingerprint, tab, epoch, now]);
        if (added.changes > 0) return undefined;
        const row = await find(session, names);
        if (!row) continue;
        if (row.call !== call || row.ended !== null) return keptKey(session, row, fingerprint);
        const again = await session.text(updateUse, [tab, epoch, now, ...names, call]);
        if (again.changes > 0) return undefined;
      }
    },
  }),
  findKey: defineOperation({
    isReading: true,
    lane: laneOf,
    async run(session, [principal, key, fingerprint]: readonly [...Named, string]): Promise<KeptKey | undefined> {
      const row = await find(session, namesOf(principal, key), "read");
      return row && keptKey(session, row, digestOf(fingerprint));
    },
  }),
  endKey: defineOperation({
    lane: laneOf,
    async run(session, [principal, key, { head, payload }]: readonly [...Named, KeptOutcome]): Promise<void> {
      const names = namesOf(principal, key);
      const bytes = head.length + (payload?.length ?? 0);
      const kept = [session.time.next(), head, payload ?? null, bytes, ...names];
      const { changes } = await session.text(updateEnd, kept);
      // The first outcome wins.
      if (changes === 0 && !(await find(session, names, "read")))
        throw notSaved("The database does not know this key any more.");
      if (changes > 0 && isMuch(session, names[0], bytes)) await expireOldest(session, names[0]);
    },
  }),
  freeKey: defineOperation({
    lane: laneOf,
    async run({ text }, [principal, key]: Named): Promise<void> {
      await text(deleteKey, namesOf(principal, key));
    },
  }),
};

type Names = ReturnType<typeof namesOf>;

/** Treats an expired key as missing, and deletes it unless the access is read-only. */
async function find({ text, time, limits }: Session, names: Names, use?: "read"): Promise<KeyRow | undefined> {
  const [row] = (await text<KeyRow>(selectKey, names)).rows;
  if (!row || row.used > time.now() - knownTime(limits)) return row;
  if (use !== "read") await text(deleteOldKey, [...names, row.used]);
  return undefined;
}

/** How long a key is kept after its last use. */
export function knownTime({ usedKeyTime, keyTime }: Context["limits"]): number {
  return Math.max(usedKeyTime, keyTime);
}

function keptKey({ time, limits }: Session, row: KeyRow, fingerprint: string): KeptKey {
  const { call, tab, epoch, used, ended, outcome } = row;
  const isExpired = ended !== null && (outcome === null || ended <= time.now() - limits.keyTime);
  // A view of a pooled buffer would be cloned with the whole pool.
  const payload = row.payload ? new Uint8Array(row.payload) : undefined;
  const kept = outcome === null ? undefined : { head: outcome, payload };
  return {
    call,
    tab,
    epoch: epoch ?? undefined,
    isSameCall: row.fingerprint === fingerprint,
    age: Math.max(0, time.now() - used),
    outcome: isExpired ? "expired" : kept,
  };
}

function digestOf(fingerprint: string): string {
  return createHash("sha256").update(fingerprint, "utf16le").digest("base64url");
}

/** Bytes of outcomes that each principal has added since they were last counted. */
const added = new Map<string, number>();
const maxPrincipals = 1000;

/** Whether to count now: counting after each call would cost more than the call's own statement. */
function isMuch({ limits }: Session, principal: string, bytes: number): boolean {
  const sum = (added.get(principal) ?? limits.keyBytes) + bytes;
  if (added.size > maxPrincipals) added.clear();
  added.set(principal, sum);
  if (sum <= limits.keyBytes / 8) return false;
  added.set(principal, 0);
  return true;
}

/** Drops a principal's oldest outcomes until the rest is within the limit. */
async function expireOldest({ text, limits, onOver }: Session, principal: string): Promise<void> {
  const { rows } = await text<{ key: string; bytes: number }>(selectKept, [principal]);
  let sum = 0;
  for (const { key, bytes } of rows) {
    sum += bytes;
    if (sum <= limits.keyBytes) continue;
    await text(expireKey, [principal, key]);
    onOver?.("keyBytes");
  }
}
