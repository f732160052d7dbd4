import { createRates } from "../../policy/index.ts";
import type { CallsElsewhere } from "../../switchboard/index.ts";
import type { SharedUse } from "../common/shared-use.ts";

const longestWait = 60_000;

/** A principal's calls at other hubs, for its budget here; its rate is one bucket, which all hubs take from. */
export function createSharedCalls(use: SharedUse, now: () => number): (principal: string) => CallsElsewhere {
  const rates = createRates(now);
  use.onCounted((principal, what, count) => {
    const [kind, rate, burst] = what.split(" ");
    const refill = refillOf(Number(rate), Number(burst));
    if (kind === "calls" && refill.each >= 0 && refill.most > 0) rates.take(principal, refill, count);
  });
  return (principal) => ({
    amount: (name, max) => use.elsewhere(principal, name, max),
    take(rate, burst) {
      const refill = refillOf(rate, burst);
      const wait = rates.wait(principal, refill);
      if (wait > 0) return Math.min(longestWait, wait);
      rates.take(principal, refill, 1);
      // The others may not know the budget of this caller's token.
      use.count(principal, `calls ${rate} ${burst}`, 1);
      return 0;
    },
    changed: (used) => use.changed(principal, used),
  });
}

function refillOf(rate: number, burst: number) {
  return { most: burst, each: 1000 / rate };
}
