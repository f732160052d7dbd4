// Wraps a store for the rest of the hub: errors become safe to show to any user, outages are logged when they begin and end,
// and failures are counted.
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Clock } from "../../link/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { Metrics, NotSaved } from "../common/metrics.ts";
import type { Later } from "./later.ts";
import type { KeyLedger, Store } from "./port/store.ts";
import { reasonWords } from "./port/store-reasons.ts";

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

export function watchStore(store: Store, { note, metrics, later, clock }: WatchOptions): Store {
  /** The current failures, for the hub's owner, by source: the store itself, or an operation. */
  const problems = new Map<Kind | "store", string>();

  /** The failures logged in this outage. */
  const told = new Set<string>();
  let stopSettling: (() => void) | undefined;

  /** Probes for recovery, because there may be no other writes. */
  const probe = () => watched.addTokens("", "1970-01-01", 0);

  function fails(what: Kind | "store", code: ErrorCode, message: string): void {
    stopSettling?.();
    stopSettling = undefined;
    const kindOf = `${code} ${store.health().reason}`;
    if (!told.has(kindOf)) note("error", "store-failed", { code, message });
    told.add(kindOf);
    problems.set(what, message);
    later.add(probe);
  }

  function works(what: Kind | "store"): void {
    const hadFailed = problems.size > 0;
    // A successful write implies that reads work.
    if (what === "read") problems.delete(what);
    else problems.clear();
    if (!hadFailed || problems.size > 0) return;
    later.now();
    stopSettling ??= clock.after(settleTime, () => {
      stopSettling = undefined;
      told.clear();
      note("info", "store-works");
    });
  }

  function look(): void {
    const { isOk, reason, problem = "It does not say why." } = store.health();
    if (isOk) works("store");
    else fails("store", reason === "damaged" ? "store-damaged" : "not-saved", problem);
  }

  function failed(kind: Kind, error: unknown): unknown {
    if (PagewireError.isInstance(error) && !ownCodes.includes(error.code)) return error;
    const code = PagewireError.isInstance(error) && error.code === "store-damaged" ? error.code : "not-saved";
    metrics.storeFailed(code);
    // A damaged item is not a failure of the store.
    const isOne = kind === "read" && code === "store-damaged" && store.health().isOk;
    if (isOne) note("error", "store-failed", { code, message: messageOf(error) });
    else fails(kind, code, messageOf(error));
    const again = code === "not-saved" ? { retryAfter } : {};
    return new PagewireError(code, wordsFor(kind, code), { cause: error, ...again });
  }

  function wordsFor(kind: Kind, code: ErrorCode): string {
    if (code === "store-damaged") return "What the hub has kept of this cannot be read. Its log says why.";
    const reason = reasonWords(store.health().reason);
    const what = kind === "write" ? "saved" : "read";
    return `This cannot be ${what} at the moment${reason}. Try again in a while.`;
  }

  function watch<Given extends readonly unknown[], Value>(kind: Kind, work: (...given: Given) => Promise<Value>) {
    return async (...given: Given): Promise<Value> => {
      try {
        const value = await work(...given);
        if (problems.size > 0) works(kind);
        return value;
      } catch (error) {
        throw failed(kind, error);
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
    setRecord: watch("write", store.setRecord.bind(store)),
    keys: store.keys && watchKeys(store.keys),
    addAudit: watch("write", store.addAudit.bind(store)),
    audit: watch("read", store.audit.bind(store)),
    health() {
      const [problem] = problems.values();
      const health = store.health();
      return problem === undefined || !health.isOk ? health : { ...health, isOk: false, problem };
    },
    close() {
      stopSettling?.();
      return store.close();
    },
  };
  store.onHealth?.(look);
  store.onOver?.(metrics.overBudget);
  if (!store.health().isOk) look();
  return watched;
}

/** The codes of failures of the store itself, as opposed to invalid requests. */
const ownCodes: readonly ErrorCode[] = ["not-saved", "store-damaged", "internal-error"];
