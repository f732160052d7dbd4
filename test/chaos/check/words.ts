// Whether answers are true: about the run, and about the call that they belong to.
import type { Attempt, Call } from "../history.ts";
import { nameOf } from "./case.ts";
import type { Case } from "./case.ts";

/**
 * `no` is false if the call ran, unless another attempt in progress explains the run. For a call without a
 * key it is about that attempt alone; with a key also about all earlier ones.
 */
export function saidNo({ call, runs }: Case): readonly string[] {
  return call.attempts.flatMap((attempt) => {
    if (attempt.answer?.ran !== "no") return [];
    const others = call.attempts.filter((other) => other !== attempt && other.answer?.ran !== "no");
    const lies = runs.filter(({ at }) => {
      if (at < attempt.sentAt) return call.key !== undefined;
      return !others.some((other) => isUnderWay(other, at));
    });
    return lies.map(
      ({ run, at }) =>
        `${nameOf(call, attempt)} was told ran: no, and run ${run} began ${at - attempt.sentAt} ms after it was sent.`,
    );
  });
}

function isUnderWay({ sentAt, answer }: Attempt, at: number): boolean {
  return sentAt <= at && (answer === undefined || answer.at >= at);
}

export function saidYes({ call, runs }: Case): readonly string[] {
  return call.attempts.flatMap((attempt) => {
    const { answer } = attempt;
    if (answer?.ran !== "yes" || runs.some(({ at }) => at <= answer.at)) return [];
    return [`${nameOf(call, attempt)} was told ran: yes, and no page had run it.`];
  });
}

export function wrongResults({ call, runs }: Case): readonly string[] {
  return call.attempts.flatMap((attempt) => {
    const { answer } = attempt;
    if (answer?.outcome !== "ok") return [];
    const { tag, run } = answer.result ?? {};
    if (tag !== call.tag) return [`${nameOf(call, attempt)} was given a result of ${describe(tag)}.`];
    if (!runs.some((known) => known.run === run))
      return [`${nameOf(call, attempt)} was given the result of run ${describe(run)}, which no page knows.`];
    return wrongTab(call, attempt, runs.find((known) => known.run === run)?.tab);
  });
}

function wrongTab(call: Call, attempt: Attempt, tab: string | undefined): readonly string[] {
  if (call.tab === undefined || call.tab === tab) return [];
  return [`${nameOf(call, attempt)} named tab ${call.tab}, and tab ${tab} ran it.`];
}

function describe(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
