import { defaultLimits } from "../../wire/index.ts";
import type { JsonObject, Limits, OnOver } from "../../wire/index.ts";
import { homeOf, homeTime, isElsewhere, nobody, notFound, tooLarge } from "./port/store.ts";
import type {
  RecordKind,
  Store,
  StoredRecord,
  AuditQuery,
  AuditRecord,
  KeptAuditRecord,
  Undigested,
} from "./port/store.ts";
import { titleOf } from "./port/title-of.ts";
import { chainLink, chainStart, digestRecords } from "./port/audit-chain.ts";
import type { ChainEnd } from "./port/audit-chain.ts";
import { organisationOf } from "../common/principals.ts";

export interface MemoryStoreOptions {
  readonly limits?: Pick<Limits, "conversationBytes" | "conversationsPerPrincipal">;
  readonly now?: () => number;
  /** Max bytes of messages; beyond it, the least recently changed conversations are dropped. */
  readonly bytes?: number;
}

interface Kept {
  readonly principal: string;
  readonly origin: string | undefined;
  readonly id: string;
  /** As JSON, so that callers cannot mutate it. */
  readonly texts: readonly string[];
  readonly bytes: number;
  readonly changedAt: number;
}

interface KeptRecord {
  readonly principal: string;
  readonly forgetAt: number;
  /** As JSON, so that callers cannot mutate it. */
  readonly text: string;
}

/** The days of a month. */
const usageDays = 31;

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { limits = defaultLimits, now = Date.now, bytes: maxBytes = 256 * 1024 * 1024 } = options;
  /** Least recently changed first. */
  const kept = new Map<string, Kept>();
  const homes = createMemoryHomes(now);
  /** By day and principal. */
  const used = new Map<string, Map<string, number>>();
  let bytes = 0;
  let onOver: OnOver = () => {};

  const nameOf = ({ principal, id }: { principal: string; id: string }) => `${id} ${principal}`;
  const of = (principal: string) => [...kept.values()].filter((one) => one.principal === principal).reverse();

  function forget(one: Kept | undefined): void {
    if (one && kept.delete(nameOf(one))) bytes -= one.bytes;
  }

  function makeRoom(principal: string): void {
    if (of(principal).length > limits.conversationsPerPrincipal) {
      forget(of(principal).at(-1));
      onOver("conversationsPerPrincipal");
    }
    for (const oldest of kept.values()) if (bytes > maxBytes && kept.size > 1) forget(oldest);
  }

  return {
    async read(key) {
      const one = kept.get(nameOf(key));
      return one && { messages: one.texts.map((text) => JSON.parse(text)), origin: one.origin };
    },
    async write(key, { keep, messages, origin, hub }) {
      if (hub !== undefined && homes.take(homeOf(key), hub) !== hub) throw isElsewhere();
      const known = kept.get(nameOf(key));
      if (keep > (known?.texts.length ?? 0)) throw notFound();
      const texts = [...(known?.texts.slice(0, keep) ?? []), ...messages.map((message) => JSON.stringify(message))];
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      if (size > limits.conversationBytes) throw tooLarge(limits.conversationBytes);
      forget(known);
      bytes += size;
      const from = known ? known.origin : origin;
      kept.set(nameOf(key), { ...key, origin: from, texts, bytes: size, changedAt: now() });
      makeRoom(key.principal);
    },
    list: async (principal) =>
      of(principal)
        .filter(({ texts }) => texts.length > 0)
        .map(({ id, origin, texts, changedAt }) => ({
          id,
          title: titleOf(parsed(texts)),
          origin,
          changedAt,
        })),
    async remove(key, hub) {
      if (hub !== undefined) homes.free(homeOf(key), hub);
      forget(kept.get(nameOf(key)));
    },
    tokens: async (principal, since) =>
      [...used].reduce((sum, [day, of]) => sum + (day >= since ? (of.get(principal) ?? 0) : 0), 0),
    async addTokens(principal, day, tokens) {
      const of = used.get(day) ?? new Map<string, number>();
      used.set(day, of.set(principal, (of.get(principal) ?? 0) + tokens));
      for (const oldest of used.keys()) if (used.size > usageDays) used.delete(oldest);
    },
    ...createMemoryRecords(now),
    keys: undefined,
    homes: {
      take: async (name, hub, from) => homes.take(name, hub, from),
      find: async (name) => homes.find(name),
      leave: async (name, hub) => homes.leave(name, hub),
    },
    ...createMemoryAudit(),
    health: () => ({ isOk: true }),
    onOver: (listener) => void (onOver = listener),
    close: async () => {},
  };
}

function createMemoryRecords(
  now: () => number,
): Pick<Store, "record" | "records" | "recordsAfter" | "replaceRecord" | "setRecord"> {
  const kept = new Map<RecordKind, Map<string, KeptRecord>>();
  return {
    async record(kind, key) {
      const one = kept.get(kind)?.get(key);
      return one && (JSON.parse(one.text) as StoredRecord);
    },
    async records(kind, principal) {
      const all = [...(kept.get(kind) ?? [])].filter(([, one]) => one.principal === principal);
      return new Map(all.map(([key, { text }]) => [key, JSON.parse(text) as StoredRecord]));
    },
    async recordsAfter(kind, principal, { after, limit }) {
      const all = [...(await this.records(kind, principal))].filter(([key]) => after === undefined || key > after);
      return new Map(all.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit));
    },
    async setRecord(kind, key, record) {
      const all = kept.get(kind) ?? new Map<string, KeptRecord>();
      kept.set(kind, all);
      all.delete(key);
      for (const [old, { forgetAt }] of all) if (forgetAt <= now()) all.delete(old);
      if (!record) return;
      const { principal, forgetAt = Infinity } = record;
      all.set(key, { principal, forgetAt, text: JSON.stringify(record) });
    },
    async replaceRecord(kind, key, { before, after }) {
      if (kept.get(kind)?.get(key)?.text !== JSON.stringify(before)) return false;
      await this.setRecord(kind, key, after);
      return true;
    },
  };
}

function createMemoryHomes(now: () => number) {
  /** Least recently used first. */
  const homes = new Map<string, { readonly hub: string; readonly used: number }>();
  return {
    take(name: string, hub: string, from?: string): string {
      for (const [old, { used }] of homes) {
        if (used >= now() - homeTime) break;
        homes.delete(old);
      }
      const known = homes.get(name)?.hub;
      if (known !== undefined && known !== hub && known !== from) return known;
      homes.delete(name);
      homes.set(name, { hub, used: now() });
      return hub;
    },
    find: (name: string) => homes.get(name)?.hub,
    leave(name: string, hub: string): void {
      if (homes.get(name)?.hub === hub) homes.delete(name);
    },
    free(name: string, hub: string): void {
      const known = homes.get(name);
      if (known && known.hub !== hub) homes.set(name, { ...known, hub: nobody });
    },
  };
}

function* parsed(texts: readonly string[]): Iterable<JsonObject> {
  for (const text of texts) yield JSON.parse(text) as JsonObject;
}

/** Max records, and max bytes of undigested payloads; the oldest are dropped. */
const maxRecords = 1000;
const maxBytes = 1024 * 1024;

const fields = ["principal", "name", "agent", "origin", "outcome"] as const;

interface Batch {
  readonly records: readonly AuditRecord[];
  readonly undigested: Undigested | undefined;
}

/** An audit in memory. The chain is computed when it is read, which is rare for a store without a database. */
function createMemoryAudit(): Pick<Store, "addAudit" | "audit"> {
  const batches: Batch[] = [];
  let kept = 0;
  let bytes = 0;
  let dropped = 0;

  function makeRoom(): void {
    while (batches.length > 1 && (kept > maxRecords || bytes > maxBytes)) {
      const { records, undigested } = batches.shift() ?? { records: [], undigested: undefined };
      kept -= records.length;
      dropped += records.length;
      bytes -= undigested?.bytes.length ?? 0;
    }
  }

  function chain(): readonly KeptAuditRecord[] {
    let end: ChainEnd = chainStart;
    const records = batches.flatMap(({ records, undigested }) =>
      undigested ? digestRecords(records, undigested) : records,
    );
    return records.map((record, at) => {
      const link = chainLink(end, "memory", record);
      end = link;
      // A JSON copy, so that callers cannot mutate it.
      const copy = JSON.parse(JSON.stringify(record)) as AuditRecord;
      return { ...copy, ...link, hub: "memory", sequence: dropped + at + 1 };
    });
  }

  return {
    async addAudit(records, undigested) {
      batches.push({ records, undigested: undigested && { ...undigested, bytes: undigested.bytes.slice() } });
      kept += records.length;
      bytes += undigested?.bytes.length ?? 0;
      makeRoom();
    },
    async audit(query) {
      const found = chain().filter((record) => isAskedFor(record, query));
      return (query.after === undefined ? found.reverse() : found).slice(0, query.limit);
    },
  };
}

/** `isOwn` always holds here. */
function isAskedFor(
  record: KeptAuditRecord,
  { kinds, organisation, since, until, after = 0, before = Infinity, ...query }: AuditQuery,
): boolean {
  const at = Date.parse(record.at);
  return (
    record.sequence > after &&
    record.sequence < before &&
    (kinds === undefined || kinds.includes(record.kind)) &&
    (organisation === undefined || organisation === organisationOf(record.principal)) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at <= Date.parse(until)) &&
    (!query.isFailure || record.outcome !== "ok") &&
    fields.every((field) => query[field] === undefined || query[field] === (record[field] ?? ""))
  );
}
