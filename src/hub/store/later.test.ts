import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createLater } from "./later.ts";

/** A write that fails until it is allowed to succeed. */
function createWrite(name: string, log: string[]) {
  const write = { fails: true, run: async () => {} };
  write.run = async () => {
    log.push(name);
    if (write.fails) throw new Error(name);
  };
  return write;
}

test("what could not be written is tried again, ever later, until it is, and then no more", async () => {
  const clock = createFakeClock();
  const later = createLater(clock);
  const tries: string[] = [];
  const write = createWrite("a", tries);
  for (let n = 0; n < 3; n++) later.add(write.run);
  await clock.advance(3000);
  expect(tries).toHaveLength(2);
  await clock.advance(600_000);
  const { length } = tries;
  expect(length).toBeLessThan(50);
  write.fails = false;
  await clock.advance(15_000);
  expect([tries.length, clock.pending]).toEqual([length + 1, 0]);
});

test("one that never succeeds keeps no other from being tried", async () => {
  const clock = createFakeClock();
  const later = createLater(clock);
  const tries: string[] = [];
  const [never, soon] = [createWrite("never", tries), createWrite("soon", tries)];
  soon.fails = false;
  later.add(never.run);
  later.add(soon.run);
  await clock.advance(4000);
  expect(tries.slice(0, 3)).toEqual(["never", "soon", "never"]);
});

test("all of it is tried at once when something else could be written, and for the last time at the end", async () => {
  const clock = createFakeClock();
  const later = createLater(clock);
  const tries: string[] = [];
  later.now();
  const writes = ["a", "b"].map((name) => createWrite(name, tries));
  for (const write of writes) {
    later.add(write.run);
    write.fails = false;
  }
  later.now();
  await clock.advance(0);
  expect([tries, clock.pending]).toEqual([["a", "b"], 0]);
  const last = createWrite("last", tries);
  later.add(last.run);
  expect([await later.close(), await later.close()]).toEqual([1, 1]);
  expect([tries.at(-1), clock.pending]).toEqual(["last", 0]);
});
