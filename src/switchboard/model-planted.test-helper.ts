// Bugs to plant in a world, so that the checker can show that it finds them. Those of pages, links and hubs are planted
// by the world itself; those of the switchboard's own modules by wrapping what they export.
import type { createCalls } from "./calls.ts";
import type { createLedger } from "./ledger.ts";
import type { nextStep } from "./life.ts";
import type { Caller } from "./model.ts";
import type { OfferPool, createOfferPool } from "./offer-pool.ts";
import type { createRecall } from "./recall.ts";

/** Every bug that can be planted, and the rules of which at least one must find it. */
export const plantable = {
  "dedupe off": ["at most once"],
  "deadline ignored": ["in time"],
  "ids not re-keyed": ["secrets"],
  "answers by id": ["secrets"],
  "old sessions heard": ["told the truth", "presence"],
  "principals mixed": ["principals"],
  "outcome twice": ["one outcome"],
  "ledger off": ["at most once"],
  "twins off": ["at most once"],
  "cancelled replayed": ["nothing unasked"],
  "doubt forgotten": ["told the truth"],
  "ignores knows": ["at most once"],
  "suspended is not run": ["told the truth"],
  "time added": ["in time"],
  "slots kept": ["nothing left"],
} as const;

export type Planted = keyof typeof plantable;

let planted: Planted | undefined;
const pools = new Set<OfferPool>();
const callers = new Set<Caller>();

/** From now on the wrapped modules have this bug, or none. */
export function plant(bug: Planted | undefined): void {
  planted = bug;
  leftBehind();
}

/** What the switchboards made since the last question still hold. */
export function leftBehind(): readonly string[] {
  const left = [
    ...[...pools].filter(({ size }) => size > 0).map(({ size }) => `A pool still holds ${size} offers.`),
    ...[...callers]
      .filter(({ inFlight }) => inFlight !== 0)
      .map(({ inFlight }) => `A caller counts ${inFlight} calls.`),
  ];
  pools.clear();
  callers.clear();
  return left;
}

export function wrapNextStep(original: typeof nextStep): typeof nextStep {
  return (phase, event) => {
    if (planted === "ignores knows" && event.event === "tab-forgot") return { phase };
    const step = original(phase, event);
    if (planted === "doubt forgotten" && phase === "in-doubt" && event.event === "sent") return { phase: "sent" };
    const isHasty = planted === "suspended is not run" && phase === "running" && event.event === "tab-suspended";
    return isHasty && step.outcome ? { ...step, outcome: { ...step.outcome, ran: "no" } } : step;
  };
}

export function wrapLedger(original: typeof createLedger): typeof createLedger {
  return (clock, limits) => {
    const ledger = original<never>(clock, limits);
    return { ...ledger, find: (key) => (planted === "ledger off" ? undefined : ledger.find(key)) };
  };
}

export function wrapRecall(original: typeof createRecall): typeof createRecall {
  return (clock, limits) => {
    const recall = original(clock, limits);
    return {
      ...recall,
      find: (caller, request) =>
        planted === "twins off" && request.key === undefined ? undefined : recall.find(caller, request),
      ended(flight, outcome) {
        const isKept = planted === "cancelled replayed" && flight.request.key === undefined;
        recall.ended(flight, isKept ? { ...outcome, outcome: "outcome-unknown", ran: "maybe" } : outcome);
      },
    };
  };
}

export function wrapCalls(original: typeof createCalls): typeof createCalls {
  return (options) => {
    const calls = original(options);
    return {
      ...calls,
      begin(caller, request, listener) {
        callers.add(caller);
        const handle = calls.begin(caller, planted === "time added" ? { ...request, left: 15_000 } : request, listener);
        if (planted === "slots kept" && request.key !== undefined) caller.inFlight++;
        return handle;
      },
    };
  };
}

export function wrapOfferPool(original: typeof createOfferPool): typeof createOfferPool {
  return (limits) => {
    const pool = original(limits);
    pools.add(pool);
    return pool;
  };
}
