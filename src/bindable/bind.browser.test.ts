import { expect, onTestFinished, test } from "vitest";
import { bind } from "./bind.ts";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter } from "./counter.test-helper.ts";

function create() {
  const counter = document.createElement(defineCounter()) as Counter;
  onTestFinished(() => counter.remove());
  const told: unknown[] = [];
  return { counter, told, tell: (_name: string, value: unknown) => void told.push(value) };
}

test('with syncOn "connect" an element\'s changes are told from the start, and what it is once it is in the document', async () => {
  const { counter, told, tell } = create();
  const unbind = bind(counter, tell, { syncOn: "connect" });
  expect(told).toEqual([]);
  counter.add(1);
  counter.count = 7;
  document.body.append(document.createElement("p"));
  document.body.append(counter);
  await expect.poll(() => told).toEqual([1, 7]);
  counter.remove();
  document.body.append(counter);
  counter.add(1);
  await Promise.resolve();
  expect(told).toEqual([1, 7, 8]);
  unbind();
  expect(counter.listeners).toBe(0);
});

test("an element that is in the document tells what it is at once, and one that is unbound before never", async () => {
  const { counter, told, tell } = create();
  bind(counter, tell, { syncOn: "connect" })();
  document.body.append(counter);
  await Promise.resolve();
  expect([told, counter.listeners]).toEqual([[], 0]);
  bind(counter, tell, { syncOn: "connect" })();
  expect(told).toEqual([0]);
});
