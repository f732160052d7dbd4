import { expect, test } from "vitest";
import { defineCounter } from "./counter.test-helper.ts";
import type { Counter } from "./counter.test-helper.ts";
import { wcBindable } from "./svelte.ts";

test("the Svelte action reports an element's values to the newest observer until it is destroyed", () => {
  const element = document.createElement(defineCounter()) as Counter;
  const updates: string[] = [];
  const action = wcBindable(element, { onUpdate: (name, value) => updates.push(`first ${name} ${String(value)}`) });
  action.update({ onUpdate: (name, value) => updates.push(`second ${name} ${String(value)}`) });
  element.add(1);
  action.destroy();
  element.add(1);
  expect([updates, element.listeners]).toEqual([["first count 0", "second count 1"], 0]);
});

test("an element whose class is defined later is bound then, unless it was removed before", async () => {
  const tag = defineCounter({ later: true });
  const [element, gone] = [document.createElement(tag), document.createElement(tag)];
  document.body.append(element, gone);
  const updates: unknown[] = [];
  const { destroy } = wcBindable(element, { onUpdate: (_name, value) => updates.push(value) });
  wcBindable(gone, { onUpdate: () => expect.unreachable() }).destroy();
  defineCounter({ tag });
  await expect.poll(() => updates).toEqual([0]);
  destroy();
  expect((element as Counter).listeners).toBe(0);
  element.remove();
  gone.remove();
});

test("an element that is no custom element reports nothing", () => {
  const updates: string[] = [];
  wcBindable(document.createElement("p"), { onUpdate: (name) => updates.push(name) }).destroy();
  expect(updates).toEqual([]);
});
