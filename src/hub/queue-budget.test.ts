import { expect, test } from "vitest";
import { createQueueBudget } from "./queue-budget.ts";

/** Queues by name that a test fills and empties, and the names of those that were cut. */
function withMost(queuedBytesInAll: number, queuedBytesPerPrincipal = Infinity) {
  const over: string[] = [];
  const budget = createQueueBudget({ queuedBytesPerPrincipal, queuedBytesInAll }, (name) => over.push(name));
  const cuts: string[] = [];
  const queue = (name: string, principal = "ada", most?: number) => {
    const one = { bytes: 0, principal, cut: () => void cuts.push(name) };
    return most === undefined ? one : { ...one, most };
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

test("a peer that is gone leaves room, however often it is said", () => {
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
