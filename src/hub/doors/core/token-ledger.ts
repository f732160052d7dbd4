// How many tokens each principal has used today, by the day of UTC.
import { PagewireError } from "../../../wire/index.ts";
import type { Store } from "../../store/index.ts";

export interface TokenLedger {
  /** Reads what a principal used before; to be awaited before anything else is asked about it. */
  load(principal: string): Promise<void>;
  /** Throws where the principal has used its tokens of the day, with so many more that are not charged yet. */
  check(principal: string, more: number): void;
  charge(principal: string, tokens: number): void;
}

export interface TokenLedgerOptions {
  readonly store: Store;
  readonly quotaFor: (principal: string) => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const dayLength = 86_400_000;

export function createTokenLedger({ store, quotaFor, now, onError }: TokenLedgerOptions): TokenLedger {
  let day = dayAt(now());
  let used = new Map<string, number>();

  function today(): string {
    const present = dayAt(now());
    if (present !== day) [day, used] = [present, new Map()];
    return day;
  }

  return {
    async load(principal) {
      const asked = today();
      if (used.has(principal)) return;
      const before = await store.tokens(principal, asked);
      if (asked === today() && !used.has(principal)) used.set(principal, before);
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
      store.addTokens(principal, on, tokens).catch(onError);
    },
  };
}

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
