// The state of an earlier run: calls wait a while for its tabs to come back, and for longer a key may have been used in it.
// A switchboard without an earlier run does not need this.
import type { Clock } from "../link/index.ts";
import type { ErrorCode, Outcome, Ran, SwitchboardLimits } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, isOfPolicy, rejection } from "./call-life.ts";
import type { Asked, CallHandle, CallRequest, Route } from "./types.ts";

export interface Returns {
  /** Whether a tab of the earlier run may bring back what a refused call lacks. */
  mayBringBack(refusal: Outcome): boolean;
  wait(asked: Asked, needs: WaitNeeds): CallHandle;
  /** Whether a call that no tab received in this run may have run in the earlier one. */
  ran(request: CallRequest): Ran;
  /** A refusal that claims nothing ran only if the earlier run cannot have run the call. */
  asFarAsKnown(refusal: Outcome, request: CallRequest): Outcome;
  /** Ends every call that waits. */
  close(): void;
}

export interface WaitNeeds {
  readonly route: (request: CallRequest, caller: Asked["caller"]) => Route;
  readonly begin: (asked: Asked) => CallHandle;
  /** Subscribes to changes of the tabs and their offers. */
  readonly onChange: (listener: () => void) => () => void;
  /** `ran` of a call that ends while it waits; by default derived from its key. */
  readonly ran?: (request: CallRequest) => Ran;
}

interface ReturnsOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  /** When the earlier run ended, on the same clock. */
  readonly earlierEnd: number;
  /** Whether the ledger covers all keys, so that a key without an entry was not used. */
  readonly keysAreKnown?: boolean;
}

export function createReturns({ clock, limits, earlierEnd, keysAreKnown = false }: ReturnsOptions): Returns {
  const startedAt = clock.now();
  /** The earlier run would have kept the outcomes of its keys until then. */
  const keysEnd = earlierEnd + limits.keyTime;
  const tabsEnd = keysEnd > startedAt ? startedAt + limits.returnTime : -Infinity;
  const waits = new Set<() => void>();

  const mayBringBack = (refusal: Outcome) => clock.now() < tabsEnd && lacks(refusal, absences);
  const isDoubtful = () => !keysAreKnown && clock.now() < keysEnd;
  const ranBefore = ({ key }: CallRequest) => (key !== undefined && isDoubtful() ? "maybe" : "no");

  function wait(asked: Asked, { route, begin, onChange, ran = ranBefore }: WaitNeeds): CallHandle {
    const { caller, request, listener } = asked;
    const begunAt = clock.now();
    const max = tabsEnd - begunAt;
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    const isBack = () => {
      const aim = route(request, caller);
      return !("outcome" in aim) || !mayBringBack(aim.outcome);
    };
    caller.inFlight++;
    return laterCall(asked, ran, (go) => {
      const stop = () => {
        for (const each of stops.splice(0)) each();
      };
      const again = () => {
        stop();
        go(begin({ ...asked, request: { ...request, left: left - (clock.now() - begunAt) } }));
      };
      const giveUp = (outcome: Outcome) => {
        stop();
        go(endedCall(listener, { ...outcome, ran: ran(request) }));
      };
      const close = () => giveUp(closing);
      waits.add(close);
      const stops = [
        clock.after(Math.min(max, left), () => (left > max ? again() : giveUp(notBack))),
        onChange(() => isBack() && again()),
        () => waits.delete(close),
        () => caller.inFlight--,
      ];
      return stop;
    });
  }

  return {
    mayBringBack,
    wait,
    ran: ranBefore,
    asFarAsKnown(refusal, request) {
      if (ranBefore(request) === "no" || !(lacks(refusal, untilLater) || isOfPolicy(refusal))) return refusal;
      const message = `${refusal.message} Before the hub was started again the call may have run under this key.`;
      return { ...refusal, outcome: "outcome-unknown", ran: "maybe", message };
    },
    close() {
      for (const close of [...waits]) close();
    },
  };
}

const closing = rejection("going-away", "The hub is stopping. Try again in a moment.", 1000);
const notBack = end("deadline-exceeded", "no", "The tab that the call needs did not come back in time.");

function lacks({ code }: Outcome, some: readonly ErrorCode[]): boolean {
  return code !== undefined && some.includes(code);
}

/** Refusals for lack of something that a returning tab may bring. */
const absences: readonly ErrorCode[] = ["tool-not-found", "offer-not-found", "tab-not-found", "tab-gone"];

/** Refusals unrelated to the call itself: an earlier run may have accepted it. */
const untilLater: readonly ErrorCode[] = [...absences, "tool-ambiguous", "calls-too-many", "going-away"];
