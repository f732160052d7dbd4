// Finds a principal's calls in the audit. Filters that the store does not index are applied here, to a bounded number of
// records for each request.
import { createHmac, createCipheriv, createDecipheriv } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import { followAudit, newestIn } from "../../audit/follow-audit.ts";
import type { ResolvedOptions } from "../../options/options.ts";
import type { AuditQuery, KeptAuditRecord, Store } from "../../store/index.ts";
import { readAuditFilter, readPageFilter, readStreamFilter, readSummaryFilter } from "./call-filters.ts";
import type { CallFilter, FilterScope, PageFilter } from "./call-filters.ts";
import { CallSummary, noCalls } from "./call-summary.ts";
import type { SummaryOfCalls } from "./call-summary.ts";
import { refused } from "./read-filters.ts";

const algorithm = "aes-128-ecb";
/** One block: zeros, which no forged id decrypts to, and the number. */
const blockBytes = 16;
const zeroBytes = 8;

/**
 * The ids of recorded calls. A record's number counts the records of all principals, so it is encrypted: an id reveals
 * nothing, and stays the same for as long as the audit has its key, or all hubs theirs.
 */
export class CallIds {
  readonly #secret: () => string;

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  get #key(): Buffer {
    return createHmac("sha256", this.#secret()).update("ids of calls").digest().subarray(0, blockBytes);
  }

  seal(sequence: number): string {
    const block = Buffer.alloc(blockBytes);
    block.writeBigUInt64BE(BigInt(sequence), zeroBytes);
    return createCipheriv(algorithm, this.#key, null).setAutoPadding(false).update(block).toString("hex");
  }

  /** Undefined for a text that is no id. */
  open(id: string): number | undefined {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
    const block = createDecipheriv(algorithm, this.#key, null).setAutoPadding(false).update(Buffer.from(id, "hex"));
    const sequence = Number(block.readBigUInt64BE(zeroBytes));
    return block.readBigUInt64BE(0) === 0n && Number.isSafeInteger(sequence) ? sequence : undefined;
  }
}

/** Records that one request examines, and how many of them at once: the store and the other clients go on in between. */
const maxExamined = 10_000;
const atOnce = 250;

/** Searches of one principal at one time. */
const maxSearches = 4;

interface Shown {
  readonly id: string;
}

/** The calls before `before` are the next page; null where there are none. Those after `after` are newer ones. */
interface CallPage {
  readonly isRecorded: boolean;
  readonly calls: readonly object[];
  readonly before: string | null;
  readonly after: string | null;
}

const nothing: CallPage = { isRecorded: false, calls: [], before: null, after: null };

/** A search from a record's number, backwards or forwards. */
interface Walk {
  readonly filter: CallFilter;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** How many more records are wanted, if the store applies all filters. */
  readonly wanted?: () => number;
  /** Examines no more once its client is gone. */
  readonly isOpen: () => boolean;
}

export class FindCalls {
  readonly #store: Pick<Store, "audit">;
  readonly #audit: Exclude<ResolvedOptions["audit"], "none"> | undefined;
  readonly #ids: CallIds;
  readonly #isAlone: boolean;
  readonly #searches = new Map<string, number>();

  constructor(
    store: Pick<Store, "audit">,
    { audit, jwt }: Pick<ResolvedOptions, "audit" | "jwt">,
    hubsKey?: () => string,
  ) {
    this.#store = store;
    this.#audit = audit === "none" ? undefined : audit;
    this.#ids = new CallIds(() => hubsKey?.() ?? this.#audit?.key ?? "");
    this.#isAlone = jwt === undefined;
  }

  /** The call with this id. */
  async one(principal: string, id: string): Promise<object> {
    const sequence = this.#audit && this.#ids.open(id);
    const query = { principal, kinds: ["call"], limit: 1 } as const;
    const [record] = sequence === undefined ? [] : await this.#store.audit({ ...query, before: sequence + 1 });
    if (record && record.sequence === sequence) return this.#shown(record);
    throw new PagewireError("route-not-found", "There is no call with this id, or not any more.");
  }

  /** The calls that a request's filters select: the latest, or the first after another. */
  async page(principal: string, request: IncomingMessage, isOpen: () => boolean): Promise<CallPage> {
    return this.#found(principal, readPageFilter(request, this.#scopeOf({ principal })), isOpen);
  }

  /** The records of all principals of an organisation that a request's filters select, for an admin of it. */
  async ofAll(organisation: string, request: IncomingMessage, isOpen: () => boolean): Promise<CallPage> {
    return this.#found(organisation, readAuditFilter(request, this.#scopeOf({ organisation })), isOpen);
  }

  /**
   * The same records as they are written, until the signal: after one, since a time, or from now on. Throws for a wrong filter
   * before it begins.
   */
  follow(organisation: string, request: IncomingMessage, signal: AbortSignal): AsyncIterable<readonly Shown[]> {
    const filter = readStreamFilter(request, this.#scopeOf({ organisation }));
    const after = this.#place("after", filter.after);
    if (!this.#audit) throw new PagewireError("route-not-found", "This hub keeps no audit.");
    return this.#followed(filter, after, signal);
  }

  async *#followed(
    { query, matches }: CallFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Shown[]> {
    const reader = this.#store;
    const from = after ?? (query.since === undefined ? await newestIn(reader) : 0);
    const [known] = after === undefined ? [] : await reader.audit({ ...query, before: after + 1, limit: 1 });
    // Of another hub than the known one some may have been written later, with lower numbers.
    const isKnown = ({ hub }: KeptAuditRecord) => known === undefined || known.sequence !== after || hub === known.hub;
    for await (const records of followAudit(reader, { filter: query, from, isKnown, signal, atOnce }))
      yield records.filter((record) => matches?.(record) !== false).map((record) => this.#shown(record));
  }

  async #found(whose: string, filter: PageFilter, isOpen: () => boolean): Promise<CallPage> {
    const before = this.#place("before", filter.before);
    const after = this.#place("after", filter.after);
    if (before !== undefined && after !== undefined) throw refused("after", "is given with before: leave one out.");
    if (!this.#audit) return nothing;
    return this.#limited(whose, () => this.#page({ filter, before, after, isOpen }, filter));
  }

  /** How many calls a request's filters select, when they ended, and how long those of each tool took. */
  async summary(principal: string, request: IncomingMessage, isOpen: () => boolean): Promise<SummaryOfCalls> {
    const filter = readSummaryFilter(request, this.#scopeOf({ principal }));
    if (!this.#audit) return noCalls;
    return this.#limited(principal, async () => {
      const summary = new CallSummary(filter);
      let left = maxExamined;
      for await (const record of this.#examine({ filter, isOpen })) {
        left--;
        if (filter.matches?.(record) === false) summary.examined(record.at);
        else summary.add(record);
      }
      return summary.end(left > 0);
    });
  }

  #scopeOf(whose: FilterScope["whose"]): FilterScope {
    return { whose, key: this.#audit?.key ?? "" };
  }

  /** The number of the record with this id. */
  #place(name: "before" | "after", id: string | undefined): number | undefined {
    const sequence = id === undefined ? undefined : this.#ids.open(id);
    if (id !== undefined && sequence === undefined)
      throw refused(name, "must be the id of a call, as an answer has it.");
    return sequence;
  }

  async #limited<Value>(principal: string, search: () => Promise<Value>): Promise<Value> {
    const running = this.#searches.get(principal) ?? 0;
    if (running >= maxSearches) {
      const message = `${maxSearches} searches for calls of one user are running. Try again in a second.`;
      throw new PagewireError("requests-too-many", message, { retryAfter: 1000 });
    }
    this.#searches.set(principal, running + 1);
    try {
      return await search();
    } finally {
      const left = (this.#searches.get(principal) ?? 1) - 1;
      if (left > 0) this.#searches.set(principal, left);
      else this.#searches.delete(principal);
    }
  }

  async #page(walk: Walk, { matches, limit }: PageFilter): Promise<CallPage> {
    const calls: object[] = [];
    let [newest, oldest] = [walk.after, walk.before];
    let isLast = true;
    let left = maxExamined;
    for await (const record of this.#examine({ ...walk, wanted: () => limit - calls.length })) {
      left--;
      newest = Math.max(newest ?? 0, record.sequence);
      oldest = Math.min(oldest ?? Infinity, record.sequence);
      if (matches?.(record) === false) continue;
      calls.push(this.#shown(record));
      isLast = calls.length < limit;
      if (!isLast) break;
    }
    const hasMore = walk.after === undefined && (!isLast || left === 0);
    return {
      isRecorded: true,
      calls,
      before: hasMore && oldest !== undefined ? this.#ids.seal(oldest) : null,
      after: newest === undefined ? null : this.#ids.seal(newest),
    };
  }

  /** The records of a query, a few at a time, and not more than a request may examine. */
  async *#examine({ filter, isOpen, wanted, ...from }: Walk): AsyncGenerator<KeptAuditRecord> {
    const { query, matches } = filter;
    const isForward = from.after !== undefined;
    let place = from.after ?? from.before;
    for (let left = maxExamined; left > 0 && isOpen();) {
      const limit = Math.min(atOnce, left, matches || !wanted ? Infinity : wanted());
      const at: Pick<AuditQuery, "after" | "before"> =
        place === undefined ? {} : isForward ? { after: place } : { before: place };
      const records = await this.#store.audit({ ...query, limit, ...at });
      yield* records;
      place = records.at(-1)?.sequence ?? place;
      left -= records.length;
      if (records.length < limit) return;
    }
  }

  /** Of several principals' records, the place in the chain would show how many others have. */
  #shown(record: KeptAuditRecord): Shown {
    const id = this.#ids.seal(record.sequence);
    if (this.#isAlone) return { id, ...record };
    const { sequence: _, day: __, hub: ___, previous: ____, hash: _____, ...own } = record;
    return { id, ...own };
  }
}
