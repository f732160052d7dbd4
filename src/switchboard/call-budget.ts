// Limits of one principal's calls: how many are in flight, the bytes of their arguments together, and how many begin per
// second.
import type { Clock } from "../link/index.ts";
import type { Outcome, SwitchboardLimits, OnOver } from "../wire/index.ts";
import { rejection } from "./call-life.ts";
import type { CallRequest, Caller } from "./types.ts";

export interface CallBudget {
  /** The calls in flight, and the bytes of their arguments. */
  readonly used: { readonly count: number; readonly bytes: number };
  /** The refusal of a call over a limit, else undefined. An accepted call counts towards the rate, unless `isCounted`. */
  refuse(caller: Caller, request: CallRequest, isCounted: boolean): Outcome | undefined;
  /** A call with this many bytes of arguments began or ended. */
  began(bytes: number): void;
  ended(bytes: number): void;
}

interface CallBudgetOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly onOver?: OnOver;
}

type Counted = "callsPerPrincipal" | "callBytesPerPrincipal" | "callRatePerPrincipal";

export function createCallBudget({ clock, limits, onOver }: CallBudgetOptions): CallBudget {
  const used = { count: 0, bytes: 0 };
  /** A token bucket. It is refilled only when empty, so that most calls just take a token. */
  let tokens = limits.callBurstPerPrincipal;
  let filledAt = clock.now();
  const busy = (name: Counted, max: number, again: number): Outcome => {
    onOver?.(name);
    const after =
      name === "callRatePerPrincipal" ? `, after ${limits.callBurstPerPrincipal} at once (callBurstPerPrincipal)` : "";
    const message = `Too many calls of one user: the limit ${name} is ${max}${after}. Try again in ${again} ms.`;
    return rejection("calls-too-many", message, again);
  };

  /** Milliseconds until there is a token; zero if there is one. */
  function fill(rate: number, burst: number): number {
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1000);
    filledAt = now;
    return tokens >= 1 ? 0 : Math.min(60_000, Math.ceil(((1 - tokens) * 1000) / rate));
  }

  return {
    used,
    refuse({ allowed }, request, isCounted) {
      const max = allowed?.callsPerPrincipal ?? limits.callsPerPrincipal;
      if (used.count >= max) return busy("callsPerPrincipal", max, 1000);
      const maxBytes = allowed?.callBytesPerPrincipal ?? limits.callBytesPerPrincipal;
      if (used.bytes + request.arguments.length > maxBytes) return busy("callBytesPerPrincipal", maxBytes, 1000);
      if (isCounted) return undefined;
      const burst = allowed?.callBurstPerPrincipal ?? limits.callBurstPerPrincipal;
      const rate = allowed?.callRatePerPrincipal ?? limits.callRatePerPrincipal;
      if (tokens > burst) tokens = burst;
      if (tokens < 1) {
        const again = fill(rate, burst);
        if (again > 0) return busy("callRatePerPrincipal", rate, again);
      }
      tokens--;
      return undefined;
    },
    began(bytes) {
      used.count++;
      used.bytes += bytes;
    },
    ended(bytes) {
      used.count--;
      used.bytes -= bytes;
    },
  };
}
