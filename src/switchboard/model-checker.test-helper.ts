// Reads a history and reports the broken promises of calls. It knows nothing of the implementation.
import { outcomesOf, principalOf } from "./model-history.test-helper.ts";
import type { Attempt, History, Operation, Run } from "./model-history.test-helper.ts";
import type { ErrorCode, Outcome } from "../wire/index.ts";
import { slowest } from "./model-ledger.test-helper.ts";
import { forgery } from "./model-tab.test-helper.ts";

/** A broken promise. */
export interface Problem {
  readonly rule: RuleName;
  readonly what: string;
}

export type RuleName = keyof typeof rules;

export function check(history: History): readonly Problem[] {
  return Object.entries(rules).flatMap(([rule, findIn]) =>
    findIn(history).map((what): Problem => ({ rule: rule as RuleName, what })),
  );
}

const rules = {
  "one outcome": oneOutcome,
  "at most once": atMostOnce,
  "told the truth": toldTheTruth,
  "in time": inTime,
  secrets,
  principals,
  "same key, same outcome": sameKeySameOutcome,
  "nothing unasked": nothingUnasked,
  presence,
  "nothing left": ({ leaks }: History) => leaks,
} satisfies Record<string, (history: History) => readonly string[]>;

const attemptsOf = ({ operations }: History) => operations.flatMap(({ attempts }) => attempts);
const nameOf = ({ operation, callId }: Attempt) => `${operation.id} (${callId || "no call"})`;
const pairsOf = <Value>(values: readonly Value[]) =>
  values.flatMap((one, index) => values.slice(index + 1).map((other) => [one, other] as const));

/** Every call has one outcome, the last event that its caller receives; a caller that was cut off receives nothing more. */
function oneOutcome(history: History): readonly string[] {
  const problems = attemptsOf(history).flatMap((attempt) => {
    const { heard, cutAt, isLost } = attempt;
    const outcomes = outcomesOf(attempt);
    const isOwed = cutAt === undefined && !isLost;
    return [
      ...(outcomes.length > 1 || (isOwed && outcomes.length === 0)
        ? [`${nameOf(attempt)} has ${outcomes.length} outcomes.`]
        : []),
      ...(outcomes.length > 0 && heard.at(-1)?.what !== "ended"
        ? [`${nameOf(attempt)} heard more after its end.`]
        : []),
      ...(cutAt !== undefined && heard.some(({ at }) => at > cutAt)
        ? [`${nameOf(attempt)} heard more after its cut.`]
        : []),
    ];
  });
  return [...problems, ...wrongLives(history)];
}

/** Every call that watchers see begins once and ends once, with no event after the end. */
function wrongLives({ events, killed }: History): readonly string[] {
  const lives = new Map<string, { readonly hub: number; readonly words: string[] }>();
  for (const { hub, event } of events) {
    const id = `${hub} ${event.id}`;
    const life = lives.get(id) ?? { hub, words: [] };
    life.words.push(event.event);
    lives.set(id, life);
  }
  return [...lives].flatMap(([id, { hub, words }]) => {
    const begins = words.lastIndexOf("started") === 0;
    const end = words.indexOf("ended");
    const ends = end === words.length - 1 || (end < 0 && killed.has(hub));
    return begins && ends ? [] : [`Watchers heard of ${id}: ${words.join(", ")}.`];
  });
}

/**
 * A call runs once. A key runs once as long as its hub lives, and with several hubs once in a tab until that tab crashes;
 * with a ledger it always runs once.
 * A call whose caller was cut off runs once when the caller is back in time.
 */
function atMostOnce(history: History): readonly string[] {
  const keyOf = new Map(history.operations.map(({ id, request }) => [id, request.key]));
  return pairsOf(history.runs).flatMap(([one, other]) => {
    if (one.operation !== other.operation) return [];
    const isSameHub = one.hub === other.hub;
    const isSameCall = isSameHub && one.callId === other.callId;
    const isSameMemory = one.tabId === other.tabId && one.crashes === other.crashes;
    const isSameKey = keyOf.get(one.operation) !== undefined && (isSameHub || isSameMemory || history.hasLedger);
    const isBroken = isSameCall || isSameKey || isTwin(history, one, other);
    return isBroken ? [`${one.operation} ran as ${one.mark} and ${other.mark}.`] : [];
  });
}

/** Whether the second of two runs is of a call that should have joined the first or got its outcome. */
function isTwin(history: History, one: Run, other: Run): boolean {
  const { cutTime, twinTime, twinPause } = history.limits;
  const operation = history.operations.find(({ id }) => id === one.operation);
  if (!operation || operation.isReadOnly || one.hub !== other.hub || one.callId === other.callId) return false;
  const end = history.events.find(
    ({ hub, event }) => hub === one.hub && event.id === one.callId && event.event === "ended",
  );
  return operation.attempts.some(({ callId, cutAt, hub }, index) => {
    const next = operation.attempts[index + 1];
    const isPair = next && callId === one.callId && next.callId === other.callId && next.hub === hub && hub === one.hub;
    if (!isPair || cutAt === undefined) return false;
    const since = next.begunAt - cutAt;
    if (end === undefined || end.at > next.begunAt) return since < cutTime && since > -twinPause;
    return since >= 0 && since < twinTime && end.event.outcome !== "cancelled";
  });
}

/** An outcome is true: a result is that of its own run, and a call reported as not run never runs. */
function toldTheTruth(history: History): readonly string[] {
  return attemptsOf(history).flatMap((attempt) => {
    const { operation, callId, hub } = attempt;
    const runs = history.runs.filter((run) => run.operation === operation.id);
    const own = runs.filter((run) =>
      operation.attempts.length === 1 ? true : run.callId === callId && run.hub === hub,
    );
    const isWritten = history.hasLedger && operation.request.key !== undefined;
    return attempt.heard.flatMap(({ outcome: told, at }) => {
      if (!told) return [];
      const { outcome, ran, payload } = told;
      const before = isWritten ? runs.filter((run) => run.at < at) : own;
      if (ran === "no" && (before.length > 0 || own.length > 0))
        return [`${nameOf(attempt)} was told ${outcome}, not run, and ran.`];
      if (outcome !== "ok" && outcome !== "tool-error") return [];
      const said = payload === undefined ? undefined : (JSON.parse(String(payload)) as { mark?: string });
      const isRun = runs.some(({ mark }) => mark === said?.mark);
      const isOnly = callId === "" || own.length <= 1;
      return isRun && isOnly ? [] : [`${nameOf(attempt)} was told ${outcome} with ${String(payload)}.`];
    });
  });
}

/** No call begins to run after its deadline, and every call has ended by its deadline. */
function inTime(history: History): readonly string[] {
  const deadlines = new Map<string, number>();
  for (const { callId, hub, begunAt, operation } of attemptsOf(history)) {
    const id = `${hub} ${callId}`;
    const left = operation.request.left ?? history.limits.callTime;
    // The caller receives its outcome once that is written, after the write of the key that may be under way.
    const written = history.hasLedger && operation.request.key !== undefined ? 2 * slowest : 0;
    const end = begunAt + left + history.limits.twinPause + written;
    // A call that joined another, or began to wait earlier, has the other's deadline.
    if (written > 0 || !deadlines.has(id)) deadlines.set(id, Math.max(end, deadlines.get(id) ?? 0));
  }
  const late = (at: number, hub: number, callId: string) => at > (deadlines.get(`${hub} ${callId}`) ?? Infinity);
  return [
    ...history.runs
      .filter(({ at, deadline, hub, callId }) => at >= deadline || late(at + 1, hub, callId))
      .map(({ mark, at }) => `${mark} began at ${at}, too late.`),
    ...attemptsOf(history)
      .filter(({ heard, hub, callId }) => callId !== "" && heard.some(({ at }) => late(at, hub, callId)))
      .map((attempt) => `${nameOf(attempt)} went on after its time.`),
  ];
}

/** Every event that a caller receives, and every answer that a page receives, belongs to that call. */
function secrets(history: History): readonly string[] {
  const isForeign = (text: string, { id }: Pick<Operation, "id">) =>
    text.includes(forgery) || (text.match(/operation-\d+/g) ?? []).some((said) => said !== id);
  return [
    ...attemptsOf(history).flatMap((attempt) =>
      attempt.heard
        .filter(({ text }) => isForeign(text, attempt.operation))
        .map(({ text }) => `${nameOf(attempt)} heard ${text}.`),
    ),
    ...history.runs.flatMap(({ operation, mark, answers }) =>
      answers.filter((text) => isForeign(text, { id: operation })).map((text) => `${mark} was answered ${text}.`),
    ),
  ];
}

/** No principal's data is run by, shown to or sent to another. */
function principals(history: History): readonly string[] {
  const ownerOf = new Map(history.operations.map(({ id, principal }) => [id, principal]));
  return [
    ...history.runs
      .filter(({ operation, principal }) => ownerOf.get(operation) !== principal)
      .map(({ mark, operation, tabId }) => `${operation} ran as ${mark} in ${tabId}.`),
    ...history.listings.flatMap(({ principal, tabIds }) =>
      tabIds.filter((id) => principalOf(id) !== principal).map((id) => `${principal} was shown ${id}.`),
    ),
    ...history.events
      .filter(
        ({ principal, event }) =>
          principalOf(event.agent) !== principal || principalOf(event.tabId ?? "") !== principal,
      )
      .map(({ principal, event }) => `${principal} heard of ${event.id} of ${event.agent} in ${event.tabId}.`),
  ];
}

/**
 * As long as a hub lives, and forever with a ledger, all callers of one key get the same outcome, unless it surely did not
 * run or has expired.
 */
function sameKeySameOutcome({ operations, hasLedger }: History): readonly string[] {
  return operations.flatMap(({ id, request, attempts }) => {
    if (request.key === undefined || attempts.some((attempt) => outcomesOf(attempt).some(({ notSaved }) => notSaved)))
      return [];
    const told = attempts.flatMap((attempt) =>
      outcomesOf(attempt)
        .filter((outcome) => isFinal(outcome) && attempt.cancelledAt === undefined)
        .filter(({ outcome }) => outcome !== "deadline-exceeded" || attempt.callId !== "")
        .map(({ outcome, payload }) => ({ hub: attempt.hub, text: `${outcome} ${String(payload)}` })),
    );
    return pairsOf(told)
      .filter(([one, other]) => (hasLedger || one.hub === other.hub) && one.text !== other.text)
      .map(([one, other]) => `${id} was told "${one.text}" and "${other.text}".`);
  });
}

/** Whether an outcome is final, not a temporary refusal of a hub that could not know it. */
function isFinal({ outcome, ran, code }: Outcome): boolean {
  const passing: readonly (ErrorCode | undefined)[] = ["not-saved", "going-away", "calls-too-many"];
  return ran !== "no" && outcome !== "expired" && !passing.includes(code);
}

/** Only a caller that cancelled gets "cancelled", and only a repeated call gets a replay. */
function nothingUnasked(history: History): readonly string[] {
  return history.operations.flatMap(({ request, attempts }) =>
    attempts.flatMap((attempt, index) =>
      outcomesOf(attempt).flatMap(({ outcome, replay }) => [
        ...(outcome === "cancelled" && request.key === undefined && attempt.cancelledAt === undefined
          ? [`${nameOf(attempt)} was told cancelled.`]
          : []),
        ...(replay && index === 0 && (request.key === undefined || attempts.length === 1)
          ? [`${nameOf(attempt)} was given a replay.`]
          : []),
      ]),
    ),
  );
}

/** A running tab is listed as connected, a paused one is not, and a closed one is not listed. */
function presence(history: History): readonly string[] {
  return history.presence
    .filter(({ state, listed }) => {
      if (state === "running") return listed !== "connected";
      return state === "paused" ? listed === "connected" : listed !== undefined;
    })
    .map(({ tabId, state, listed }) => `${tabId} was ${state} and listed as ${listed ?? "nothing"}.`);
}
