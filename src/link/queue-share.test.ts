import { expect, test } from "vitest";
import { switchboardLimits } from "../wire/index.ts";
import { createSharedQueue } from "./queue-share.ts";

/** A queue, and the shares of two writers. */
function openQueue() {
  let queued = 0;
  const queue = createSharedQueue(() => queued, switchboardLimits);
  const [one, other] = [queue.openShare(), queue.openShare()];
  const drain = (bytes: number) => void (queued -= bytes);
  return {
    one,
    other,
    drain,
    put: (share: typeof one, bytes: number) => share.write(() => void (queued += bytes)),
    shares: () => [one.waitingBytes, other.waitingBytes],
  };
}

test("L53: each writer of a shared queue is charged for its bytes that are still in the queue", () => {
  const { one, other, put, drain, shares } = openQueue();
  put(one, 100);
  put(other, 10);
  put(one, 5);
  expect(shares()).toEqual([105, 10]);
  drain(100);
  expect(shares()).toEqual([5, 10]);
  put(one, 1);
  put(other, 1);
  expect(shares()).toEqual([6, 11]);
  drain(17);
  expect(shares()).toEqual([0, 0]);
  put(other, 3);
  expect(shares()).toEqual([0, 3]);
});

test("L53: a message that is half sent still counts, and one that was never queued does not", () => {
  const { one, other, put, drain, shares } = openQueue();
  put(one, 100);
  drain(99);
  put(one, 0);
  expect(shares()).toEqual([100, 0]);
  drain(1);
  expect(shares()).toEqual([0, 0]);
  // Closed in the meantime: the queue is empty.
  put(other, 50);
  other.write(() => drain(50));
  expect(shares()).toEqual([0, 0]);
});

test("L53: a writer whose queue never runs empty is not charged for bytes sent long ago", () => {
  const { one, put, drain, shares } = openQueue();
  put(one, 10);
  for (let round = 0; round < 1000; round++) {
    put(one, 10);
    expect(shares()).toEqual([20, 0]);
    drain(10);
  }
});
