// How long each caller's requests have held the thread of late.
import { PagewireError } from "../../../wire/index.ts";

/** What one caller may have of it. */
export interface TimeShare {
  /** Throws where it is used up, with the time after which there is some again. */
  check(): void;
  spend(milliseconds: number): void;
}

export interface TimeShares {
  of(caller: string): TimeShare;
}

export interface TimeSharesOptions {
  /** Milliseconds that one caller has in ten seconds. */
  readonly most: number;
  readonly now: () => number;
}

const span = 10_000;

/** What was spent is forgotten evenly, all of a share in ten seconds. */
export function createTimeShares({ most, now }: TimeSharesOptions): TimeShares {
  const callers = new Map<string, { spent: number; at: number }>();

  function spentBy(caller: string): number {
    const known = callers.get(caller);
    return known ? Math.max(0, known.spent - ((now() - known.at) * most) / span) : 0;
  }

  function check(caller: string): void {
    for (const each of callers.keys()) if (spentBy(each) === 0) callers.delete(each);
    const spent = spentBy(caller);
    if (spent < most) return;
    const message = `Your requests took the rehearsal model more than ${most} ms in ten seconds (limit rehearsalTime). Wait a moment.`;
    const retryAfter = Math.min(span, ((spent - most) * span) / Math.max(most, 1) + 1000);
    throw new PagewireError("requests-too-many", message, { retryAfter });
  }

  return {
    of: (caller) => ({
      check: () => check(caller),
      spend: (milliseconds) => void callers.set(caller, { spent: spentBy(caller) + milliseconds, at: now() }),
    }),
  };
}
