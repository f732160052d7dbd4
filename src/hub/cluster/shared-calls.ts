import { createRates } from "../../policy/index.ts";
import type { ShareCalls } from "../../switchboard/index.ts";
import type { SharedUse } from "../common/shared-use.ts";

const longestWait = 60_000;

/** Counts a principal's calls at all hubs; its rate is one bucket at each hub, which all take from. */
export function createSharedCalls(use: SharedUse, now: () => number): ShareCalls {
  const rates = createRates(now);
  use.onCounted((principal, what, count) => {
    const [kind, rate, burst] = what.split(" ");
    const refill = refillOf(Number(rate), Number(burst));
    if (kind === "calls" && refill.each >= 0 && refill.most > 0) rates.take(principal, refill, count);
  });
  return (principal, here) => {
    const amounts = {
      get callsPerPrincipal() {
        return here.count;
      },
      get callBytesPerPrincipal() {
        return here.bytes;
      },
    };
    return {
      all({ callsPerPrincipal: max, callBytesPerPrincipal: maxBytes }) {
        // The call that is asked for changes them, if it begins.
        use.changed(principal, amounts);
        return {
          count: here.count + use.elsewhere(principal, "callsPerPrincipal", max),
          bytes: here.bytes + use.elsewhere(principal, "callBytesPerPrincipal", maxBytes),
        };
      },
      take({ callRatePerPrincipal: rate, callBurstPerPrincipal: burst }) {
        const refill = refillOf(rate, burst);
        const wait = rates.wait(principal, refill);
        if (wait > 0) return Math.min(longestWait, wait);
        rates.take(principal, refill, 1);
        // The others may not know the budget of this caller's token.
        use.count(principal, `calls ${rate} ${burst}`, 1);
        return 0;
      },
    };
  };
}

function refillOf(rate: number, burst: number) {
  return { most: burst, each: 1000 / rate };
}
