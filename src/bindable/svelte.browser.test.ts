import { expect, test } from "vitest";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter } from "./counter.test-helper.ts";
import { wcBindable } from "./svelte.ts";

test("the Svelte action tells of an element's values until it is destroyed, always to the newest observer", () => {
  const element = document.createElement(defineCounter()) as Counter;
  const told: string[] = [];
  const action = wcBindable(element, { onUpdate: (name, value) => told.push(`first ${name} ${String(value)}`) });
  action.update({ onUpdate: (name, value) => told.push(`second ${name} ${String(value)}`) });
  element.add(1);
  action.destroy();
  element.add(1);
  expect([told, element.listeners]).toEqual([["first count 0", "second count 1"], 0]);
});

test("an element whose class is defined later is bound then, and not when it is gone before", async () => {
  const tag = defineCounter({ later: true });
  const [element, gone] = [document.createElement(tag), document.createElement(tag)];
  document.body.append(element, gone);
  const told: unknown[] = [];
  const { destroy } = wcBindable(element, { onUpdate: (_name, value) => told.push(value) });
  wcBindable(gone, { onUpdate: () => expect.unreachable() }).destroy();
  defineCounter({ tag });
  await expect.poll(() => told).toEqual([0]);
  destroy();
  expect((element as Counter).listeners).toBe(0);
  element.remove();
  gone.remove();
});

test("an element that is no custom element has nothing to tell", () => {
  const told: string[] = [];
  wcBindable(document.createElement("p"), { onUpdate: (name) => told.push(name) }).destroy();
  expect(told).toEqual([]);
});
