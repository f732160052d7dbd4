// The text report of a run: its counts, and each violation with the history of its call.
import type { Attempt, Call, Fault, History } from "../history.ts";
import { groupBy, overlaps } from "./case.ts";
import type { Violation } from "./check.ts";

/** The figures of a run. */
export interface Counts {
  readonly calls: number;
  readonly attempts: number;
  readonly keyedAttempts: number;
  readonly runs: number;
  readonly faults: number;
  readonly faultsByKind: Readonly<Record<string, number>>;
  readonly answersByOutcome: Readonly<Record<string, number>>;
}

export function count({ calls, runs, faults }: History): Counts {
  const attempts = calls.flatMap((call) => call.attempts);
  const keyed = calls.filter(({ key }) => key !== undefined).flatMap((call) => call.attempts);
  return {
    calls: calls.length,
    attempts: attempts.length,
    keyedAttempts: keyed.length,
    runs: runs.length,
    faults: faults.length,
    faultsByKind: tally(faults.map(({ place, what }) => `${place}: ${what.replace(/ of .*/, "")}`)),
    answersByOutcome: tally(attempts.map(endOf)),
  };
}

function endOf({ end, answer }: Attempt): string {
  return answer ? `${answer.outcome}, ran: ${answer.ran}${answer.isReplay ? ", replay" : ""}` : (end ?? "hangs");
}

/** The count of each name, the most frequent first. */
export function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = [...groupBy(names, (name) => name)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(groups.sort(([, one], [, other]) => other - one));
}

/** Every violation of one call, and everything about that call in chronological order. */
export function describeViolations(violations: readonly Violation[], history: History): string {
  const said = violations.map(({ kind, what, call }) => `VIOLATION ${kind}: ${call ? `${call.tag} ` : ""}${what}`);
  const [{ call } = {}] = violations;
  if (call === undefined) return said.join("\n");
  const key = call.key === undefined ? "without a key" : `key ${call.key}`;
  const tool = `${call.tool}${call.isReadOnly ? " (read-only)" : ""}, works ${call.work} ms`;
  const aim = call.tab === undefined ? "any tab" : `tab ${call.tab}`;
  const head = `${key}, ${tool}, ${aim}, by ${call.caller}`;
  return [...said, ...[head, ...timeline(call, history)].map((line) => `  ${line}`)].join("\n");
}

/** Faults up to this many milliseconds before a call may have affected it. */
const before = 8000;

function timeline(call: Call, { runs, faults }: History): readonly string[] {
  const from = Math.min(...call.attempts.map(({ sentAt }) => sentAt));
  const to = Math.max(...call.attempts.map(({ sentAt, endedAt }) => endedAt ?? sentAt));
  const lines = [
    ...call.attempts.flatMap((attempt, index) => attemptLines(attempt, index + 1)),
    ...runs.filter(({ tag }) => tag === call.tag).map(({ at, run, tab }) => ({ at, text: `RUN ${run} in tab ${tab}` })),
    ...faults.filter((fault) => overlaps(fault, from - before, to)).flatMap(faultLines),
  ];
  return lines
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => `${String(at - from).padStart(8)} ms  ${text}`);
}

interface Line {
  readonly at: number;
  readonly text: string;
}

function attemptLines(attempt: Attempt, number: number): readonly Line[] {
  const { sentAt, endedAt, time, door, cancelledAt, answer, problem } = attempt;
  const sent = { at: sentAt, text: `attempt ${number} sent by ${door}, ${time} ms` };
  const cancelled = cancelledAt === undefined ? [] : [{ at: cancelledAt, text: `attempt ${number} is cancelled` }];
  const words = [answer?.code, answer?.message, answer?.result && JSON.stringify(answer.result), problem];
  const said = words.filter((word) => word !== undefined).join("; ");
  const ended = endedAt === undefined ? [] : [{ at: endedAt, text: `attempt ${number}: ${endOf(attempt)}; ${said}` }];
  return [sent, ...cancelled, ...ended];
}

function faultLines({ place, what, from, to }: Fault): readonly Line[] {
  const begin = { at: from, text: `fault: ${place} ${what}` };
  return to === undefined ? [begin] : [begin, { at: to, text: `fault over: ${place} ${what}` }];
}
