import { expect, onTestFinished, test, vi } from "vitest";
import { createArrivals } from "./arrivals.ts";
import { ofBusiestPrincipal } from "./queue-budget.ts";

const always = { hasRoom: () => true, makeRoom: () => true, ofBusiest: ofBusiestPrincipal };

/** Messages by name, which the test lets arrive, and what happened to each. */
function withLimits({ most = 100, inAll = 1000, room = always } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const over: string[] = [];
  const done: string[] = [];
  const limits = { arrivingBytesPerPrincipal: most, arrivingBytesInAll: inAll, requestTime: 1000 };
  const arrivals = createArrivals(limits, (name) => over.push(name), room);
  const begin = (name: string, principal = "eve") => ({
    bytes: 0,
    principal,
    pause: () => void done.push(`${name} waits`),
    resume: () => void done.push(`${name} goes on`),
    cut: () => void done.push(`${name} is cut`),
  });
  const grow = (one: ReturnType<typeof begin>, bytes: number) => {
    one.bytes = bytes;
    arrivals.grew(one);
  };
  return { arrivals, over, done, begin, grow };
}

test("of a principal's large messages that are too much together, the first goes on and the others wait their turn", () => {
  const { arrivals, done, begin, grow } = withLimits();
  const [first, second, third] = [begin("first"), begin("second"), begin("third")];
  grow(first, 60);
  grow(second, 30);
  expect(done).toEqual([]);
  grow(third, 20);
  grow(first, 160);
  grow(second, 40);
  expect(done).toEqual(["third waits", "second waits"]);
  arrivals.left(first);
  expect(done.slice(2)).toEqual(["second goes on", "third goes on"]);
});

test("those that wait go on one after the other where they are too many", () => {
  const { arrivals, done, begin, grow } = withLimits({ most: 10 });
  const all = ["a", "b", "c"].map((name) => begin(name));
  for (const one of all) grow(one, 20);
  expect(done.splice(0)).toEqual(["b waits", "c waits"]);
  for (const [at, next] of [
    [0, ["b goes on"]],
    [1, ["c goes on"]],
    [2, []],
  ] as const) {
    const one = all[at];
    if (one) arrivals.left(one);
    expect(done.splice(0)).toEqual(next);
  }
});

test("one that ends while it waits, or is said to have ended twice, holds up nobody", () => {
  const { arrivals, done, begin, grow } = withLimits({ most: 10 });
  const [first, second, third] = [begin("first"), begin("second"), begin("third")];
  for (const one of [first, second, third]) grow(one, 20);
  done.length = 0;
  arrivals.left(second);
  arrivals.left(second);
  expect(done).toEqual([]);
  arrivals.left(first);
  expect(done).toEqual(["third goes on"]);
});

test("other principals notice nothing", () => {
  const { done, begin, grow } = withLimits();
  grow(begin("first"), 90);
  grow(begin("second"), 90);
  grow(begin("another", "ada"), 90);
  expect(done).toEqual(["second waits"]);
});

test("one that is not whole in its time is cut off, and time in which it waits does not count", () => {
  const { done, over, begin, grow } = withLimits({ most: 10 });
  grow(begin("first"), 20);
  vi.advanceTimersByTime(600);
  const second = begin("second");
  grow(second, 20);
  vi.advanceTimersByTime(400);
  expect(done.splice(0)).toEqual(["second waits", "second goes on", "first is cut"]);
  grow(second, 30);
  vi.advanceTimersByTime(999);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["second is cut"]);
  expect(over).toEqual(["arrivingBytesPerPrincipal", "arrivingBytesPerPrincipal"]);
});

test("where all are too much, the largest of the principal with the most is cut off", () => {
  const { done, over, begin, grow } = withLimits({ inAll: 200 });
  grow(begin("of ada", "ada"), 80);
  grow(begin("small"), 40);
  grow(begin("large"), 50);
  expect(done).toEqual([]);
  grow(begin("of bob", "bob"), 40);
  expect(done).toEqual(["large is cut"]);
  expect(over).toEqual(["arrivingBytesInAll"]);
});

test("messages wait while a principal's peers have not read what came before, and go on once there is room", () => {
  const room = { ...always, hasRoom: () => room.isFree, makeRoom: () => room.isFree, isFree: true };
  const { done, begin, grow } = withLimits({ room });
  const [first, second] = [begin("first"), begin("second")];
  grow(first, 20);
  room.isFree = false;
  grow(first, 30);
  grow(second, 20);
  vi.advanceTimersByTime(5000);
  expect(done.splice(0)).toEqual(["first waits", "second waits"]);
  room.isFree = true;
  vi.advanceTimersByTime(100);
  expect(done.splice(0)).toEqual(["first goes on", "second goes on"]);
  vi.advanceTimersByTime(1000);
  expect(done).toEqual(["first is cut", "second is cut"]);
});
