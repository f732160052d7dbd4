// How long each caller's requests have held the thread of late.
import { PagewireError } from "../../../wire/index.ts";

export interface TimeShare {
  /** Throws where a caller has used its share up, with the time after which it has some again. */
  check(caller: string): void;
  spend(caller: string, milliseconds: number): void;
}

export interface TimeShareOptions {
  /** Milliseconds that one caller has in ten seconds. */
  readonly most: number;
  readonly now: () => number;
}

const span = 10_000;

/** What was spent is forgotten evenly, all of a share in ten seconds. */
export function createTimeShare({ most, now }: TimeShareOptions): TimeShare {
  const callers = new Map<string, { spent: number; at: number }>();

  function spentBy(caller: string): number {
    const known = callers.get(caller);
    return known ? Math.max(0, known.spent - ((now() - known.at) * most) / span) : 0;
  }

  return {
    check(caller) {
      for (const each of callers.keys()) if (spentBy(each) === 0) callers.delete(each);
      const spent = spentBy(caller);
      if (spent < most) return;
      const message = `Your requests took the rehearsal model more than ${most} ms in ten seconds (limit rehearsalTime). Wait a moment.`;
      const retryAfter = Math.min(span, ((spent - most) * span) / Math.max(most, 1) + 1000);
      throw new PagewireError("requests-too-many", message, { retryAfter });
    },
    spend(caller, milliseconds) {
      callers.set(caller, { spent: spentBy(caller) + milliseconds, at: now() });
    },
  };
}
