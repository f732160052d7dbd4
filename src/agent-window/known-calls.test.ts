import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { bridgeLimits } from "./bridge-limits.ts";
import { createKnownCalls } from "./known-calls.ts";

test("BR40: the limits are these", () => {
  expect(bridgeLimits).toMatchObject({ knownCalls: 1000, knownTime: 600_000, outcomeCharacters: 16_000_000 });
});

const limits = { knownCalls: 3, knownTime: 1000, outcomeCharacters: 100 };

function setup() {
  const stored = new Map<string, string>();
  const clock = createFakeClock();
  let now = 0;
  const storage = {
    get: (name: string) => stored.get(name),
    set: (name: string, value: string) => void stored.set(name, value),
  };
  const open = () => createKnownCalls({ storage, clock, date: () => now, limits });
  return { stored, clock, open, known: open(), wait: (time: number) => (now += time) };
}

const answer = (characters = 1) => ({ answer: { success: true, result: "r" }, characters }) as const;

test("BR38: a call is known from before it runs, with its outcome as soon as that is there", () => {
  const { known } = setup();
  expect(known.find("c1")).toBeUndefined();
  const call = known.add("c1", "work {}");
  expect(known.find("c1")).toMatchObject({ fingerprint: "work {}" });
  known.answered(call, answer());
  expect(known.find("c1")).toMatchObject({ answered: { answer: { result: "r" } } });
});

test("BR39: after a reload the outcome of every call is unknown, whether it ran or was done", () => {
  const { known, open } = setup();
  known.answered(known.add("done", "work {}"), answer());
  known.add("running", "work {}");
  known.save();
  const again = open();
  for (const id of ["done", "running"]) {
    expect(again.find(id)).toMatchObject({
      fingerprint: undefined,
      answered: { answer: { success: false, code: "outcome-unknown" } },
    });
  }
});

test("BR40: only so many calls are known, and for so long; one that runs is never forgotten", () => {
  const { known, open, wait } = setup();
  known.add("runs", "");
  for (const id of ["one", "two", "three", "four"]) {
    known.answered(known.add(id, ""), answer());
    wait(100);
  }
  expect(["runs", "one", "two", "three", "four"].map((id) => known.find(id) !== undefined)).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
  wait(1000);
  known.answered(known.add("five", ""), answer());
  expect(["runs", "four", "five"].map((id) => known.find(id) !== undefined)).toEqual([true, false, true]);
  known.save();
  const again = open();
  expect(["four", "five"].map((id) => again.find(id) !== undefined)).toEqual([false, true]);
  wait(1000);
  expect(open().find("five")).toBeUndefined();
});

test("BR39: calls are written down a moment after they came, and not each by itself", async () => {
  const { known, open, stored, clock } = setup();
  known.add("one", "");
  known.add("two", "");
  expect(stored.size).toBe(0);
  await clock.advance(1000);
  const again = open();
  expect(["one", "two"].map((id) => again.find(id) !== undefined)).toEqual([true, true]);
});

test("BR39: bridges of one tab write down their calls beside each other", () => {
  const { known, open } = setup();
  const other = open();
  known.add("one", "");
  other.add("two", "");
  known.save();
  other.save();
  const again = open();
  expect(["one", "two"].map((id) => again.find(id) !== undefined)).toEqual([true, true]);
});

test("BR40: when outcomes take too much, the oldest go, and of those it is known that they ran", () => {
  const { known } = setup();
  known.answered(known.add("large", "x".repeat(40)), answer(50));
  known.answered(known.add("small", ""), answer(5));
  expect(known.find("large")).toMatchObject({ answered: { answer: { success: true } } });
  known.answered(known.add("last", ""), answer(20));
  expect(known.find("large")).toMatchObject({ fingerprint: undefined, answered: { answer: { code: "key-expired" } } });
  for (const id of ["small", "last"]) expect(known.find(id)).toMatchObject({ answered: { answer: { success: true } } });
});

test("BR40: what others wrote into the storage does no harm", () => {
  const { stored, open } = setup();
  for (const text of ["{", "7", '[7,[],[null,1],["odd"]]', "[".repeat(10_000)]) {
    stored.set("pagewire-agent-calls", text);
    expect(open().find("odd")).toBeUndefined();
  }
  stored.set("pagewire-agent-calls", '["x",["good",1]]');
  expect(open().find("good")).toMatchObject({ answered: { answer: { code: "outcome-unknown" } } });
});
