import { expect, test } from "vitest";
import { createKeptBytes } from "./kept-bytes.ts";

function keeperOf(...outcomes: number[]) {
  return {
    outcomes,
    running: 0,
    get bytes() {
      return this.running + outcomes.reduce((sum, bytes) => sum + bytes, 0);
    },
    letGo: () => outcomes.shift() !== undefined,
  };
}

test("the principal that keeps the most is evicted, and no other", () => {
  const over: string[] = [];
  const kept = createKeptBytes(100, (name) => over.push(name));
  const [small, large] = [keeperOf(30), keeperOf(20, 20, 20)];
  for (const keeper of [large, small]) kept.changed(keeper);
  small.outcomes.push(20);
  kept.changed(small);
  expect([small.outcomes, large.outcomes, over]).toEqual([[30, 20], [20, 20], ["keyBytesInAll"]]);
  expect(kept.refusal()).toBeUndefined();
});

test("running calls are never evicted: while they exceed the limit calls are refused, and accepted once they end", () => {
  const kept = createKeptBytes(100);
  const [busy, other] = [keeperOf(), keeperOf(40)];
  busy.running = 90;
  kept.changed(other);
  kept.changed(busy);
  expect([other.outcomes, kept.refusal()]).toEqual([[], undefined]);
  busy.running = 110;
  kept.changed(busy);
  expect(kept.refusal()).toMatchObject({ outcome: "rejected", code: "calls-too-many" });
  kept.left(busy);
  expect(kept.refusal()).toBeUndefined();
});

test("expired outcomes are noticed before anything is evicted", () => {
  const kept = createKeptBytes(100);
  const [gone, there] = [keeperOf(80), keeperOf(30)];
  kept.changed(gone);
  gone.outcomes.length = 0;
  kept.changed(there);
  expect(there.outcomes).toEqual([30]);
});
