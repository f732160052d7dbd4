// Lets calls in: a repeated one joins or is answered, one that lacks its tab may wait for it, one too many is refused, and
// all others start.
import type { Outcome, OutcomeName, SwitchboardLimits } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, rejection } from "./call-life.ts";
import type { Asked, CallClock, CallHandle, CallRequest } from "./types.ts";
import type { CallTable } from "./call-table.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Returns, WaitNeeds } from "./returns.ts";

export interface BeginOptions extends Pick<WaitNeeds, "route" | "onChange"> {
  readonly clock: CallClock;
  readonly limits: SwitchboardLimits;
  readonly table: CallTable;
  readonly duplicates: Duplicates;
  readonly returns: Returns;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
}

/** Makes what begins calls. */
export function createBegin(options: BeginOptions): (asked: Asked) => CallHandle {
  const { clock, limits, table, duplicates, returns, route, outcomes, onChange } = options;

  function begin(given: Asked, isLate = false): CallHandle {
    const unread = isLate ? 0 : (clock.unread?.() ?? 0);
    const asked = unread > 0 ? { ...given, request: shortened(given.request, unread) } : given;
    const { caller, request, listener } = asked;
    const earlier = duplicates.find(caller, request, !isLate && limits.twinPause > 0 && !request.refusal);
    // An equal call still has its caller. If that one was cut off, the cut may be noticed a moment after the twin came.
    if (earlier === "double") {
      return laterCall(asked, returns.ran, (go) => clock.after(limits.twinPause, () => go(begin(asked, true))));
    }
    if (earlier && "ran" in earlier) return endedCall(listener, earlier);
    if (earlier) return table.join(earlier, asked);
    if (request.refusal) return refuse(asked, request.refusal);
    const aim = route(request, caller);
    if ("outcome" in aim && !returns.mayBringBack(aim.outcome)) return refuse(asked, aim.outcome);
    if ((request.left ?? 1) <= 0) return refuse(asked, { ...tooLate, ran: returns.ran(request) });
    if (caller.inFlight >= limits.callsPerAgent) return refuse(asked, tooMany("callsPerAgent"));
    if ("outcome" in aim) return returns.wait(asked, { route, onChange, begin: (waited) => begin(waited, true) });
    return aim.tab.inFlight < limits.callsPerTab ? table.start(asked, aim) : refuse(asked, tooMany("callsPerTab"));
  }

  function shortened(request: CallRequest, by: number): CallRequest {
    return { ...request, left: Math.min(request.left ?? limits.callTime, limits.callTimeMost) - by };
  }

  /** Ends a call that goes nowhere. */
  function refuse({ request, listener }: Asked, refusal: Outcome): CallHandle {
    const outcome = returns.asFarAsKnown(refusal, request);
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    return endedCall(listener, outcome);
  }

  function tooMany(limit: "callsPerAgent" | "callsPerTab"): Outcome {
    const message = `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`;
    return rejection("calls-too-many", message, 1000);
  }

  return begin;
}

const tooLate = end("deadline-exceeded", "no", "The call's time was up before it could be read; nothing ran.");
