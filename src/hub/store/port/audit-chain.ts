// The hash chain of a hub's audit records. Each hash covers the previous one, so a changed or missing record is detected.
// The chain continues across days. Pure.
import { hash, createHmac } from "node:crypto";
import { isJsonObject } from "../../../wire/index.ts";
import type { AuditRecord, KeptAuditRecord, Undigested } from "./store.ts";

const fields = ["argumentsDigest", "resultDigest", "key"] as const;

/** Computes the records' missing digests, off the path of calls. */
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

/** The end of a chain; "" before its first record. */
export interface ChainEnd {
  readonly day: string;
  readonly hash: string;
}

/** The fields that link a record into the chain. */
export type ChainLink = Pick<KeptAuditRecord, "day" | "previous" | "hash">;

export const chainStart: ChainEnd = { day: "", hash: "" };

/** Days never go back, even if the clock was set back. */
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
  /** The hash before each hub's first record, where earlier records were pruned. */
  readonly anchors?: ReadonlyMap<string, string>;
  /** The hash of each hub's last record. */
  readonly heads?: ReadonlyMap<string, string>;
}

/** The first problem in records in ascending order, of one or several hubs. Without bounds they may be any part of a chain. */
export function verifyChain(records: Iterable<KeptAuditRecord>, bounds: ChainBounds = {}): readonly ChainProblem[] {
  const check = createChainCheck(bounds);
  const problems: ChainProblem[] = [];
  for (const record of records) problems.push(...check.add(record));
  return [...problems, ...check.end()];
}

/** Verifies a chain record by record. */
export interface ChainCheck {
  add(record: KeptAuditRecord): readonly ChainProblem[];
  /** The problem at the end, if any: every known head must have occurred. Newer records may follow it. */
  end(): readonly ChainProblem[];
  /** The hash of each hub's last record so far. */
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

/** JSON with sorted keys. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    if (value[name] !== undefined) fields.push(`${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  }
  return `{${fields.join(",")}}`;
}
