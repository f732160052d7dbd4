import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("the system's clock goes forward and runs due timers in order", async () => {
  const start = systemClock.now();
  const ran: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.after(5, () => ran.push("later"));
    systemClock.after(0, () => ran.push("sooner"));
    systemClock.after(6, resolve);
  });
  expect(ran).toEqual(["sooner", "later"]);
  expect(systemClock.now()).toBeGreaterThan(start);
});

test("a timer of the system's clock can be cancelled, and an infinite one does not run at once", async () => {
  const ran: string[] = [];
  const callOff = systemClock.after(0, () => ran.push("called off"));
  const callOffEndless = systemClock.after(Infinity, () => ran.push("endless"));
  callOff();
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  callOffEndless();
  expect(ran).toEqual([]);
});
