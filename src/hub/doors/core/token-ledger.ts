// Counts the tokens that principals use, each for itself and for those that share a limit with it. Hubs that share a store read
// it again when another one has written.
import { endOf, firstDay, quotaExceeded, tokenPeriods } from "../../common/token-limit.ts";
import type { TokenLimit, TokensLeft } from "../../common/token-limit.ts";
import type { SharedUse } from "../../common/shared-use.ts";
import type { Later, Store } from "../../store/index.ts";

export interface TokenLedger {
  /** Loads the earlier use that a principal's limits are about. Must be awaited before other calls about the principal. */
  load(principal: string): Promise<void>;
  /** Throws if a limit of the principal is used up, counting `more` tokens that are not charged yet. */
  check(principal: string, more: number): void;
  charge(principal: string, tokens: number): void;
  /** The rest of each limit of the principal, the least first. */
  left(principal: string): readonly TokensLeft[];
}

export interface TokenLedgerOptions {
  readonly store: Pick<Store, "tokens" | "addTokens">;
  readonly later: Later;
  readonly limitsOf: (principal: string) => readonly TokenLimit[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onNotSaved: () => void;
  /** For a hub that is one of several. */
  readonly use?: SharedUse | undefined;
}

/** The length of a day's text, such as 2026-01-31. */
const dayEnd = 10;

export function createTokenLedger(options: TokenLedgerOptions): TokenLedger {
  const { store, later, limitsOf, now, onNotSaved, use } = options;
  let day = dayAt(now());
  /** By the first day that counts, and the account. */
  let used = new Map<string, number>();

  function today(): string {
    const present = dayAt(now());
    if (present === day) return day;
    day = present;
    used = new Map([...used].filter(([name]) => name.startsWith(firstDay("month", day))));
    return day;
  }

  const nameOf = ({ account, period }: TokenLimit) => `${firstDay(period, today())}${account}`;
  const usedOf = (limit: TokenLimit) => used.get(nameOf(limit)) ?? 0;

  /** Used tokens that are not written yet, by day and account. */
  const owed = new Map<string, number>();

  async function write(name: string): Promise<void> {
    const tokens = owed.get(name) ?? 0;
    if (tokens === 0) return;
    owed.delete(name);
    try {
      await store.addTokens(name.slice(dayEnd), name.slice(0, dayEnd), tokens);
    } catch (error) {
      owed.set(name, (owed.get(name) ?? 0) + tokens);
      throw error;
    }
    if (!use) return;
    use.count(name.slice(dayEnd), "tokens", tokens);
    readAgain(name.slice(dayEnd));
  }

  /** Reads the use of all hubs. What this one is writing now may not be in it yet, so it never gets less. */
  async function read(name: string): Promise<void> {
    const [since, account] = [name.slice(0, dayEnd), name.slice(dayEnd)];
    const asked = today();
    let all = await store.tokens(account, since);
    if (asked !== today()) return;
    for (const [each, tokens] of owed) if (each.slice(dayEnd) === account && each >= name) all += tokens;
    used.set(name, Math.max(used.get(name) ?? 0, all));
  }

  function readAgain(account: string): void {
    for (const since of new Set(tokenPeriods.map((period) => firstDay(period, today())))) {
      // Known use stays in force without the store.
      if (used.has(`${since}${account}`)) void read(`${since}${account}`).catch(() => {});
    }
  }

  async function writeAll(): Promise<void> {
    for (const name of owed.keys()) await write(name);
  }

  use?.onCounted((account, what) => {
    if (what === "tokens") readAgain(account);
  });

  return {
    async load(principal) {
      for (const limit of limitsOf(principal)) {
        const name = nameOf(limit);
        if (used.has(name)) continue;
        await read(name).catch((error: unknown) => {
          // Without a limit the number does not matter.
          if (limit.tokens !== Infinity) throw error;
          if (!used.has(name)) used.set(name, 0);
        });
      }
    },
    check(principal, more) {
      const over = limitsOf(principal).filter((limit) => usedOf(limit) + more >= limit.tokens);
      const [last] = over.sort((one, other) => endOf(other.period, now()) - endOf(one.period, now()));
      if (last) throw quotaExceeded(last, now());
    },
    charge(principal, tokens) {
      if (!(tokens > 0)) return;
      const limits = limitsOf(principal);
      for (const name of new Set(limits.map(nameOf))) used.set(name, (used.get(name) ?? 0) + tokens);
      for (const account of new Set([principal, ...limits.map((limit) => limit.account)])) {
        const name = `${today()}${account}`;
        owed.set(name, (owed.get(name) ?? 0) + tokens);
        write(name).catch(() => {
          onNotSaved();
          later.add(writeAll);
        });
      }
    },
    left(principal) {
      const limits = limitsOf(principal).filter(({ tokens }) => tokens !== Infinity);
      return limits.map((limit) => leftOf(limit, usedOf(limit), now())).sort(leastFirst);
    },
  };
}

function leftOf(of: TokenLimit, used: number, now: number): TokensLeft {
  const { account: _, ...limit } = of;
  const newAt = new Date(endOf(limit.period, now)).toISOString();
  return { ...limit, used, left: Math.max(0, limit.tokens - used), newAt };
}

function leastFirst(one: TokensLeft, other: TokensLeft): number {
  return one.left - other.left || (one.newAt < other.newAt ? 1 : -1);
}

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, dayEnd);
}
