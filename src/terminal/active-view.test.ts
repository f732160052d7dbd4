import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { ActiveView } from "./active-view.ts";

function play() {
  const clock = createFakeClock();
  const activated: string[] = [];
  const onActive = (view: { readonly name: string }) => void activated.push(view.name);
  const changed: string[] = [];
  const active = new ActiveView<{ readonly name: string; readonly tab: string | undefined }>({
    clock,
    graceTime: 100,
    onActive,
    onChanged: ({ name }) => void changed.push(name),
  });
  const views = ["a", "b", "c"].map((name) => ({ name, tab: `tab of ${name}` }));
  return { clock, active, activated, changed, views };
}

test("the view that had the focus last is active; a view that only opened is not", () => {
  const { active, activated, views } = play();
  for (const view of views) active.enter(view);
  expect(activated).toEqual(["a"]);
  for (const view of [views[2], views[1]]) if (view) active.update(view, true);
  expect(activated).toEqual(["a", "c", "b"]);
  expect(active.current).toBe(views[1]);
});

test("a change of the active view is told as one, and that of another view not at all", () => {
  const { active, activated, changed, views } = play();
  for (const view of views) active.enter(view);
  for (const view of views) active.update(view, false);
  expect([activated, changed]).toEqual([["a"], ["a"]]);
});

test("after the grace time, the view that had the focus before becomes active; then the one before that", async () => {
  const { clock, active, activated, views } = play();
  for (const view of views) active.enter(view);
  for (const view of views) active.update(view, true);
  const [, b, c] = views;
  if (c) active.leave(c);
  expect(active.current).toBe(b);
  await clock.advance(99);
  expect(activated.at(-1)).toBe("c");
  await clock.advance(1);
  expect(activated.at(-1)).toBe("b");
  if (b) active.leave(b);
  await clock.advance(100);
  expect(activated.at(-1)).toBe("a");
  expect(clock.pending).toBe(0);
});

test("a tab that reconnects becomes active again; another one that opens in the meantime does not", async () => {
  const { clock, active, activated, views } = play();
  const [a, b] = views;
  if (!a || !b) return;
  for (const view of [a, b]) active.enter(view);
  active.update(b, true);
  active.leave(b);
  const [other, back] = [
    { name: "d", tab: "tab of d" },
    { name: "b again", tab: b.tab },
  ];
  for (const view of [other, back]) {
    active.enter(view);
    active.update(view, false);
  }
  expect(activated).toEqual(["a", "b", "b again"]);
  await clock.advance(1000);
  expect(active.current).toBe(back);
});

test("when the last view leaves, no view becomes active", async () => {
  const { clock, active, activated, views } = play();
  const [a] = views;
  if (!a) return;
  active.enter(a);
  active.leave(a);
  await clock.advance(1000);
  expect(activated).toEqual(["a"]);
  expect(active.current).toBeUndefined();
});
