// Gathers the updates of a growing value for a client that takes whole values only: sent piece by piece, an answer would cost
// its length squared.
import type { Clock } from "../../link/index.ts";
import type { Tracked } from "./tracked-values.ts";

/** Milliseconds between two updates of a property. */
const PAUSE = 100;
/** Milliseconds without growth after which a value is sent, even beyond its cost. */
const QUIET = 500;
/** How many times its own size a value may cost while it grows. */
const MAX_COST = 20;

export interface Gathering {
  /** The property has changed. */
  changed(name: string): void;
  /** It is being sent to a client with this version of it. */
  sent(tracked: Tracked, seen: number): void;
  /** The due properties that need not wait, unless another one must come after all of them. */
  ready(due: readonly Tracked[], seen: ReadonlyMap<string, number>): readonly Tracked[];
}

interface Sent {
  at: number;
  changedAt: number;
  /** How much of it was sent since it began to grow. */
  cost: number;
}

export function createGathering(clock: Clock): Gathering {
  const history = new Map<string, Sent>();

  function isEarly({ name, value }: Tracked): boolean {
    const { at, changedAt, cost } = history.get(name) ?? { at: -PAUSE, changedAt: 0, cost: 0 };
    const now = clock.now();
    if (now - at < PAUSE) return true;
    if (now - changedAt >= QUIET) return false;
    const size = sizeOf(value);
    return cost + size > MAX_COST * size;
  }

  return {
    changed(name) {
      const sent = history.get(name);
      if (sent) sent.changedAt = clock.now();
    },
    sent(tracked, seen) {
      const { name, value } = tracked;
      const now = clock.now();
      const before = history.get(name);
      const grows = isGrowing(tracked, seen);
      // The first piece of a new text comes at once.
      const at = before && (grows || isBulk(value)) ? now : now - PAUSE;
      history.set(name, { at, changedAt: now, cost: (before && grows ? before.cost : 0) + sizeOf(value) });
    },
    ready(due, seen) {
      const growing = new Set(due.filter((each) => isGrowing(each, seen.get(each.name) ?? 0)));
      // A flag, an error or a new text is the end of what grew, or the beginning of something else: it comes after all of it.
      if (growing.size === 0 || due.some((each) => !growing.has(each) && !isBulk(each.value))) return due;
      return due.filter((each) => !isEarly(each));
    },
  };
}

/** Whether it has only grown since the client's version of it. */
function isGrowing({ growth, since }: Tracked, seen: number): boolean {
  return growth !== undefined && seen >= since;
}

/** Counts and lists beside a growing text, such as how much it has cost so far. */
function isBulk(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "object" && value !== null);
}

function sizeOf(value: unknown): number {
  return typeof value === "string" ? value.length : (JSON.stringify(value) ?? "").length;
}
