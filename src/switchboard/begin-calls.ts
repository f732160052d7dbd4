// Lets calls in: a repeated one joins or is answered, one that lacks its tab may wait for it, one too many is refused, and
// all others start. Where there is a ledger, a key that memory does not know is looked up in it first.
import type { Outcome, OutcomeName, SwitchboardLimits } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, rejection } from "./call-life.ts";
import type {
  Aim,
  Asked,
  Call,
  CallClock,
  CallHandle,
  CallListener,
  CallRequest,
  Decision,
  OnEnded,
  Stage,
} from "./types.ts";
import type { CallTable } from "./call-table.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Returns, WaitNeeds } from "./returns.ts";
import type { Keys } from "./written-keys.ts";

export interface BeginOptions extends Pick<WaitNeeds, "route" | "onChange"> {
  readonly clock: CallClock;
  readonly limits: SwitchboardLimits;
  readonly table: CallTable;
  readonly duplicates: Duplicates;
  readonly keys: Keys | undefined;
  readonly returns: Returns;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
  readonly onEnded: OnEnded;
}

/** Makes what begins calls. */
export function createBegin(options: BeginOptions): (asked: Asked) => CallHandle {
  const { clock, limits, table, duplicates, keys, returns, route, outcomes, onChange, onEnded } = options;

  function begin(given: Asked, { isLate = false, written }: Stage = {}): CallHandle {
    const unread = isLate ? 0 : (clock.unread?.() ?? 0);
    const asked = unread > 0 ? { ...given, request: shortened(given.request, unread) } : given;
    const { caller, request, listener } = asked;
    const earlier = duplicates.find(caller, request, !isLate && limits.twinPause > 0 && !request.refusal);
    // An equal call still has its caller. If that one was cut off, the cut may be noticed a moment after the twin came.
    if (earlier === "double") {
      return laterCall(told(asked), returns.ran, (go) => clock.after(limits.twinPause, () => go(begin(asked, late))));
    }
    if (earlier && "ran" in earlier) return endedCall(told(asked).listener, earlier);
    if (earlier) return table.join(earlier, told(asked, earlier));
    const again = ({ request: later }: Asked, stage: Stage = late) =>
      begin({ caller, request: later, listener }, stage);
    if (keys && written !== "nothing" && written?.phase) {
      const start = (aim: Aim) => table.start(asked, aim, written);
      return keys.recall(told(asked), written, {
        decide,
        begin: again,
        start,
        refuse: (outcome) => refuse(asked, outcome),
        returns,
        route,
        onChange,
      });
    }
    const next = decide(asked);
    if (keys && request.key !== undefined && isUnknown(next, written)) {
      return keys.begin(told(asked), "tab" in next ? next.tab : undefined, again);
    }
    const use = written === "nothing" ? undefined : written;
    if ("tab" in next) return table.start(asked, next, use);
    if (next.waits) return returns.wait(told(asked), { route, onChange, begin: (waited) => again(waited) });
    if (use) void keys?.settle(request.key ?? "", next.outcome);
    return refuse(asked, next.outcome);
  }

  function decide({ caller, request }: Asked): Decision {
    if (request.refusal) return { outcome: request.refusal };
    const aim = route(request, caller);
    const isAway = "outcome" in aim && returns.mayBringBack(aim.outcome);
    if ("outcome" in aim && !isAway) return aim;
    if ((request.left ?? 1) <= 0) return { outcome: { ...tooLate, ran: returns.ran(request) } };
    if (caller.inFlight >= limits.callsPerAgent) return { outcome: tooMany("callsPerAgent") };
    if ("outcome" in aim) return { ...aim, waits: true };
    return aim.tab.inFlight < limits.callsPerTab ? aim : { outcome: tooMany("callsPerTab") };
  }

  function shortened(request: CallRequest, by: number): CallRequest {
    return { ...request, left: Math.min(request.left ?? limits.callTime, limits.callTimeMost) - by };
  }

  /** The same, for one whose outcome is that of another call, or comes before it begins. */
  function told(asked: Asked, call?: Call): Asked {
    const { caller, request, listener } = asked;
    const { ask } = listener;
    const telling: CallListener = {
      ended(outcome) {
        onEnded(asked, outcome, call);
        listener.ended(outcome);
      },
      acked: (tabId) => listener.acked?.(tabId),
      progress: (...said) => listener.progress?.(...said),
      log: (...said) => listener.log?.(...said),
      ...(ask && { ask: ask.bind(listener) }),
    };
    return { caller, request, listener: telling };
  }

  /** Ends a call that goes nowhere. */
  function refuse(asked: Asked, refusal: Outcome): CallHandle {
    const { request, listener } = asked;
    const outcome = returns.asFarAsKnown(refusal, request);
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    onEnded(asked, outcome, undefined);
    return endedCall(listener, outcome);
  }

  function tooMany(limit: "callsPerAgent" | "callsPerTab"): Outcome {
    const message = `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`;
    return rejection("calls-too-many", message, 1000);
  }

  return begin;
}

const late = { isLate: true };

/** Whether what is about to happen rests on what the ledger has of the key. */
function isUnknown(next: Decision, written: Stage["written"]): boolean {
  if ("tab" in next) return written === undefined || written === "nothing";
  return written === undefined && next.outcome.ran === "no";
}

const tooLate = end("deadline-exceeded", "no", "The call's time was up before it could be read; nothing ran.");
