// The chain of a hub's audit records: each one's hash covers the hash of the one before it, so that a record that was
// changed, or is missing, shows. A day's first record follows the last one of the day before. Pure.
import { hash, createHmac } from "node:crypto";
import { isJsonObject } from "../../../wire/index.ts";
import type { AuditRecord, KeptAuditRecord, Undigested } from "./store.ts";

const fields = ["argumentsDigest", "resultDigest", "key"] as const;

/** Makes the digests that records lack: it is done where nobody's call waits for it. */
export function digestRecords(records: readonly AuditRecord[], undigested: Undigested): readonly AuditRecord[] {
  const { key, lengths, bytes } = undigested;
  let next = 0;
  let at = 0;

  function digest(): string {
    const length = lengths[next++] ?? 0;
    const isCut = length < 0;
    const end = at + (isCut ? -length - 1 : length);
    const made = createHmac("sha256", key).update(bytes.subarray(at, end)).digest("hex");
    at = end;
    return isCut ? `~${made}` : made;
  }

  return records.map((record) => {
    const lacking = fields.filter((field) => record[field] === "");
    return lacking.length === 0
      ? record
      : { ...record, ...Object.fromEntries(lacking.map((field) => [field, digest()])) };
  });
}

/** Where a chain ends; "" before its first record. */
export interface ChainEnd {
  readonly day: string;
  readonly hash: string;
}

/** What a record gets by being put at the end of a chain. */
export type ChainLink = Pick<KeptAuditRecord, "day" | "previous" | "hash">;

export const chainStart: ChainEnd = { day: "", hash: "" };

/** A day is never before that of the record before it, also where the clock was set back. */
export function chainLink(end: ChainEnd, hub: string, record: AuditRecord): ChainLink {
  const ownDay = record.at.slice(0, 10);
  const day = ownDay > end.day ? ownDay : end.day;
  return { day, previous: end.hash, hash: hashOf(end.hash, { hub, day }, record) };
}

export interface ChainProblem {
  readonly sequence: number;
  readonly hub: string;
  readonly day: string;
  readonly problem: "changed" | "missing-before" | "missing-after";
}

export interface ChainBounds {
  /** After which hash each hub's records begin, where earlier ones were pruned. */
  readonly anchors?: ReadonlyMap<string, string>;
  /** With which hash each hub's records end. */
  readonly heads?: ReadonlyMap<string, string>;
}

/** What is wrong with records in ascending order, of one hub or of several. Without bounds they may begin and end anywhere. */
export function verifyChain(records: Iterable<KeptAuditRecord>, bounds: ChainBounds = {}): readonly ChainProblem[] {
  const check = createChainCheck(bounds);
  const problems: ChainProblem[] = [];
  for (const record of records) problems.push(...check.add(record));
  return [...problems, ...check.end()];
}

/** The same for records that come one by one. */
export interface ChainCheck {
  /** What is wrong with the next record, or before it. */
  add(record: KeptAuditRecord): readonly ChainProblem[];
  /** What is wrong after the last one: a head has to be there, and newer records may follow it. */
  end(): readonly ChainProblem[];
  /** With which hash the records of each hub end by now. */
  heads(): ReadonlyMap<string, string>;
}

export function createChainCheck({ anchors, heads }: ChainBounds = {}): ChainCheck {
  const ends = new Map<string, KeptAuditRecord>();
  const reached = new Set<string>();
  return {
    add(kept) {
      const { sequence, day, hub, previous, hash, ...record } = kept;
      const before = ends.get(hub)?.hash ?? anchors?.get(hub);
      const problems: ChainProblem[] = [];
      if (before !== undefined && before !== previous) problems.push({ sequence, hub, day, problem: "missing-before" });
      if (hashOf(previous, { hub, day }, record) !== hash) problems.push({ sequence, hub, day, problem: "changed" });
      if (heads?.get(hub) === hash) reached.add(hub);
      ends.set(hub, kept);
      return problems;
    },
    end() {
      const missed = [...(heads ?? [])].filter(
        ([hub, hash]) => !reached.has(hub) && hash !== (anchors?.get(hub) ?? ""),
      );
      return missed.map(([hub]) => {
        const { sequence = 0, day = "" } = ends.get(hub) ?? {};
        return { sequence, hub, day, problem: "missing-after" };
      });
    },
    heads: () => new Map([...ends].map(([hub, { hash }]) => [hub, hash])),
  };
}

function hashOf(previous: string, place: { readonly hub: string; readonly day: string }, record: AuditRecord): string {
  return hash("sha256", `${previous}\n${canonicalJson({ ...record, ...place })}`);
}

/** JSON that is the same for equal values, in whichever order their fields stand. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    if (value[name] !== undefined) fields.push(`${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  }
  return `{${fields.join(",")}}`;
}
