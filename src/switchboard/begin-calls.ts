// Lets calls in: a repeated one joins or is answered, one that lacks its tab may wait for it, one too many is refused, and
// all others start.
import type { Clock } from "../link/index.ts";
import type { Limits, Outcome, OutcomeName } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, rejection } from "./call-life.ts";
import type { CallHandle, CallListener, CallRequest } from "./call-request.ts";
import type { CallTable } from "./call-table.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Asked, Caller, Route, Tab } from "./model.ts";
import type { Returns } from "./returns.ts";

export interface BeginOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly table: CallTable;
  readonly duplicates: Duplicates;
  readonly returns: Returns;
  readonly route: (request: CallRequest, caller: Caller) => Route;
  /** Subscribes to changes of the tabs and their offers. */
  readonly onChange: (listener: () => void) => () => void;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
}

export interface Beginner {
  begin(caller: Caller, request: CallRequest, listener: CallListener): CallHandle;
  /** Ends the calls that wait for tabs of an earlier run. */
  close(): void;
}

export function createBeginner(options: BeginOptions): Beginner {
  const { clock, limits, table, duplicates, returns, route, outcomes } = options;
  /** Each ends a call that waits for a tab of an earlier run. */
  const waits = new Set<() => void>();

  function begin(caller: Caller, request: CallRequest, listener: CallListener): CallHandle {
    const asked = { caller, request, listener };
    const mayRepeat = limits.twinPause > 0 && !request.refusal && duplicates.hasDouble(caller, request);
    if (!mayRepeat) return beginNow(asked);
    // An equal call still has its caller. If that one was cut off, the cut may be noticed a moment after the twin came.
    return later(asked, (go) => clock.after(limits.twinPause, () => go(beginNow(asked))));
  }

  function beginNow(asked: Asked): CallHandle {
    const { caller, request, listener } = asked;
    const earlier = duplicates.find(caller, request);
    if (earlier && "ran" in earlier) return endedCall(listener, earlier);
    if (earlier) return table.join(earlier, asked);
    if (request.refusal) return refuse(asked, request.refusal);
    const aim = route(request, caller);
    if ("outcome" in aim) return returns.timeFor(aim.outcome) > 0 ? beginWhenBack(asked) : refuse(asked, aim.outcome);
    const isFull = caller.inFlight >= limits.callsPerAgent || aim.tab.calls.size >= limits.callsPerTab;
    return isFull ? refuse(asked, overload(caller, aim.tab)) : table.start(asked, aim);
  }

  /** A tab that is not back yet may have what the call lacks: it waits for that. */
  function beginWhenBack(asked: Asked): CallHandle {
    const { caller, request } = asked;
    if (caller.inFlight >= limits.callsPerAgent) return refuse(asked, overload(caller));
    const begunAt = clock.now();
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    const wait = timeFor(asked);
    caller.inFlight++;
    return later(asked, (go) => {
      const stop = () => {
        for (const each of stops.splice(0)) each();
      };
      const giveUp = (outcome: Outcome) => {
        stop();
        go(count(asked, { ...outcome, ran: returns.ran(request) }));
      };
      const again = () => {
        stop();
        go(beginNow({ ...asked, request: { ...request, left: left - (clock.now() - begunAt) } }));
      };
      const close = () => giveUp(closing);
      waits.add(close);
      const stops = [
        clock.after(Math.min(wait, left), () => (left > wait ? again() : giveUp(notBack))),
        options.onChange(() => timeFor(asked) === 0 && again()),
        () => waits.delete(close),
        () => caller.inFlight--,
      ];
      return stop;
    });
  }

  /** For how many milliseconds more the call may wait for a tab of an earlier run. */
  function timeFor({ request, caller }: Asked): number {
    const aim = route(request, caller);
    return "outcome" in aim ? returns.timeFor(aim.outcome) : 0;
  }

  function later({ request, listener }: Asked, plan: (go: (handle: CallHandle) => void) => () => void): CallHandle {
    return laterCall({ request, listener, plan, ran: returns.ran });
  }

  function refuse(asked: Asked, outcome: Outcome): CallHandle {
    return count(asked, returns.asFarAsKnown(outcome, asked.request));
  }

  /** Ends a call that goes nowhere. */
  function count({ listener }: Asked, outcome: Outcome): CallHandle {
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    return endedCall(listener, outcome);
  }

  function overload(caller: Caller, tab?: Tab): Outcome {
    const limit = caller.inFlight >= limits.callsPerAgent || !tab ? "callsPerAgent" : "callsPerTab";
    return rejection(
      "calls-too-many",
      `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`,
      1000,
    );
  }

  return {
    begin,
    close() {
      for (const end of [...waits]) end();
    },
  };
}

const closing = rejection("going-away", "The hub is stopping. Try again in a moment.", 1000);
const notBack = end("deadline-exceeded", "no", "The tab that the call needs did not come back in time.");
