// Wraps a store for the rest of the hub: errors become safe to show to any user, outages are logged when they begin and end,
// and failures are counted.
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Clock } from "../../link/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { Metrics, NotSaved } from "../common/metrics.ts";
import type { Later } from "./later.ts";
import type { KeyLedger, Store, StoreHealth } from "./port/store.ts";
import { reasonWords } from "./port/store.ts";

export interface WatchOptions {
  readonly note: Note;
  readonly metrics: Pick<Metrics, "storeFailed" | "notSaved" | "overBudget">;
  readonly later: Later;
  readonly clock: Clock;
}

type Kind = "read" | "write";

/** The retry-after of rejected operations, in milliseconds. */
const retryAfter = 5000;
/** How long the store must work before recovery is logged: a nearly full disk accepts some writes and rejects others. */
const settleTime = 5000;

export function watchStore(store: Store, options: WatchOptions): Store {
  const outage = new Outage(store, options);
  const { metrics } = options;

  function watch<Given extends readonly unknown[], Value>(kind: Kind, work: (...given: Given) => Promise<Value>) {
    return async (...given: Given): Promise<Value> => {
      try {
        const value = await work(...given);
        outage.works(kind);
        return value;
      } catch (error) {
        throw outage.failed(kind, error);
      }
    };
  }

  function counted<Given extends readonly unknown[], Value>(what: NotSaved, work: (...given: Given) => Promise<Value>) {
    return (...given: Given): Promise<Value> =>
      work(...given).catch((error: unknown) => {
        metrics.notSaved(what);
        throw error;
      });
  }

  function watchKeys(keys: KeyLedger): KeyLedger {
    return {
      get isNew() {
        return keys.isNew;
      },
      use: counted("key", watch("write", keys.use.bind(keys))),
      find: watch("read", keys.find.bind(keys)),
      end: counted("outcome", watch("write", keys.end.bind(keys))),
      free: watch("write", keys.free.bind(keys)),
    };
  }

  const watched: Store = {
    read: watch("read", store.read.bind(store)),
    write: watch("write", store.write.bind(store)),
    list: watch("read", store.list.bind(store)),
    remove: watch("write", store.remove.bind(store)),
    tokens: watch("read", store.tokens.bind(store)),
    addTokens: watch("write", store.addTokens.bind(store)),
    record: watch("read", store.record.bind(store)),
    records: watch("read", store.records.bind(store)),
    recordsAfter: watch("read", store.recordsAfter.bind(store)),
    setRecord: watch("write", store.setRecord.bind(store)),
    replaceRecord: watch("write", store.replaceRecord.bind(store)),
    keys: store.keys && watchKeys(store.keys),
    homes: {
      take: watch("write", store.homes.take.bind(store.homes)),
      find: watch("read", store.homes.find.bind(store.homes)),
      leave: watch("write", store.homes.leave.bind(store.homes)),
    },
    addAudit: watch("write", store.addAudit.bind(store)),
    audit: watch("read", store.audit.bind(store)),
    health: () => outage.health(),
    close() {
      outage.close();
      return store.close();
    },
  };
  // Probes for recovery, because there may be no other writes.
  outage.start(() => watched.addTokens("", "1970-01-01", 0));
  store.onOver?.(metrics.overBudget);
  return watched;
}

/** The current outage. The log has its beginning, each other failure once, and its end. */
class Outage {
  readonly #store: Store;
  readonly #options: WatchOptions;
  /** The current failures, for the hub's owner, by source: the store itself, or an operation. */
  readonly #problems = new Map<Kind | "store", string>();
  /** The failures that were logged. */
  readonly #logged = new Set<string>();
  #stopSettling: (() => void) | undefined;
  #probe = async () => {};

  constructor(store: Store, options: WatchOptions) {
    this.#store = store;
    this.#options = options;
  }

  start(probe: () => Promise<void>): void {
    this.#probe = probe;
    this.#store.onHealth?.(() => this.#check());
    if (!this.#store.health().isOk) this.#check();
  }

  works(what: Kind | "store"): void {
    if (this.#problems.size === 0) return;
    // A successful write implies that reads work.
    if (what === "read") this.#problems.delete(what);
    else this.#problems.clear();
    if (this.#problems.size > 0) return;
    const { later, clock, note } = this.#options;
    later.now();
    this.#stopSettling ??= clock.after(settleTime, () => {
      this.#stopSettling = undefined;
      this.#logged.clear();
      note("info", "store-works");
    });
  }

  /** Returns the error for the operation's caller, which may be any user. */
  failed(kind: Kind, error: unknown): unknown {
    if (PagewireError.isInstance(error) && !ownCodes.includes(error.code)) return error;
    const { metrics, note } = this.#options;
    const code = PagewireError.isInstance(error) && error.code === "store-damaged" ? error.code : "not-saved";
    metrics.storeFailed(code);
    const { isOk, reason } = this.#store.health();
    // A damaged item is not a failure of the store.
    const isOne = kind === "read" && code === "store-damaged" && isOk;
    if (isOne) note("error", "store-failed", { code, message: messageOf(error) });
    else this.#fails(kind, code, messageOf(error));
    const again = code === "not-saved" ? { retryAfter } : {};
    return new PagewireError(code, messageFor(kind, code, reason), { cause: error, ...again });
  }

  health(): StoreHealth {
    const [problem] = this.#problems.values();
    const health = this.#store.health();
    return problem === undefined || !health.isOk ? health : { ...health, isOk: false, problem };
  }

  close(): void {
    this.#stopSettling?.();
  }

  #check(): void {
    const { isOk, reason, problem = "It does not say why." } = this.#store.health();
    if (isOk) this.works("store");
    else this.#fails("store", reason === "damaged" ? "store-damaged" : "not-saved", problem);
  }

  #fails(what: Kind | "store", code: ErrorCode, message: string): void {
    const { note, later } = this.#options;
    this.#stopSettling?.();
    this.#stopSettling = undefined;
    const failure = `${code} ${this.#store.health().reason}`;
    if (!this.#logged.has(failure)) note("error", "store-failed", { code, message });
    this.#logged.add(failure);
    this.#problems.set(what, message);
    later.add(this.#probe);
  }
}

function messageFor(kind: Kind, code: ErrorCode, reason: StoreHealth["reason"]): string {
  if (code === "store-damaged") return "The hub's stored data for this cannot be read. Its log says why.";
  const what = kind === "write" ? "saved" : "read";
  return `This cannot be ${what} at the moment${reasonWords(reason)}. Try again in a while.`;
}

/** The codes of failures of the store itself, as opposed to invalid requests. */
const ownCodes: readonly ErrorCode[] = ["not-saved", "store-damaged", "internal-error"];
