import { expect, test } from "vitest";
import { createSharedQueue } from "./queue-share.ts";

/** A queue, and what each of two writers has in it. */
function openQueue() {
  let queued = 0;
  const queue = createSharedQueue(() => queued);
  const put = (bytes: number) => () => void (queued += bytes);
  const [one, other] = [queue.openShare(), queue.openShare()];
  return { one, other, put, drain: (bytes: number) => void (queued -= bytes) };
}

test("WK19: of a queue that many fill, each is charged for what it put in and nobody has taken out yet", () => {
  const { one, other, put, drain } = openQueue();
  expect([one.write(put(100)), other.write(put(10)), one.write(put(5))]).toEqual([100, 10, 105]);
  drain(100);
  expect([one.write(put(1)), other.write(put(1))]).toEqual([6, 11]);
  drain(17);
  expect([one.write(put(2)), other.write(put(3))]).toEqual([2, 3]);
});

test("WK19: a message that is half taken still counts, and one that was never queued does not", () => {
  const { one, other, put, drain } = openQueue();
  one.write(put(100));
  drain(99);
  expect(one.write(put(0))).toBe(100);
  drain(1);
  expect(one.write(put(0))).toBe(0);
  // Closed meanwhile: what was queued is gone.
  other.write(put(50));
  expect(other.write(() => drain(50))).toBe(0);
});

test("WK19: a writer whose queue never runs empty is not charged for what has long been taken", () => {
  const { one, put, drain } = openQueue();
  one.write(put(10));
  for (let round = 0; round < 1000; round++) {
    expect(one.write(put(10))).toBe(20);
    drain(10);
  }
});
