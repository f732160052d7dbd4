import { beforeEach, expect, test } from "vitest";
import { epochsMost } from "../../wire/index.ts";
import { failure } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { callsMost, charactersMost, createCallMemory, memoryTime, savedCharactersMost } from "./call-memory.ts";
import type { CallMemory, RememberedCall } from "./call-memory.ts";

let now = 0;
let saved: Map<string, string>;
beforeEach(() => {
  now = 1_000_000;
  saved = new Map();
});

const storage = {
  get: (name: string) => saved.get(name),
  set: (name: string, value: string) => void saved.set(name, value),
};
let ids = 0;
const newId = () => `epoch-${++ids}`;
const open = () => createCallMemory({ storage, date: () => now, newId });
const resultOf = (payload: string): Answer => ({ frame: { type: "result", isError: undefined }, payload });
const expired = { frame: { type: "failure", outcome: "expired", code: "key-expired", ran: "yes" }, payload: "" };

function keep(memory: CallMemory, key: string, { answer = "", fingerprint = "" } = {}): RememberedCall {
  const call: RememberedCall = { id: key, fingerprint, at: now };
  memory.add(key, call);
  if (answer) memory.answered(call, resultOf(answer));
  return call;
}

test("P21: a call and its answer are found by their key", () => {
  const memory = open();
  const call = keep(memory, "one", { answer: "{}" });
  expect(memory.find("one")).toBe(call);
  expect(memory.find("two")).toBeUndefined();
});

test("P25: after a reload an answered call has its answer, and one that ran is answered as unknown", () => {
  const memory = open();
  keep(memory, "answered", { answer: '{"content":[]}', fingerprint: "of its arguments" });
  keep(memory, "running");
  memory.answered(keep(memory, "refused"), failure({ outcome: "rejected", code: "input-invalid", message: "No." }));
  memory.save();
  const reloaded = open();
  expect(reloaded.find("answered")).toMatchObject({
    fingerprint: "of its arguments",
    answer: { frame: { type: "result" }, payload: '{"content":[]}' },
  });
  expect(reloaded.find("running")?.answer?.frame).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  expect(reloaded.find("refused")?.answer?.frame).toMatchObject({ outcome: "rejected", code: "input-invalid" });
});

test("P70: an epoch ends when the memory is saved; after a reload those that were saved are known, and a new one begins", () => {
  const memory = open();
  const [first] = memory.epochs;
  keep(memory, "saved");
  memory.save();
  const [, second] = memory.epochs;
  keep(memory, "lost");
  expect(memory.epochs).toEqual([first, second]);
  const crashed = open();
  expect(crashed.epochs).toEqual([first, expect.any(String)]);
  expect(crashed.epochs).not.toContain(second);
  expect([crashed.find("saved") !== undefined, crashed.find("lost")]).toEqual([true, undefined]);
});

test("P70: the last sixteen epochs are named", () => {
  const memory = open();
  const names = [...memory.epochs];
  for (let times = 0; times < epochsMost + 3; times++) {
    memory.save();
    names.push(...memory.epochs.slice(-1));
    expect(memory.epochs).toEqual(names.slice(-epochsMost));
  }
  expect(open().epochs.slice(0, -1)).toEqual(names.slice(-epochsMost, -1).slice(1 - epochsMost));
});

test("P70: without storage every document knows its own epoch only", () => {
  const nowhere = { get: () => undefined, set: () => {} };
  const memory = createCallMemory({ storage: nowhere, date: () => now, newId });
  memory.save();
  expect(memory.epochs).toHaveLength(2);
  expect(createCallMemory({ storage: nowhere, date: () => now, newId }).epochs).toHaveLength(1);
});

test("epochs that others wrote to the storage are left out, and so are those of an earlier form", () => {
  const good = ["good", { id: "1", fingerprint: "", at: now, answer: resultOf("{}") }];
  for (const wrong of [undefined, "epoch", ["with space"], [7], Array(epochsMost + 1).fill("epoch")]) {
    saved.set("calls", JSON.stringify(wrong === undefined ? [good] : [wrong, good]));
    const memory = open();
    expect([memory.epochs.length, memory.find("good") !== undefined]).toEqual([1, true]);
  }
});

test("P29: a call is forgotten ten minutes after it came, but never while it runs", () => {
  const memory = open();
  const running = keep(memory, "running");
  keep(memory, "answered", { answer: "{}" });
  now += memoryTime - 1;
  keep(memory, "another", { answer: "{}" });
  expect(memory.find("answered")).toBeDefined();
  now += 1;
  keep(memory, "last", { answer: "{}" });
  expect([memory.find("answered"), memory.find("running")]).toEqual([undefined, running]);
  memory.answered(running, resultOf("{}"));
  expect(memory.find("running")).toBeUndefined();
});

test("P29: of too many calls the oldest that are answered are forgotten", () => {
  const memory = open();
  keep(memory, "running");
  for (let index = 0; index < callsMost + 5; index++) keep(memory, `call ${index}`, { answer: "{}" });
  expect(memory.find("running")).toBeDefined();
  expect(["call 5", "call 6"].map((key) => memory.find(key) !== undefined)).toEqual([false, true]);
});

test("P29: of answers that are too large together the oldest are dropped, and their calls do not run again", () => {
  const memory = open();
  const half = "x".repeat(charactersMost / 2);
  keep(memory, "one", { fingerprint: half });
  keep(memory, "two", { answer: half });
  keep(memory, "three", { answer: "small" });
  expect(memory.find("two")?.answer).toMatchObject(expired);
  expect(memory.find("three")?.answer?.payload).toBe("small");
  keep(memory, "four", { answer: half });
  expect(memory.find("three")?.answer).toMatchObject(expired);
  expect(memory.find("four")?.answer?.payload === half).toBe(true);
});

test("P29: what was dropped is counted no more", () => {
  const memory = open();
  const most = "x".repeat(charactersMost);
  for (const key of ["one", "two", "three"]) {
    keep(memory, key, { answer: most });
    expect(memory.find(key)?.answer?.payload === most).toBe(true);
  }
  expect(memory.find("two")?.answer).toMatchObject(expired);
});

test("P29: what does not fit the storage is written down without its texts, the newest whole", () => {
  const memory = open();
  const most = "x".repeat(savedCharactersMost);
  keep(memory, "old", { answer: "small" });
  keep(memory, "large", { answer: most, fingerprint: "of its arguments" });
  keep(memory, "new", { answer: "small" });
  memory.save();
  const reloaded = open();
  expect(reloaded.find("new")?.answer?.payload).toBe("small");
  expect(reloaded.find("old")?.answer?.payload).toBe("small");
  expect(reloaded.find("large")).toMatchObject({ fingerprint: "", answer: expired });
  expect(memory.find("large")?.answer?.payload === most).toBe(true);
});

test("what others wrote to the storage is left out, and what is of the right form is kept", () => {
  const good = { id: "1", fingerprint: "", at: now, answer: resultOf("{}") };
  const failed = { type: "failure", outcome: "cancelled", ran: "no", code: "cancelled", message: "Enough." };
  const entries = [
    ["good", good],
    ["failed", { ...good, answer: { frame: { ...failed, more: 1 }, payload: "" } }],
    ["no entry"],
    "text",
    null,
    ["no call", null],
    ["no id", { ...good, id: 7 }],
    ["no fingerprint", { ...good, fingerprint: undefined }],
    ["no time", { ...good, at: "now" }],
    ["no frame", { ...good, answer: { payload: "" } }],
    ["no payload", { ...good, answer: { frame: { type: "result" } } }],
    ["null answer", { ...good, answer: null }],
    ["another frame", { ...good, answer: { frame: { type: "bye" }, payload: "" } }],
    ["another outcome", { ...good, answer: { frame: { ...failed, outcome: "fine" }, payload: "" } }],
    ["too long", { ...good, answer: { frame: { ...failed, message: "x".repeat(4097) }, payload: "" } }],
    [7, good],
  ];
  saved.set("calls", JSON.stringify(entries));
  const memory = open();
  const found = entries.map((entry) => (Array.isArray(entry) ? memory.find(entry[0] as string) : undefined));
  expect(found.map((call) => call !== undefined)).toEqual(entries.map((_entry, index) => index < 2));
  expect(memory.find("failed")?.answer?.frame).toEqual(failed);
});

test("storage that holds no JSON at all is an empty memory", () => {
  for (const wrong of ["{", "null", '"text"', "7", "{}"]) {
    saved.set("calls", wrong);
    expect(open().find("good")).toBeUndefined();
  }
});
