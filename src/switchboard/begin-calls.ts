// Begins calls: a repeated call joins the first or gets its outcome, a call whose tab is away may wait, a call over a limit
// is refused, and every other call starts. With a ledger, a key that is not in memory is first looked up there.
import type { Clock } from "../link/index.ts";
import type { Outcome, OutcomeName, SwitchboardLimits } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, rejection } from "./call-life.ts";
import type { Aim, Again, Asked, CallHandle, CallRequest, Decision, Stage } from "./types.ts";
import type { CallBudget } from "./call-budget.ts";
import type { CallEnds } from "./call-ends.ts";
import type { CallTable } from "./call-table.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Written } from "./key-ledger.ts";
import type { PolicyGate } from "./policy-gate.ts";
import type { Returns, WaitNeeds } from "./returns.ts";
import type { Keys } from "./written-keys.ts";

/** The time of a process that may be suspended while calls arrive. */
export interface CallClock extends Clock {
  /** Milliseconds that a call which is read now may have waited to be read. */
  unread?(): number;
}

export interface BeginOptions extends Pick<WaitNeeds, "route" | "onChange"> {
  readonly clock: CallClock;
  readonly limits: SwitchboardLimits;
  readonly table: CallTable;
  readonly budget: CallBudget;
  readonly duplicates: Duplicates;
  readonly keys: Keys | undefined;
  readonly returns: Returns;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
  readonly ends: CallEnds;
  readonly gate: PolicyGate | undefined;
}

export function createBegin(options: BeginOptions): (asked: Asked) => CallHandle {
  const { clock, limits, table, budget, duplicates, keys, returns, route, outcomes, onChange, ends, gate } = options;
  const { wrap } = ends;

  function begin(given: Asked, { isLate = false, isCounted = isLate, written }: Stage = {}): CallHandle {
    const unread = isLate ? 0 : (clock.unread?.() ?? 0);
    const asked = unread > 0 ? { ...given, request: shortened(given.request, unread) } : given;
    const { caller, request, listener } = asked;
    const earlier = duplicates.find(caller, request, !isLate && limits.twinPause > 0 && !request.refusal);
    const barred = (earlier ?? request.key) && caller.bars?.(route(request, caller));
    if (barred) return refuse(asked, barred);
    // The caller of the equal call is still connected, as far as is known: a lost connection may be noticed a moment later.
    if (earlier === "duplicate") {
      const first = { isLate: true, isCounted: false };
      return laterCall(wrap(asked), returns.ran, (go) => clock.after(limits.twinPause, () => go(begin(asked, first))));
    }
    if (earlier)
      return "ran" in earlier ? endedCall(wrap(asked).listener, earlier) : table.join(earlier, wrap(asked, earlier));
    const again: Again = ({ request: later }, stage = late) => begin({ caller, request: later, listener }, stage);
    const next = decide(asked, isCounted);
    const asking = next.rule && gate?.ask(wrap(asked), next, again);
    if (asking) return "ran" in asking ? refuse(asked, asking) : asking;
    const start = (aim: Aim, use?: Written) => {
      gate?.begun(aim, caller);
      return table.start(asked, aim, use);
    };
    const goNowhere = (outcome: Outcome) => refuse(asked, outcome);
    const decideAgain = (later: Asked) => decide(later, true);
    const steps = { decide: decideAgain, again, start, refuse: goNowhere, returns, route, onChange };
    const held = request.key === undefined ? undefined : keys?.begin(wrap(asked), { next, written, steps });
    if (held) return held;
    if ("tab" in next) return start(next, written === "nothing" ? undefined : written);
    if (next.waits) return returns.wait(wrap(asked), { route, onChange, begin: (waited) => again(waited) });
    return refuse(asked, next.outcome);
  }

  /** A call that waited was counted on arrival. */
  function decide({ caller, request }: Asked, isCounted: boolean): Decision {
    const refusal = request.refusal ?? budget.refuse(caller, request, isCounted);
    if (refusal) return { outcome: refusal };
    const aim = route(request, caller);
    const isAway = "outcome" in aim && returns.mayBringBack(aim.outcome);
    if ("outcome" in aim && !isAway) return aim;
    const tooOften = gate?.refusal(aim, caller);
    if (tooOften) return { outcome: tooOften };
    if ((request.left ?? 1) <= 0) return { outcome: { ...tooLate, ran: returns.ran(request) } };
    if (caller.inFlight >= limits.callsPerAgent) return { outcome: tooMany("callsPerAgent") };
    if ("outcome" in aim) return { ...aim, waits: true };
    return aim.tab.inFlight < limits.callsPerTab ? aim : { outcome: tooMany("callsPerTab") };
  }

  function shortened(request: CallRequest, by: number): CallRequest {
    return { ...request, left: Math.min(request.left ?? limits.callTime, limits.callTimeMost) - by };
  }

  /** Ends a call that is never sent to a tab. */
  function refuse(asked: Asked, refusal: Outcome): CallHandle {
    const { request, listener } = asked;
    const outcome = returns.asFarAsKnown(refusal, request);
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    ends.ended(asked, outcome, undefined);
    return endedCall(listener, outcome);
  }

  function tooMany(limit: "callsPerAgent" | "callsPerTab"): Outcome {
    const message = `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`;
    return rejection("calls-too-many", message, 1000);
  }

  return begin;
}

const late = { isLate: true };

const tooLate = end("deadline-exceeded", "no", "The call's time was up before it could be read.");
