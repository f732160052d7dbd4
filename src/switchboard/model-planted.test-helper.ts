// Bugs to plant in a world, to prove that the checker finds them. The world itself plants those of pages, links and hubs;
// wrapped exports of the switchboard's modules plant the others.
import type { createBegin } from "./begin-calls.ts";
import type { nextStep } from "./call-life.ts";
import type { createDuplicates } from "./duplicates.ts";
import type { Caller } from "./types.ts";
import type { OfferPool, createOfferPool } from "./offers.ts";

/** All bugs that can be planted, each with the rules of which at least one must find it. */
export const plantable = {
  "dedupe off": ["at most once"],
  "deadline ignored": ["in time"],
  "ids not re-keyed": ["secrets"],
  "answers by id": ["secrets"],
  "old sessions heard": ["told the truth", "presence"],
  "principals mixed": ["principals"],
  "outcome twice": ["one outcome"],
  "memory of keys off": ["at most once"],
  "twins off": ["at most once"],
  "cancelled replayed": ["nothing unasked"],
  "doubt forgotten": ["told the truth"],
  "ignores knows": ["at most once"],
  "suspended is not run": ["told the truth"],
  "time added": ["in time"],
  "slots kept": ["nothing left"],
  "keys not written": ["at most once"],
  "written for one tab only": ["at most once"],
  "outcomes not written": ["same key, same outcome"],
} as const;

export type Planted = keyof typeof plantable;

let planted: Planted | undefined;
const pools = new Set<OfferPool>();
const callers = new Set<Caller>();

/** Plants this bug in the wrapped modules from now on, or none. */
export function plant(bug: Planted | undefined): void {
  planted = bug;
  leftBehind();
}

/** The resources that switchboards made since the last call of this still hold. */
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

export function wrapDuplicates(original: typeof createDuplicates): typeof createDuplicates {
  return (options) => {
    const duplicates = original(options);
    return {
      ...duplicates,
      find(caller, request, mayPause) {
        const isOff = planted === (request.key === undefined ? "twins off" : "memory of keys off");
        return isOff ? undefined : duplicates.find(caller, request, mayPause);
      },
      ended(call, outcome) {
        const isKept = planted === "cancelled replayed" && call.request.key === undefined;
        duplicates.ended(call, isKept ? { ...outcome, outcome: "outcome-unknown", ran: "maybe" } : outcome);
      },
    };
  };
}

export function wrapBegin(original: typeof createBegin): typeof createBegin {
  return (options) => {
    const begin = original(options);
    return ({ caller, request, listener }) => {
      callers.add(caller);
      const left = planted === "time added" ? 15_000 : request.left;
      const handle = begin({ caller, request: { ...request, left }, listener });
      if (planted === "slots kept" && request.key !== undefined) caller.inFlight++;
      return handle;
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
