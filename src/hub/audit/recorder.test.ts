import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defaultLimits } from "../../wire/index.ts";
import type { AuditRecord } from "../store/index.ts";
import { createRecorder } from "./recorder.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const record = (at: number, more: Partial<AuditRecord> = {}): AuditRecord => {
  return { at: new Date(at).toISOString(), kind: "call", principal: "ada", name: String(at), ...more };
};

/** A recorder whose store accepts records while it works. */
function setUp(auditWaiting = 1000) {
  const batches: (readonly AuditRecord[])[] = [];
  const notes: unknown[] = [];
  const onLost = vi.fn<() => void>();
  const world = { first: [] as AuditRecord[], problem: undefined as Error | undefined };
  const checked = <Value>(value: Value) => (world.problem ? Promise.reject(world.problem) : Promise.resolve(value));
  const recorder = createRecorder({
    store: { addAudit: (records) => checked(records).then((taken) => void batches.push([...taken])) },
    limits: { ...defaultLimits, auditWaiting },
    key: "k",
    onLost,
    note: (_level, event, fields) => void notes.push([event, fields?.["count"]]),
    first: () => checked(world.first),
  });
  return Object.assign(world, {
    batches,
    notes,
    onLost,
    recorder,
    names: () => batches.flat().map(({ name }) => name),
  });
}

test("records are written within auditBatchTime, together and in their order, after what comes first", async () => {
  const world = setUp();
  world.first = [record(0)];
  for (const at of [1, 2, 3]) world.recorder.add(record(at));
  await vi.advanceTimersByTimeAsync(249);
  expect(world.batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(world.batches).toEqual([[record(0)], [1, 2, 3].map((at) => record(at))]);
  world.recorder.add(record(4));
  await vi.advanceTimersByTimeAsync(250);
  expect(world.batches[2]).toEqual([record(4)]);
});

test("many records are written at once, however many come in one turn", async () => {
  const world = setUp(100_000);
  for (let at = 1; at <= 1700; at++) world.recorder.add(record(at));
  await vi.advanceTimersByTimeAsync(0);
  expect(world.names().length).toBeGreaterThanOrEqual(1000);
  await vi.advanceTimersByTimeAsync(250);
  expect(world.names()).toEqual(Array.from({ length: 1700 }, (_, n) => String(n + 1)));
});

test("while the store fails, records wait; those beyond auditWaiting become a gap with their count and time span", async () => {
  const world = setUp(3);
  world.problem = new Error("The disk is full.");
  for (let at = 1; at <= 3; at++) world.recorder.add(record(at));
  await vi.advanceTimersByTimeAsync(250);
  for (let at = 4; at <= 9; at++) world.recorder.add(record(at));
  await vi.advanceTimersByTimeAsync(5000);
  expect([world.batches, world.notes]).toEqual([[], [["audit-not-saved", undefined]]]);
  world.problem = undefined;
  await vi.advanceTimersByTimeAsync(1000);
  world.recorder.add(record(10));
  await vi.advanceTimersByTimeAsync(250);
  expect(world.names()).toEqual(["1", "2", "3", "not-saved", "10"]);
  expect(world.batches.flat()[3]).toEqual({
    at: record(9).at,
    kind: "gap",
    principal: "",
    name: "not-saved",
    details: { from: record(4).at, until: record(9).at, count: 6 },
  });
  expect(world.notes.at(-1)).toEqual(["audit-goes-on", undefined]);
  expect(world.onLost).toHaveBeenCalledTimes(6);
});

test("a record with contents takes the room of several", async () => {
  const world = setUp(10);
  world.problem = new Error("The disk is full.");
  const details = { arguments: "x".repeat(4096), result: "y".repeat(4096) };
  for (let at = 1; at <= 3; at++) world.recorder.add(record(at, { details }));
  world.problem = undefined;
  await vi.advanceTimersByTimeAsync(5000);
  expect(world.names()).toEqual(["1", "2", "not-saved"]);
});

test("close writes all records, or reports how many are lost", async () => {
  const world = setUp(100_000);
  for (let at = 1; at <= 1200; at++) world.recorder.add(record(at));
  await world.recorder.close();
  expect(world.names()).toHaveLength(1200);
  const other = setUp(2);
  other.problem = new Error("The disk is full.");
  for (let at = 1; at <= 5; at++) other.recorder.add(record(at));
  await other.recorder.close();
  expect(other.notes).toEqual([
    ["audit-not-saved", undefined],
    ["audit-lost", 5],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a store that does not answer does not keep a hub from stopping", async () => {
  const recorder = createRecorder({
    store: { addAudit: () => new Promise(() => {}) },
    limits: defaultLimits,
    key: "k",
    note: () => {},
    onLost: () => {},
    first: async () => [],
  });
  recorder.add(record(1));
  const closed = vi.fn<() => void>();
  void recorder.close().then(closed);
  await vi.advanceTimersByTimeAsync(5000);
  expect(closed).toHaveBeenCalled();
});
