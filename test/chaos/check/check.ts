// Checks a history for broken promises, without any knowledge of how the hub keeps them.
import type { Call, History } from "../history.ts";
import { groupBy, nameOf } from "./case.ts";
import type { Case } from "./case.ts";
import { wrongOutcomes } from "./outcomes.ts";
import { lateRuns, runsTooMany } from "./runs.ts";
import { saidNo, saidYes, wrongResults } from "./words.ts";

/** A broken promise about a call; without a call, it is about the whole run. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly what: string;
  readonly call?: Call;
}

export type ViolationKind = keyof typeof rules | "left-broken";

const rules = {
  /** A key ran more than once, or a call without one ran more often than it was sent as a separate call. */
  "ran-twice": runsTooMany,
  /** A call began after its deadline. */
  late: lateRuns,
  /** An answer claimed `ran: no` for a call that ran. */
  "said-no": saidNo,
  /** An answer claimed `ran: yes` for a call that did not run. */
  "said-yes": saidYes,
  /** A result of another call, or of a run that no page knows. */
  "wrong-result": wrongResults,
  /** The same key had two outcomes. */
  "other-outcome": wrongOutcomes,
  /** No answer long after the deadline. */
  hangs,
  /** A refusal that nothing in the call or the faults explains. */
  unexpected,
} satisfies Record<string, (one: Case) => readonly string[]>;

export function check({ calls, runs, faults, leftBroken }: History): readonly Violation[] {
  const runsOf = groupBy(runs, ({ tag }) => tag);
  const found = calls.flatMap((call) => {
    const one = { call, runs: runsOf.get(call.tag) ?? [], faults };
    return Object.entries(rules).flatMap(([kind, findIn]) =>
      findIn(one).map((what): Violation => ({ kind: kind as ViolationKind, what, call })),
    );
  });
  return [...found, ...leftBroken.map((what): Violation => ({ kind: "left-broken", what }))];
}

function hangs({ call }: Case): readonly string[] {
  return call.attempts
    .filter(({ end }) => end === "hangs" || end === undefined)
    .map((attempt) => `${nameOf(call, attempt)} had ${attempt.time} ms and no answer long after.`);
}

const expectedCodes = new Set([
  ...[
    "tool-not-found",
    "tab-not-found",
    "offer-not-found",
    "tab-gone",
    "calls-too-many",
    "going-away",
    "session-not-found",
  ],
  ...["not-delivered", "page-gone", "page-suspended", "deadline-exceeded", "cancelled", "outcome-unknown", "expired"],
  ...["tab-suspended", "tab-silent", "not-saved"],
]);

function unexpected({ call }: Case): readonly string[] {
  return call.attempts.flatMap((attempt) => {
    const { code, message } = attempt.answer ?? {};
    if (code === undefined || expectedCodes.has(code)) return [];
    return [`${nameOf(call, attempt)} was answered with ${code}: ${message ?? "no message"}`];
  });
}
