// What is known of an earlier run: for a while its tabs are still coming back, and for longer a key may have been used in
// it. It knows neither calls nor tabs.
import type { Clock } from "../link/index.ts";
import type { ErrorCode, Limits, Outcome, Ran } from "../wire/index.ts";
import type { CallRequest } from "./call-request.ts";

export interface Returns {
  /** For how many milliseconds more that which a call lacks may come back; zero where nothing can. */
  timeFor(outcome: Outcome): number;
  /** Whether a call that was given to no tab here may have run in the earlier run. */
  ran(request: CallRequest): Ran;
  /** A refusal, as far as the earlier run lets it be known that nothing ran. */
  asFarAsKnown(refusal: Outcome, request: CallRequest): Outcome;
}

interface ReturnsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  /** When the earlier run ended, on the same clock. */
  readonly earlierEnd: number;
}

export function createReturns({ clock, limits, earlierEnd }: ReturnsOptions): Returns {
  const startedAt = clock.now();
  /** Until then the earlier run would have kept the outcomes of its keys. */
  const keysEnd = earlierEnd + limits.keyTime;
  const tabsEnd = keysEnd > startedAt ? startedAt + limits.returnTime : -Infinity;
  const lacks = ({ code }: Outcome, some: readonly ErrorCode[]) => code !== undefined && some.includes(code);
  const ran = ({ key }: CallRequest) => (key !== undefined && clock.now() < keysEnd ? "maybe" : "no");
  return {
    timeFor: (refusal) => (lacks(refusal, absences) ? Math.max(0, tabsEnd - clock.now()) : 0),
    ran,
    asFarAsKnown(refusal, request) {
      if (ran(request) === "no" || !lacks(refusal, untilLater)) return refusal;
      const message = `${refusal.message} Before the hub was started again the call may have run under this key.`;
      return { ...refusal, outcome: "outcome-unknown", ran: "maybe", message };
    },
  };
}

/** Refusals for want of something that a tab which comes back may bring. */
const absences: readonly ErrorCode[] = ["tool-not-found", "offer-not-found", "tab-not-found", "tab-gone"];

/** Refusals that say nothing against the call itself: an earlier run may have taken it. */
const untilLater: readonly ErrorCode[] = [...absences, "tool-ambiguous", "calls-too-many", "going-away"];
