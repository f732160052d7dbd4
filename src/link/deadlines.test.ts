import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { createDeadlines } from "./deadlines.ts";

function setup() {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const expired: string[] = [];
  const after = (time: number, name: string) => deadlines.after(time, () => expired.push(name));
  return { clock, expired, after, deadlines };
}

test("PL9, BR35: each deadline expires at its own time, in any order of creation", async () => {
  const { clock, expired, after } = setup();
  after(300, "third");
  after(100, "first");
  after(200, "second");
  for (const so of [["first"], ["first", "second"], ["first", "second", "third"]]) {
    await clock.advance(99);
    expect(expired).toEqual(so.slice(0, -1));
    await clock.advance(1);
    expect(expired).toEqual(so);
  }
});

test("PL9, BR35: a cancelled deadline never expires, and one that another's expiry sets does", async () => {
  const { clock, expired, after, deadlines } = setup();
  const stop = after(100, "never");
  deadlines.after(0, () => after(50, "later"));
  stop();
  stop();
  await clock.advance(1000);
  expect(expired).toEqual(["later"]);
  after(10, "last");
  await clock.advance(10);
  expect(expired).toEqual(["later", "last"]);
});

test("BR35: deadlines at rest hold no timer, unless one is pending", async () => {
  const { clock, expired, after, deadlines } = setup();
  after(100, "never")();
  deadlines.rest();
  expect(clock.pending).toBe(0);
  after(100, "soon");
  deadlines.rest();
  await clock.advance(100);
  expect(expired).toEqual(["soon"]);
});
