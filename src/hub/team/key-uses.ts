// When keys were last used. They are records of their own, written once a minute, so that a use is no change of the account.
import type { RecordStore } from "../store/index.ts";

export interface KeyUses {
  /** Notes a use of a principal's key, by its digest. */
  note(whose: string, key: string): void;
  /** Forgets the uses of a key that is gone: people make and remove as many as they like. */
  forget(key: string): void;
  /** The last uses of a principal's keys, in milliseconds since 1970. */
  of(whose: string): Promise<ReadonlyMap<string, number>>;
}

const writeInterval = 60_000;
/** How long a use is kept: longer than a key can be good. */
const useTime = 400 * 24 * 60 * 60 * 1000;
const most = 10_000;

interface Use {
  readonly whose: string;
  usedAt: number;
  savedAt: number;
}

export function createKeyUses(store: Pick<RecordStore, "records" | "setRecord">, now: () => number): KeyUses {
  const uses = new Map<string, Use>();
  return {
    note(whose, key) {
      const use = uses.get(key) ?? { whose, usedAt: 0, savedAt: 0 };
      use.usedAt = now();
      if (uses.size >= most && !uses.has(key)) uses.clear();
      uses.set(key, use);
      if (use.usedAt - use.savedAt < writeInterval) return;
      use.savedAt = use.usedAt;
      const record = { principal: whose, usedAt: use.usedAt, forgetAt: use.usedAt + useTime };
      // Not awaited; if the write fails, a later use is noted.
      store.setRecord("service-uses", key, record).catch(() => {});
    },
    forget(key) {
      uses.delete(key);
      // One that stays is forgotten with its time.
      store.setRecord("service-uses", key, undefined).catch(() => {});
    },
    async of(whose) {
      const found = new Map<string, number>();
      for (const [key, { usedAt }] of await store.records("service-uses", whose))
        if (typeof usedAt === "number") found.set(key, usedAt);
      for (const [key, use] of uses) if (use.whose === whose) found.set(key, Math.max(use.usedAt, found.get(key) ?? 0));
      return found;
    },
  };
}
