import { expect, onTestFinished, test } from "vitest";
import { bind } from "./bind.ts";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter } from "./counter.test-helper.ts";

function create() {
  const counter = document.createElement(defineCounter()) as Counter;
  onTestFinished(() => counter.remove());
  const updates: unknown[] = [];
  return { counter, updates, report: (_name: string, value: unknown) => void updates.push(value) };
}

test('with syncOn "connect" an element\'s changes are reported from the start, and its value once it is in the document', async () => {
  const { counter, updates, report } = create();
  const unbind = bind(counter, report, { syncOn: "connect" });
  expect(updates).toEqual([]);
  counter.add(1);
  counter.count = 7;
  document.body.append(document.createElement("p"));
  document.body.append(counter);
  await expect.poll(() => updates).toEqual([1, 7]);
  counter.remove();
  document.body.append(counter);
  counter.add(1);
  await Promise.resolve();
  expect(updates).toEqual([1, 7, 8]);
  unbind();
  expect(counter.listeners).toBe(0);
});

test("an element in the document reports its value at once, and one that was unbound never does", async () => {
  const { counter, updates, report } = create();
  bind(counter, report, { syncOn: "connect" })();
  document.body.append(counter);
  await Promise.resolve();
  expect([updates, counter.listeners]).toEqual([[], 0]);
  bind(counter, report, { syncOn: "connect" })();
  expect(updates).toEqual([0]);
});
