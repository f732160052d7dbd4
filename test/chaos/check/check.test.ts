import { expect, test } from "vitest";
import type { Answer, Attempt, Call, Fault, History, Run } from "../history.ts";
import { check } from "./check.ts";
import type { ViolationKind } from "./check.ts";
import { count, describeViolations } from "./report.ts";

const start = 1_000_000;

function ran(tag: string, at: number, { run = `${tag}@${at}`, tab = "tab-a" } = {}): Run {
  return { tag, run, tab, at: start + at };
}

function told(words: Partial<Answer> & { readonly at: number }): Answer {
  return { outcome: "ok", ran: "yes", isReplay: false, ...words };
}

/** An attempt that was answered ten milliseconds after it was sent. */
function answered(at: number, words: Partial<Answer>, more: Partial<Attempt> = {}): Attempt {
  const endedAt = start + at + 10;
  const answer = told({ at: endedAt, ...words });
  return { door: "http", sentAt: start + at, time: 60_000, end: "answered", endedAt, hasBegun: true, answer, ...more };
}

function unanswered(at: number, end: Attempt["end"], more: Partial<Attempt> = {}): Attempt {
  const ended = end === undefined ? {} : { end, endedAt: start + at + 10 };
  return { door: "http", sentAt: start + at, time: 60_000, hasBegun: false, ...ended, ...more };
}

const ok = (tag: string, at: number) => ({ result: { tag, run: `${tag}@${at}` } });

function keyed(tag: string, attempts: readonly Attempt[], more: Partial<Call> = {}): Call {
  return { tag, key: `key-${tag}`, caller: "ann", tool: "shop_write", isReadOnly: false, work: 0, attempts, ...more };
}

const unkeyed = (tag: string, attempts: readonly Attempt[], more: Partial<Call> = {}) =>
  keyed(tag, attempts, { key: undefined, ...more });

function found(call: Call, { runs = [], faults = [] }: { runs?: readonly Run[]; faults?: readonly Fault[] } = {}) {
  return check({ calls: [call], runs, faults, leftBroken: [] }).map(({ kind }) => kind);
}

const hubKill: Fault = { place: "hub", what: "kill", from: start + 5, to: start + 900 };

/** Histories without a violation. */
const sound: Readonly<Record<string, () => readonly ViolationKind[]>> = {
  "a key that is answered, and answered again": () =>
    found(keyed("a", [answered(0, ok("a", 2)), answered(90, { ...ok("a", 2), isReplay: true })]), {
      runs: [ran("a", 2)],
    }),
  "a key that was refused first, and ran then": () =>
    found(
      keyed("a", [answered(0, { outcome: "rejected", ran: "no", code: "going-away" }), answered(90, ok("a", 92))]),
      {
        runs: [ran("a", 92)],
      },
    ),
  "a refusal beside an attempt that ran at the same time": () => {
    const slow = unanswered(0, "hung-up", { endedAt: start + 300 });
    return found(keyed("a", [slow, answered(50, { outcome: "rejected", ran: "no", code: "calls-too-many" })]), {
      runs: [ran("a", 55)],
    });
  },
  "a call without a key that is sent again after a kill of the hub, and runs twice": () =>
    found(unkeyed("a", [unanswered(0, "broken"), answered(95, ok("a", 96))]), {
      runs: [ran("a", 2), ran("a", 96)],
      faults: [hubKill],
    }),
  "a call that lay in its caller's network beyond its time": () =>
    found(keyed("a", [unanswered(0, "broken", { time: 500 })]), {
      runs: [ran("a", 2600)],
      faults: [{ place: "callers", what: "callers-stall", from: start - 100, to: start + 2000 }],
    }),
  "a call sent again whose first answer may have been written before its caller hung up": () =>
    found(unkeyed("a", [unanswered(0, "hung-up"), answered(95, ok("a", 96))]), {
      runs: [ran("a", 2), ran("a", 96)],
    }),
  "a call sent again whose tab was reloaded before its caller hung up": () =>
    found(unkeyed("a", [unanswered(0, "hung-up"), answered(95, ok("a", 96))], { work: 900 }), {
      runs: [ran("a", 2), ran("a", 96)],
      faults: [{ place: "tab", what: "reload of tab-a", from: start - 5, to: start + 80 }],
    }),
  "a twin of a read-only tool that runs again": () =>
    found(unkeyed("a", [unanswered(0, "hung-up"), answered(95, ok("a", 96))], { isReadOnly: true }), {
      runs: [ran("a", 2), ran("a", 96)],
    }),
  "one attempt of a key that was cancelled, and another that was not": () =>
    found(
      keyed("a", [
        answered(0, { outcome: "cancelled", ran: "maybe", code: "cancelled" }, { cancelledAt: start + 5 }),
        answered(1, ok("a", 2)),
      ]),
      { runs: [ran("a", 2)] },
    ),
  "a key that is asked for eleven minutes later": () =>
    found(
      keyed("a", [answered(0, ok("a", 2)), answered(660_000, { outcome: "expired", ran: "maybe", code: "expired" })]),
      {
        runs: [ran("a", 2)],
      },
    ),
  "an outcome that cannot be told yet, and then is": () =>
    found(
      keyed("a", [
        unanswered(0, "broken"),
        answered(50, { outcome: "outcome-unknown", ran: "maybe", code: "tab-not-found" }),
        answered(99, ok("a", 2)),
      ]),
      { runs: [ran("a", 2)] },
    ),
};

test.each(Object.entries(sound))("the chaos checker accepts %s", (_, find) => {
  expect(find()).toEqual([]);
});

/** Histories with exactly one violation each. */
const planted: Readonly<Record<string, readonly [ViolationKind, () => readonly ViolationKind[]]>> = {
  "a key that ran twice": [
    "ran-twice",
    () =>
      found(keyed("a", [unanswered(0, "broken"), answered(95, ok("a", 96))]), { runs: [ran("a", 2), ran("a", 96)] }),
  ],
  "a call sent once without a key that ran twice": [
    "ran-twice",
    () => found(unkeyed("a", [answered(0, ok("a", 2))]), { runs: [ran("a", 2), ran("a", 5, { tab: "tab-b" })] }),
  ],
  "a twin that ran": [
    "ran-twice",
    () =>
      found(unkeyed("a", [unanswered(0, "hung-up"), answered(95, ok("a", 96))], { work: 900 }), {
        runs: [ran("a", 2), ran("a", 96)],
      }),
  ],
  "a replay that ran": [
    "ran-twice",
    () =>
      found(unkeyed("a", [unanswered(0, "broken"), answered(95, { ...ok("a", 2), isReplay: true })]), {
        runs: [ran("a", 2), ran("a", 96)],
        faults: [hubKill],
      }),
  ],
  "a call that begins after its time": [
    "late",
    () => found(keyed("a", [unanswered(0, "broken", { time: 500 })]), { runs: [ran("a", 2600)] }),
  ],
  "an attempt that did not run, as it is told, and ran": [
    "said-no",
    () =>
      found(keyed("a", [answered(0, { outcome: "not-delivered", ran: "no", code: "not-delivered" })]), {
        runs: [ran("a", 2)],
      }),
  ],
  "an attempt that runs after it was told that it did not": [
    "said-no",
    () =>
      found(keyed("a", [answered(0, { outcome: "page-gone", ran: "no", code: "page-gone" })]), {
        runs: [ran("a", 500)],
      }),
  ],
  "a key that ran before, and of which it is told that it did not": [
    "said-no",
    () =>
      found(
        keyed("a", [unanswered(0, "broken"), answered(90, { outcome: "rejected", ran: "no", code: "tool-not-found" })]),
        {
          runs: [ran("a", 2)],
        },
      ),
  ],
  "a call that ran, as it is told, and did not": [
    "said-yes",
    () => found(keyed("a", [answered(0, { outcome: "tool-error" })])),
  ],
  "a result of another call": [
    "wrong-result",
    () => found(keyed("a", [answered(0, { result: { tag: "b", run: "a@2" } })]), { runs: [ran("a", 2)] }),
  ],
  "a result of a run that no page knows": [
    "wrong-result",
    () => found(keyed("a", [answered(0, { result: { tag: "a", run: "other" } })]), { runs: [ran("a", 2)] }),
  ],
  "a call that another tab ran than it named": [
    "wrong-result",
    () => found(keyed("a", [answered(0, ok("a", 2))], { tab: "tab-b" }), { runs: [ran("a", 2)] }),
  ],
  "a key with an outcome that is unknown after its result was given": [
    "other-outcome",
    () =>
      found(
        keyed("a", [
          answered(0, ok("a", 2)),
          answered(90, { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown", isReplay: true }),
        ]),
        { runs: [ran("a", 2)] },
      ),
  ],
  "a key that expires too early": [
    "other-outcome",
    () =>
      found(
        keyed("a", [answered(0, ok("a", 2)), answered(9000, { outcome: "expired", ran: "maybe", code: "expired" })]),
        {
          runs: [ran("a", 2)],
        },
      ),
  ],
  "an attempt that was given up": ["hangs", () => found(keyed("a", [unanswered(0, "hangs")]))],
  "an attempt without an end": ["hangs", () => found(keyed("a", [unanswered(0, undefined)]))],
  "a refusal that nothing explains": [
    "unexpected",
    () => found(keyed("a", [answered(0, { outcome: "rejected", ran: "no", code: "key-conflict" })])),
  ],
};

test.each(Object.entries(planted))("the chaos checker rejects %s", (_, [kind, find]) => {
  expect(find()).toEqual([kind]);
});

test("the chaos checker reports problems left at the end", () => {
  const history: History = { calls: [], runs: [], faults: [], leftBroken: ["Not all tabs are back."] };
  expect(check(history)).toEqual([{ kind: "left-broken", what: "Not all tabs are back." }]);
});

test("a violation is printed with its call's attempts, runs and faults in order", () => {
  const call = keyed("a", [unanswered(0, "broken", { problem: "ECONNRESET" }), answered(95, ok("a", 96))]);
  const history: History = { calls: [call], runs: [ran("a", 2), ran("a", 96)], faults: [hubKill], leftBroken: [] };
  const text = describeViolations(check(history), history);
  expect(text).toContain(
    "VIOLATION ran-twice: a ran 2 times, at most 1 are right: a@2 in tab tab-a, a@96 in tab tab-a.",
  );
  const order = [
    "attempt 1 sent",
    "RUN a@2",
    "fault: hub kill",
    "broken; ECONNRESET",
    "attempt 2 sent",
    "RUN a@96",
    "fault over",
  ];
  const places = order.map((words) => text.indexOf(words));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test("a run is summarised by counts of its calls, attempts, runs, faults and answers", () => {
  const calls = [
    keyed("a", [unanswered(0, "broken"), answered(95, ok("a", 96))]),
    unkeyed("b", [answered(0, ok("b", 2))]),
  ];
  expect(count({ calls, runs: [ran("a", 96), ran("b", 2)], faults: [hubKill], leftBroken: [] })).toEqual({
    calls: 2,
    attempts: 3,
    keyedAttempts: 2,
    runs: 2,
    faults: 1,
    faultsByKind: { "hub: kill": 1 },
    answersByOutcome: { "ok, ran: yes": 2, broken: 1 },
  });
});
