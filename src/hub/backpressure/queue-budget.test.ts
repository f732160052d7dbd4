import { expect, onTestFinished, test, vi } from "vitest";
import { createQueueBudget } from "./queue-budget.ts";

/** Queues by name, which the test fills and empties, and the names of the disconnected peers. */
function withMost(queuedBytesInAll: number, queuedBytesPerPrincipal = Infinity) {
  const over: string[] = [];
  const budget = createQueueBudget({ queuedBytesPerPrincipal, queuedBytesInAll }, (name) => over.push(name));
  const cuts: string[] = [];
  const queue = (name: string, principal = "ada", max?: number) => {
    const one = { bytes: 0, read: 0, principal, cut: () => void cuts.push(name) };
    return max === undefined ? one : { ...one, max };
  };
  const fill = (one: ReturnType<typeof queue>, bytes: number) => {
    one.bytes = bytes;
    budget.grew(one);
  };
  return { budget, cuts, over, queue, fill };
}

test("over the bound the largest queue is cut, and no other", () => {
  const { cuts, queue, fill } = withMost(100);
  const [small, large, last] = [queue("small"), queue("large"), queue("last")];
  fill(small, 30);
  fill(large, 60);
  fill(last, 10);
  expect(cuts).toEqual([]);
  fill(last, 20);
  expect(cuts).toEqual(["large"]);
  fill(small, 70);
  expect(cuts).toEqual(["large"]);
});

test("queues that were read meanwhile do not count with what they held before", () => {
  const { cuts, queue, fill } = withMost(100);
  const [read, other] = [queue("read"), queue("other")];
  fill(read, 90);
  read.bytes = 0;
  fill(other, 90);
  expect(cuts).toEqual([]);
});

test("a disconnected peer frees its room once, even if it is reported twice", () => {
  const { budget, cuts, queue, fill } = withMost(100);
  const [gone, other] = [queue("gone"), queue("other")];
  fill(gone, 90);
  budget.left(gone);
  budget.left(gone);
  fill(other, 90);
  expect(cuts).toEqual([]);
});

test("as many are cut as must be", () => {
  const { cuts, queue, fill } = withMost(100);
  for (const name of ["a", "b", "c"]) fill(queue(name), 30);
  fill(queue("huge"), 200);
  expect(cuts).toEqual(["huge"]);
});

test("many small queues of one principal do not cost another its large one", () => {
  const { cuts, queue, fill } = withMost(100);
  for (const name of ["a", "b", "c"]) fill(queue(name, "eve"), 20);
  fill(queue("large", "ada"), 35);
  fill(queue("d", "eve"), 25);
  expect(cuts).toEqual(["d"]);
});

test("what waits for one principal has a bound of its own: the largest of its queues is cut, and no other principal's", () => {
  const { cuts, over, queue, fill } = withMost(1000, 100);
  fill(queue("of ada"), 90);
  fill(queue("small", "eve"), 30);
  const large = queue("large", "eve");
  fill(large, 60);
  expect(cuts).toEqual([]);
  fill(queue("last", "eve"), 20);
  expect([cuts, over]).toEqual([["large"], ["queuedBytesPerPrincipal"]]);
});

test("a principal with less than others has no more than that, and one that read has its room again", () => {
  const { cuts, queue, fill } = withMost(1000, 100);
  const [one, other] = [queue("one", "eve", 40), queue("other", "eve", 40)];
  fill(one, 30);
  one.bytes = 0;
  fill(other, 40);
  expect(cuts).toEqual([]);
  fill(one, 10);
  expect(cuts).toEqual(["other"]);
});

test("there is room while what waits and what comes fit together, and in any case where nothing waits", () => {
  const { budget, queue, fill } = withMost(1000, 100);
  expect(budget.hasRoom("ada", 150)).toBe(true);
  const one = queue("one");
  fill(one, 60);
  expect([budget.hasRoom("ada", 40), budget.hasRoom("ada", 41), budget.hasRoom("eve", 150)]).toEqual([
    true,
    false,
    true,
  ]);
  one.bytes = 20;
  expect(budget.hasRoom("ada", 80)).toBe(true);
});

test("room is made at the cost of one that has read nothing for two seconds, and never of one that reads", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { budget, cuts, over, queue, fill } = withMost(1000, 100);
  const [reads, deaf] = [queue("reads"), queue("deaf")];
  fill(reads, 60);
  fill(deaf, 30);
  for (let second = 0; second < 2; second++) {
    expect(budget.makeRoom("ada", 50)).toBe(false);
    reads.read++;
    vi.advanceTimersByTime(1000);
  }
  expect(cuts).toEqual([]);
  expect([budget.makeRoom("ada", 50), cuts, over]).toEqual([false, ["deaf"], ["queuedBytesPerPrincipal"]]);
  reads.bytes = 40;
  expect(budget.makeRoom("ada", 50)).toBe(true);
});

test("over a principal's bound, one that has read nothing for a while is cut before one that holds more and reads", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { cuts, queue, fill } = withMost(1000, 100);
  const [reads, deaf] = [queue("reads"), queue("deaf")];
  fill(deaf, 30);
  vi.advanceTimersByTime(2000);
  fill(reads, 80);
  expect(cuts).toEqual(["deaf"]);
});
