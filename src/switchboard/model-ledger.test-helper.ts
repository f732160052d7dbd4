// A simulated ledger that outlives every hub of its world: slow, sometimes failing, sometimes after the write took effect.
import type { Clock } from "../link/index.ts";
import type { Outcome } from "../wire/index.ts";
import type { KeyLedger, KeyUse, UsedKey } from "./key-ledger.ts";
import type { Chaos } from "./model-network.test-helper.ts";
import type { Planted } from "./model-planted.test-helper.ts";

export interface SimulatedLedger {
  /** One hub's view. When the hub is killed or closes it, all pending operations take effect. */
  forHub(): { readonly ledger: KeyLedger; kill(): void; close(): void };
}

interface Row extends KeyUse {
  readonly at: number;
  readonly outcome?: Outcome;
}

/** An operation takes effect after at most this time, and is answered after at most as long again. */
const longest = 400;

/** The longest duration of an operation. */
export const slowest = 2 * longest;

interface LedgerOptions {
  readonly clock: Clock;
  readonly random: (below: number) => number;
  readonly chaos: Chaos;
  readonly planted: Planted | undefined;
}

export function createSimulatedLedger({ clock, random, chaos, planted }: LedgerOptions): SimulatedLedger {
  const rows = new Map<string, Row>();
  const durations = [0, 0, 1, 20, longest];

  function usedKey(row: Row | undefined, fingerprint: string): UsedKey | undefined {
    if (!row) return undefined;
    const { call, tab, epoch, outcome, at } = row;
    return { call, tab, epoch, outcome, isSameCall: row.fingerprint === fingerprint, age: clock.now() - at };
  }

  function use(name: string, { fingerprint, ...given }: KeyUse): UsedKey | undefined {
    const known = rows.get(name);
    if (known && (known.outcome || known.call !== given.call)) return usedKey(known, fingerprint);
    if (planted === "keys not written" || (planted === "written for one tab only" && known)) return undefined;
    rows.set(name, { fingerprint, ...given, at: clock.now() });
    return undefined;
  }

  function forHub(): ReturnType<SimulatedLedger["forHub"]> {
    let isAlive = true;
    let isClosed = false;
    const due = new Set<() => void>();

    /** An operation takes effect some time after its request, and is answered some time after that. */
    function later<Value>(perform: () => Value): Promise<Value> {
      if (isClosed) return Promise.reject(new Error("The ledger is closed."));
      const isFailing = random(100) < chaos.failures;
      const takesEffect = !isFailing || random(2) === 0;
      const [before, after] = [random(2), random(2)].map((share) => share * (durations[random(5)] ?? 0));
      return new Promise((resolve, reject) => {
        const take = () => {
          if (!due.delete(take) || !isAlive) return;
          const value = takesEffect ? perform() : undefined;
          clock.after(after ?? 0, () => {
            if (!isAlive) return;
            if (isFailing) reject(new Error("The ledger failed."));
            else resolve(value as Value);
          });
        };
        due.add(take);
        clock.after(before ?? 0, take);
      });
    }

    const nameOf = (principal: string, key: string) => `${principal} ${key}`;
    const ledger: KeyLedger = {
      isNew: false,
      use: (principal, key, given) => later(() => use(nameOf(principal, key), given)),
      find: (principal, key, fingerprint) => later(() => usedKey(rows.get(nameOf(principal, key)), fingerprint)),
      end: (principal, key, outcome) =>
        later(() => {
          const row = rows.get(nameOf(principal, key));
          if (row && planted !== "outcomes not written") rows.set(nameOf(principal, key), { ...row, outcome });
        }),
      free: (principal, key) => later(() => void rows.delete(nameOf(principal, key))),
    };
    return {
      ledger,
      kill() {
        isAlive = false;
      },
      close() {
        isClosed = true;
        for (const take of due) take();
      },
    };
  }

  return { forHub };
}
