import { expect, test } from "vitest";
import { createFakeClock } from "./fake-clock.ts";

test("a fake clock stands still until it is advanced, and then moves by exactly that time", async () => {
  const clock = createFakeClock();
  expect(clock.now()).toBe(0);
  await clock.advance(1500);
  await clock.advance(0.5);
  expect(clock.now()).toBe(1500.5);
});

test("timers run when they are due, in the order of their times and then of their creation", async () => {
  const clock = createFakeClock();
  const ran: [string, number][] = [];
  const note = (name: string) => () => ran.push([name, clock.now()]);
  clock.after(20, note("third"));
  clock.after(10, note("first"));
  clock.after(10, note("second"));
  clock.after(21, note("not yet"));
  await clock.advance(20);
  expect(ran).toEqual([
    ["first", 10],
    ["second", 10],
    ["third", 20],
  ]);
  expect(clock.pending).toBe(1);
});

test("promises that follow from a timer settle before the next timer, and may set timers of their own", async () => {
  const clock = createFakeClock();
  const ran: string[] = [];
  clock.after(10, () => {
    void (async () => {
      for (let turn = 0; turn < 100; turn++) await Promise.resolve();
      ran.push("settled");
      clock.after(5, () => ran.push(`inner at ${clock.now()}`));
    })();
  });
  clock.after(12, () => ran.push("outer"));
  await clock.advance(15);
  expect(ran).toEqual(["settled", "outer", "inner at 15"]);
});

test("a cancelled timer does not run, also after it ran", async () => {
  const clock = createFakeClock();
  const ran: string[] = [];
  const callOff = clock.after(10, () => ran.push("called off"));
  callOff();
  callOff();
  await clock.advance(10);
  expect([ran, clock.pending]).toEqual([[], 0]);
});
