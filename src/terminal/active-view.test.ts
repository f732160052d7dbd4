import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { createActiveView } from "./active-view.ts";

function play() {
  const clock = createFakeClock();
  const fronts: string[] = [];
  const onFront = (view: { readonly name: string }) => void fronts.push(view.name);
  const front = createActiveView<{ readonly name: string; readonly tab: string | undefined }>({
    clock,
    graceTime: 100,
    onFront,
  });
  const views = ["a", "b", "c"].map((name) => ({ name, tab: `tab of ${name}` }));
  return { clock, front, fronts, views };
}

test("the one that had the focus last is in front; one that opens behind it is not", () => {
  const { front, fronts, views } = play();
  for (const view of views) front.enter(view);
  expect(fronts).toEqual(["a"]);
  for (const view of [views[2], views[1]]) if (view) front.told(view, true);
  expect(fronts).toEqual(["a", "c", "b"]);
  expect(front.current).toBe(views[1]);
});

test("only after the grace time, the one that had the focus before is in front; then the one before that", async () => {
  const { clock, front, fronts, views } = play();
  for (const view of views) front.enter(view);
  for (const view of views) front.told(view, true);
  const [, b, c] = views;
  if (c) front.leave(c);
  expect(front.current).toBe(b);
  await clock.advance(99);
  expect(fronts.at(-1)).toBe("c");
  await clock.advance(1);
  expect(fronts.at(-1)).toBe("b");
  if (b) front.leave(b);
  await clock.advance(100);
  expect(fronts.at(-1)).toBe("a");
  expect(clock.pending).toBe(0);
});

test("the same tab takes its place back, another that opens meanwhile does not", async () => {
  const { clock, front, fronts, views } = play();
  const [a, b] = views;
  if (!a || !b) return;
  for (const view of [a, b]) front.enter(view);
  front.told(b, true);
  front.leave(b);
  const [stranger, back] = [
    { name: "d", tab: "tab of d" },
    { name: "b again", tab: b.tab },
  ];
  for (const view of [stranger, back]) {
    front.enter(view);
    front.told(view, false);
  }
  expect(fronts).toEqual(["a", "b", "b again"]);
  await clock.advance(1000);
  expect(front.current).toBe(back);
});

test("when the last view leaves, nothing moves", async () => {
  const { clock, front, fronts, views } = play();
  const [a] = views;
  if (!a) return;
  front.enter(a);
  front.leave(a);
  await clock.advance(1000);
  expect(fronts).toEqual(["a"]);
  expect(front.current).toBeUndefined();
});
