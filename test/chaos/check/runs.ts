// How often a call may have run. With a key: once. Without one each attempt is a separate call, unless it certainly did not
// run, or is a duplicate of the one before, as defined by decision 4 and B26 to B29 of src/switchboard/SPEC.md.
import type { Attempt, Call, Fault } from "../history.ts";
import { overlaps } from "./case.ts";
import type { Case } from "./case.ts";

export function runsTooMany({ call, runs, faults }: Case): readonly string[] {
  const most = call.key === undefined ? mostRuns(call, { runs, faults }) : 1;
  if (runs.length <= most) return [];
  const where = runs.map(({ run, tab }) => `${run} in tab ${tab}`).join(", ");
  return [`ran ${runs.length} times, at most ${most} are right: ${where}.`];
}

function mostRuns(call: Call, around: Pick<Case, "runs" | "faults">): number {
  return call.attempts.filter((attempt, index) =>
    mayRun(call, attempt, { before: call.attempts[index - 1], ...around }),
  ).length;
}

/** The longest delay, on a busy machine, between a caller's request and the start of its run, and of an unnoticed fault. */
const unnoticed = 1500;

/** Runs that began after the deadlines of all attempts. Time in the callers' own network does not count. */
export function lateRuns({ call, runs, faults }: Case): readonly string[] {
  const held = faults.filter(({ place }) => place === "callers");
  const mayBegin = ({ sentAt, time }: Attempt, at: number) => {
    const stalled = held.filter((fault) => overlaps(fault, sentAt, at)).map(({ from, to = at }) => to - from);
    return sentAt <= at && at <= sentAt + time + unnoticed + stalled.reduce((sum, one) => sum + one, 0);
  };
  return runs
    .filter(({ at }) => !call.attempts.some((attempt) => mayBegin(attempt, at)))
    .map(({ run, tab }) => `run ${run} in tab ${tab} began when the time of every attempt was over.`);
}

interface Around extends Pick<Case, "runs" | "faults"> {
  readonly before: Attempt | undefined;
}

function mayRun(call: Call, attempt: Attempt, { before, runs, faults }: Around): boolean {
  if (attempt.answer?.ran === "no" || attempt.answer?.isReplay === true) return false;
  return before === undefined || !isTwin(call, { attempt, before, runs, faults });
}

/** Far below `cutTime`, also on a slow machine. */
const soon = 1000;
/** A fault may be noticed this many milliseconds after its end, and a cut this long after it was made. */
const aftermath = 2000;

/**
 * Whether the hub must have treated both as one call: the caller hung up before the call could have ended, the hub could
 * notice this, and the caller retried soon. A written answer counts as received, even if the caller did not read it.
 */
function isTwin(
  call: Call,
  { attempt, before, runs, faults }: Around & { attempt: Attempt; before: Attempt },
): boolean {
  const { sentAt, endedAt, end, hasBegun } = before;
  if (call.isReadOnly || end !== "hung-up" || hasBegun === true || endedAt === undefined) return false;
  if (attempt.door !== before.door || attempt.sentAt - endedAt > soon) return false;
  if (runs.some(({ at }) => at + call.work <= endedAt)) return false;
  const [from, to] = [sentAt - aftermath, attempt.sentAt + aftermath];
  const isBlurred = ({ place }: Fault) => ["hub", "callers"].includes(place);
  const mayEnd = (fault: Fault) =>
    ["tab", "pages"].includes(fault.place) && overlaps(fault, sentAt - aftermath, endedAt);
  return !faults.some((fault) => (isBlurred(fault) && overlaps(fault, from, to)) || mayEnd(fault));
}
