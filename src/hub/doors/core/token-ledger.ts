// Counts the tokens that each principal has used today (UTC). Hubs that share a store read it again when another one has written.
import { PagewireError } from "../../../wire/index.ts";
import type { SharedUse } from "../../common/shared-use.ts";
import type { Later, Store } from "../../store/index.ts";

export interface TokenLedger {
  /** Loads a principal's earlier use. Must be awaited before other calls about the principal. */
  load(principal: string): Promise<void>;
  /** Throws if the principal's quota for today is used up, counting `more` tokens that are not charged yet. */
  check(principal: string, more: number): void;
  charge(principal: string, tokens: number): void;
}

export interface TokenLedgerOptions {
  readonly store: Pick<Store, "tokens" | "addTokens">;
  readonly later: Later;
  readonly quotaFor: (principal: string) => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onNotSaved: () => void;
  /** For a hub that is one of several. */
  readonly use?: SharedUse | undefined;
}

const dayLength = 86_400_000;

export function createTokenLedger(options: TokenLedgerOptions): TokenLedger {
  const { store, later, quotaFor, now, onNotSaved, use } = options;
  let day = dayAt(now());
  let used = new Map<string, number>();

  function today(): string {
    const present = dayAt(now());
    if (present !== day) [day, used] = [present, new Map()];
    return day;
  }

  /** Used tokens that are not written yet, by day and principal. */
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
  async function read(principal: string): Promise<void> {
    const asked = today();
    const stored = await store.tokens(principal, asked);
    if (asked !== today()) return;
    const all = stored + (owed.get(`${asked}${principal}`) ?? 0);
    used.set(principal, Math.max(used.get(principal) ?? 0, all));
  }

  function readAgain(principal: string): void {
    // Known use stays in force without the store.
    if (used.has(principal)) void read(principal).catch(() => {});
  }

  async function writeAll(): Promise<void> {
    for (const name of owed.keys()) await write(name);
  }

  use?.onCounted((principal, what) => {
    if (what === "tokens") readAgain(principal);
  });

  return {
    async load(principal) {
      today();
      if (used.has(principal)) return;
      await read(principal).catch((error: unknown) => {
        // Without a quota the number does not matter.
        if (quotaFor(principal) !== Infinity) throw error;
        if (!used.has(principal)) used.set(principal, 0);
      });
    },
    check(principal, more) {
      const quota = quotaFor(principal);
      today();
      const sum = (used.get(principal) ?? 0) + more;
      if (sum < quota) return;
      const resetsAt = (Math.floor(now() / dayLength) + 1) * dayLength;
      throw new PagewireError(
        "quota-exceeded",
        `Today's ${quota} tokens are used up. There are new ones from ${new Date(resetsAt).toISOString()} on.`,
        { retryAfter: resetsAt - now() },
      );
    },
    charge(principal, tokens) {
      if (!(tokens > 0)) return;
      const on = today();
      used.set(principal, (used.get(principal) ?? 0) + tokens);
      const name = `${on}${principal}`;
      owed.set(name, (owed.get(name) ?? 0) + tokens);
      write(name).catch(() => {
        onNotSaved();
        later.add(writeAll);
      });
    },
  };
}

/** The length of a day's text, such as 2026-01-31. */
const dayEnd = 10;

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
