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

/** The budgets of a caller. */
type CallBudgets = Pick<SwitchboardLimits, Counted | "callBurstPerPrincipal">;

/** A principal's calls at all hubs. */
export interface SharedCalls {
  /** The calls in flight, as far as is known. */
  all(budgets: CallBudgets): CallBudget["used"];
  /** Takes a token from the bucket of all hubs; returns zero, or the milliseconds until there is one. */
  take(budgets: CallBudgets): number;
}

/** Made for each principal, with what it uses here. */
export type ShareCalls = (principal: string, here: CallBudget["used"]) => SharedCalls;

interface CallBudgetOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly onOver?: OnOver;
  readonly share?: ShareCalls | undefined;
}

type Counted = "callsPerPrincipal" | "callBytesPerPrincipal" | "callRatePerPrincipal";

export function createCallBudget({ name, clock, limits, onOver, share }: CallBudgetOptions): CallBudget {
  const used = { count: 0, bytes: 0 };
  const { all, take }: SharedCalls = share?.(name, used) ?? { all: () => used, take: takeHere };
  /** A token bucket, full at first. It is refilled only when empty, so that most calls just take a token. */
  let tokens = Infinity;
  let filledAt = clock.now();

  function takeHere({ callRatePerPrincipal: rate, callBurstPerPrincipal: burst }: CallBudgets): number {
    if (tokens < 1) {
      const now = clock.now();
      tokens += ((now - filledAt) * rate) / 1000;
      filledAt = now;
    }
    tokens = Math.min(burst, tokens);
    if (tokens < 1) return Math.min(60_000, Math.ceil(((1 - tokens) * 1000) / rate));
    tokens--;
    return 0;
  }

  function busy(budgets: CallBudgets, over: Counted, again = 1000): Outcome {
    onOver?.(over);
    const after =
      over === "callRatePerPrincipal" ? `, after ${budgets.callBurstPerPrincipal} at once (callBurstPerPrincipal)` : "";
    const message = `Too many calls of one user: the limit ${over} is ${budgets[over]}${after}. Try again in ${again} ms.`;
    return rejection("calls-too-many", message, again);
  }

  return {
    used,
    refuse({ allowed }, request, isCounted) {
      const budgets = allowed ? { ...limits, ...allowed } : limits;
      const { count, bytes } = all(budgets);
      if (count >= budgets.callsPerPrincipal) return busy(budgets, "callsPerPrincipal");
      if (bytes + request.arguments.length > budgets.callBytesPerPrincipal)
        return busy(budgets, "callBytesPerPrincipal");
      const again = isCounted ? 0 : take(budgets);
      return again > 0 ? busy(budgets, "callRatePerPrincipal", again) : undefined;
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
