// Limits of one principal's calls: how many are in flight, the bytes of their arguments together, and how many begin per
// second.
import type { Clock } from "../link/index.ts";
import type { Outcome, SwitchboardLimits, OnOver } from "../wire/index.ts";
import { rejection } from "./call-life.ts";
import type { CallRequest, Caller } from "./types.ts";

export interface CallBudget {
  /** The calls in flight, and the bytes of their arguments. */
  readonly used: { readonly callsPerPrincipal: number; readonly callBytesPerPrincipal: number };
  /** The refusal of a call over a limit, else undefined. An accepted call counts towards the rate, unless `isCounted`. */
  refuse(caller: Caller, request: CallRequest, isCounted: boolean): Outcome | undefined;
  /** A call with this many bytes of arguments began or ended. */
  began(bytes: number): void;
  ended(bytes: number): void;
}

/** A principal's calls at other hubs, which count with those here. */
export interface CallsElsewhere {
  /** How much they use of a budget, which is `max` for this caller. */
  amount(name: "callsPerPrincipal" | "callBytesPerPrincipal", max: number): number;
  /** Takes a token from the bucket of all hubs; returns zero, or the milliseconds until there is one. */
  take(rate: number, burst: number): number;
  /** Call this after each change of the numbers here. */
  changed(used: CallBudget["used"]): void;
}

interface CallBudgetOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly onOver?: OnOver;
  readonly elsewhere?: CallsElsewhere | undefined;
}

type Counted = "callsPerPrincipal" | "callBytesPerPrincipal" | "callRatePerPrincipal";

export function createCallBudget({ clock, limits, onOver, elsewhere }: CallBudgetOptions): CallBudget {
  const used = { callsPerPrincipal: 0, callBytesPerPrincipal: 0 };
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

  function take(rate: number, burst: number): number {
    if (tokens > burst) tokens = burst;
    const again = tokens < 1 ? fill(rate, burst) : 0;
    if (again === 0) tokens--;
    return again;
  }

  return {
    used,
    refuse({ allowed }, request, isCounted) {
      const max = allowed?.callsPerPrincipal ?? limits.callsPerPrincipal;
      if (used.callsPerPrincipal + (elsewhere?.amount("callsPerPrincipal", max) ?? 0) >= max)
        return busy("callsPerPrincipal", max, 1000);
      const maxBytes = allowed?.callBytesPerPrincipal ?? limits.callBytesPerPrincipal;
      const bytes = used.callBytesPerPrincipal + (elsewhere?.amount("callBytesPerPrincipal", maxBytes) ?? 0);
      if (bytes + request.arguments.length > maxBytes) return busy("callBytesPerPrincipal", maxBytes, 1000);
      if (isCounted) return undefined;
      const burst = allowed?.callBurstPerPrincipal ?? limits.callBurstPerPrincipal;
      const rate = allowed?.callRatePerPrincipal ?? limits.callRatePerPrincipal;
      const again = elsewhere ? elsewhere.take(rate, burst) : take(rate, burst);
      return again > 0 ? busy("callRatePerPrincipal", rate, again) : undefined;
    },
    began(bytes) {
      used.callsPerPrincipal++;
      used.callBytesPerPrincipal += bytes;
      elsewhere?.changed(used);
    },
    ended(bytes) {
      used.callsPerPrincipal--;
      used.callBytesPerPrincipal -= bytes;
      elsewhere?.changed(used);
    },
  };
}
