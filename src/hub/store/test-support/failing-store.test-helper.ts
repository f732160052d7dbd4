import { PagewireError } from "../../../wire/index.ts";
import { createMemoryStore } from "../memory-store.ts";
import type { KeyLedger, Store, StoreReason } from "../port/store.ts";

export interface FailingStore extends Store {
  /** Undefined while it works. */
  failure: StoreReason | undefined;
  failsToRead: boolean;
  /** The number of attempted writes, and of saved ones. */
  readonly writes: { tried: number; kept: number };
}

/** The reason of a failure, which only the hub's owner may see. */
export const secretPlace = "/secret/place";

/** A store, by default in memory, that fails on demand. */
export function createFailingStore(store: Store = createMemoryStore()): FailingStore {
  const writes = { tried: 0, kept: 0 };

  function check(): void {
    const { failure } = failing;
    if (failure === undefined) return;
    const code = failure === "damaged" ? "store-damaged" : "not-saved";
    throw new PagewireError(code, `${secretPlace}: ${failure}`);
  }

  function reading<Given extends readonly unknown[], Value>(read: (...given: Given) => Promise<Value>) {
    return async (...given: Given): Promise<Value> => {
      if (failing.failsToRead) check();
      return read(...given);
    };
  }

  function writing<Given extends readonly unknown[], Value>(write: (...given: Given) => Promise<Value>) {
    return async (...given: Given): Promise<Value> => {
      writes.tried++;
      check();
      const value = await write(...given);
      writes.kept++;
      return value;
    };
  }

  const keysOf = (keys: KeyLedger): KeyLedger => ({
    isNew: keys.isNew,
    use: writing(keys.use),
    find: reading(keys.find),
    end: writing(keys.end),
    free: writing(keys.free),
  });

  const failing: FailingStore = {
    failure: undefined,
    failsToRead: false,
    writes,
    read: reading(store.read),
    write: writing(store.write),
    list: reading(store.list),
    remove: writing(store.remove),
    tokens: reading(store.tokens),
    addTokens: writing(store.addTokens),
    record: reading(store.record),
    records: reading(store.records),
    recordsAfter: reading(store.recordsAfter.bind(store)),
    setRecord: writing(store.setRecord),
    replaceRecord: writing(store.replaceRecord.bind(store)),
    keys: store.keys && keysOf(store.keys),
    homes: {
      take: writing(store.homes.take),
      find: reading(store.homes.find),
      leave: writing(store.homes.leave),
    },
    addAudit: writing(store.addAudit),
    audit: reading(store.audit),
    health() {
      const { failure } = failing;
      if (failure === undefined) return store.health();
      return { isOk: false, problem: `${secretPlace}: ${failure}`, reason: failure };
    },
    close: () => store.close(),
  };
  return failing;
}
