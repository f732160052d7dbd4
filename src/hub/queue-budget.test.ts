import { expect, test } from "vitest";
import { createQueueBudget } from "./queue-budget.ts";

/** Queues by name that a test fills and empties, and the names of those that were cut. */
function withMost(most: number) {
  const budget = createQueueBudget(most);
  const cuts: string[] = [];
  const queue = (name: string, principal = "ada") => ({ bytes: 0, principal, cut: () => void cuts.push(name) });
  const fill = (one: ReturnType<typeof queue>, bytes: number) => {
    one.bytes = bytes;
    budget.grew(one);
  };
  return { budget, cuts, queue, fill };
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
