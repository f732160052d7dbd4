// A store as a hub's rooms see it: its failures have names and words that any user may read, its owner finds in the log
// when they begin and when they end, and metrics count them.
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

/** Milliseconds after which whoever was refused may try again. */
const retryAfter = 5000;
/** So long it must have worked before the log says so: a disk that is all but full takes this and refuses that. */
const settleTime = 5000;

export function watchStore(store: Store, { note, metrics, later, clock }: WatchOptions): Store {
  /** Why it fails at the moment, in words for the hub's owner, by what fails: the store as it says itself, or an operation. */
  const problems = new Map<Kind | "store", string>();

  /** What the log says of this time, by its kinds. */
  const told = new Set<string>();
  let stopSettling: (() => void) | undefined;

  /** Whether it works again shows by trying, also where nobody writes. */
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
    // What can be written can be read.
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
    // One thing that is damaged says nothing of the others.
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

/** Codes of what the store itself failed at; others are about what it was asked. */
const ownCodes: readonly ErrorCode[] = ["not-saved", "store-damaged", "internal-error"];
