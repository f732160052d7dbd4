import { expect, test, vi } from "vitest";
import { createReadSchedule } from "./read-schedule.ts";
import type { Session } from "./session.ts";

/** A schedule whose reads fail with these errors in turn, and then succeed. */
function schedule(...errors: readonly object[]) {
  const left = [...errors];
  const problems: unknown[] = [];
  let reads = 0;
  let done = () => {};
  const read = async (): Promise<void> => {
    reads++;
    const error = left.shift();
    if (!error) return done();
    throw error as Error;
  };
  const clock = {
    now: () => 0,
    after(_: number, run: () => void) {
      const timer = setTimeout(run);
      return () => clearTimeout(timer);
    },
  };
  const needs = { clock, random: () => 0, read, rested: () => Promise.resolve(0) };
  const { schedule: soon } = createReadSchedule({ ...needs, problem: (error) => problems.push(error) });
  return {
    problems,
    reads: () => reads,
    change(over: AbortSignal, how: () => void = () => {}) {
      done = how;
      soon({ over } as Session);
    },
  };
}

const timeout = { code: "REQUEST_TIMEOUT" };
const internal = { code: -32_603 };
const busy = { data: { status: 503 } };
const alive = new AbortController().signal;

test.each([["a timeout", timeout] as const, ["an error of its own", internal] as const, ["503", busy] as const])(
  "a changed list that the server meets with %s is read until it is there, and told once",
  async (_, error) => {
    const { change, reads, problems } = schedule(error, error, error);
    await new Promise<void>((resolve) => change(alive, resolve));
    expect([reads(), problems]).toEqual([4, [error]]);
  },
);

test("one that the server refuses for good is not asked for again", async () => {
  const refusal = { code: -32_602 };
  const { change, reads, problems } = schedule(refusal);
  change(alive);
  await expect.poll(() => problems).toEqual([refusal]);
  await new Promise<void>((resolve) => change(alive, resolve));
  expect(reads()).toBe(2);
});

test("an outage that ended with the session does not silence the next one", async () => {
  const { change, reads, problems } = schedule(busy, busy, internal);
  const session = new AbortController();
  change(session.signal);
  await expect.poll(() => reads()).toBeGreaterThan(0);
  session.abort();
  const before = reads();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reads()).toBe(before);
  await new Promise<void>((resolve) => change(alive, resolve));
  expect(problems).toHaveLength(2);
});

test("a list that is given up is told of, also where its earlier failures were told", async () => {
  const refusal = { code: -32_602 };
  const { change, reads, problems } = schedule(internal, internal, refusal);
  change(alive);
  await expect.poll(() => reads()).toBe(3);
  expect(problems).toEqual([internal, refusal]);
});

test("a timer of a session that is over takes no read from the one after it", async () => {
  const timers: (() => void)[] = [];
  const clock = { now: () => 0, after: (_: number, run: () => void) => (timers.push(run), () => {}) };
  const before = new AbortController();
  const [old, current] = [{ over: before.signal }, { over: alive }] as unknown as [Session, Session];
  const asked: Session[] = [];
  let rest: (from: number) => void = () => {};
  const rested = vi.fn<() => Promise<number>>(() => Promise.resolve(0));
  const read = async (session: Session): Promise<void> => {
    asked.push(session);
    if (session === old) throw internal as unknown as Error;
  };
  const soon = createReadSchedule({ clock, random: () => 0, read, rested, problem() {} });
  soon.schedule(old);
  await expect.poll(() => timers.length).toBe(1);
  before.abort();
  rested.mockReturnValueOnce(new Promise((resolve) => (rest = resolve)));
  soon.schedule(current);
  timers[0]?.();
  rest(0);
  await expect.poll(() => asked).toEqual([old, current]);
});
