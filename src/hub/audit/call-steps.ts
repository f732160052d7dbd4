// The steps of a call in its audit record: how long it waited, and what happened when, relative to its acceptance.
import type { Call, CallTimes, OnEnded } from "../../switchboard/index.ts";
import type { CallSteps, StepSpan } from "../store/index.ts";

/** A shorter wait is none. */
const leastWait = 1;

/** Undefined for a call that neither waited nor began. */
export function stepsOf(asked: Parameters<OnEnded>[0], call: Call | undefined, now: number): CallSteps | undefined {
  // It never began, or the steps are those of the call that it repeats.
  if (!call || asked.waited !== undefined) return waitOf(asked.waited);
  const { times, startedAt } = call;
  const ended = rounded(now - startedAt);
  const waited = waitOf(asked.request.waited)?.waited;
  if (!times) return { waited, ended };
  // No spread here: it would create a new hidden class for each record.
  return {
    waited,
    sent: timeOf(times.sent),
    resent: timeOf(times.resent),
    acked: timeOf(times.acked),
    progress: times.reports === 0 ? undefined : progressOf(times),
    questions: times.questions === 0 ? undefined : questionsOf(times),
    ended,
  };
}

/** The steps of a call that only waited. */
export function waitOf(waited: number | undefined): CallSteps | undefined {
  return waited === undefined || waited < leastWait ? undefined : { waited: rounded(waited) };
}

function progressOf({ reports: count, firstReport, lastReport }: CallTimes): StepSpan {
  return { count, first: firstReport / 10, last: lastReport / 10 };
}

function questionsOf({ questions: count, firstQuestion, lastAnswer }: CallTimes): StepSpan {
  return { count, first: firstQuestion / 10, last: timeOf(lastAnswer) };
}

function timeOf(tenths: number): number | undefined {
  return tenths < 0 ? undefined : tenths / 10;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
