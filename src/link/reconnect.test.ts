import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { PagewireError, closeReason, cutOff } from "../wire/index.ts";
import type { CloseReason } from "../wire/index.ts";
import type { Link } from "./link.ts";
import { createMemoryLinks } from "./memory.ts";
import { createReconnect } from "./reconnect.ts";
import type { Waiting } from "./reconnect.ts";

/** A reconnect under a clock that stands still, with a hub that is up or down. */
function underTest({ hubIsThere = true, random = () => 0.5 }: { hubIsThere?: boolean; random?: () => number } = {}) {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const hubEnds: Link[] = [];
  const links: Link[] = [];
  const waits: Waiting[] = [];
  const closings: CloseReason[] = [];
  const hub = { isThere: hubIsThere };
  const reconnect = createReconnect({
    clock,
    random,
    async connect() {
      attempts.push(clock.now());
      if (!hub.isThere) throw new PagewireError("hub-unreachable", "No hub answers.");
      const [near, far] = createMemoryLinks();
      hubEnds.push(far);
      return near;
    },
    onLink(link) {
      links.push(link);
      return { message() {}, closed: (reason) => closings.push(reason) };
    },
    onWaiting: (waiting) => waits.push(waiting),
  });
  const cut = async () => {
    hubEnds.at(-1)?.close(cutOff);
    await clock.advance(0);
  };
  return { reconnect, clock, hub, attempts, links, waits, closings, cut };
}

test("the first attempt is made at once, and its link transports messages and closes like any other", async () => {
  const { clock, attempts, links, reconnect } = underTest();
  await clock.advance(0);
  expect([attempts, links.length, links[0]?.open]).toEqual([[0], 1, true]);
  links[0]?.send("out");
  expect(links[0]?.queuedBytes).toBe(3);
  reconnect.close();
  expect(links[0]?.open).toBe(false);
});

test("after a link ends, on either side, another is made", async () => {
  const { clock, links, closings, waits, cut } = underTest();
  await clock.advance(0);
  await cut();
  expect(closings).toEqual([cutOff]);
  await clock.advance(500);
  links[1]?.close(closeReason("heartbeat-missed"));
  await clock.advance(1000);
  expect(links.map(({ open }) => open)).toEqual([false, false, true]);
  expect(waits.map(({ reason }) => reason)).toEqual([cutOff, closeReason("heartbeat-missed")]);
});

test("L41: each wait is a random part of a time that doubles from 500 ms up to 30 s", async () => {
  const { clock, attempts, waits } = underTest({ hubIsThere: false, random: () => 1 });
  await clock.advance(500 + 1000 + 2000 + 4000 + 8000 + 16_000 + 30_000 + 30_000);
  expect(waits.map(({ milliseconds }) => milliseconds).slice(0, 8)).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  expect(attempts.slice(0, 4)).toEqual([0, 500, 1500, 3500]);
});

test("L41: no wait is ever longer than its share, for any chance and any number of attempts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 40 })
        // If all chances are zero there is no delay at all, and the fake clock would never finish.
        .filter((chances) => chances.some((chance) => chance > 0)),
      async (chances) => {
        let next = 0;
        const { reconnect, clock, waits } = underTest({
          hubIsThere: false,
          random: () => chances[next++ % chances.length] ?? 0,
        });
        await clock.advance(0);
        for (let index = 0; index < chances.length; index++) {
          const { milliseconds, attempt } = waits[index] as Waiting;
          expect(attempt).toBe(index + 1);
          expect(milliseconds).toBe((chances[index] ?? 0) * Math.min(30_000, 500 * 2 ** index));
          reconnect.retryNow();
          await clock.advance(0);
        }
        reconnect.close();
      },
    ),
    { numRuns: 50 },
  );
});

test("each wait is reported with its time, the number of the attempt, and the reason", async () => {
  const { clock, hub, waits, cut } = underTest();
  await clock.advance(0);
  hub.isThere = false;
  await cut();
  await clock.advance(250);
  expect(waits).toMatchObject([
    { milliseconds: 250, attempt: 1, reason: cutOff },
    { milliseconds: 500, attempt: 2, reason: { code: "hub-unreachable" } },
  ]);
});

test("an attempt that fails with any other error is reported as hub-unreachable with that error as its cause", async () => {
  const clock = createFakeClock();
  const waits: Waiting[] = [];
  const broken = new Error("broken");
  const reconnect = createReconnect({
    clock,
    random: () => 0.5,
    connect: () => Promise.reject(broken),
    onLink: () => ({ message() {}, closed() {} }),
    onWaiting: (waiting) => waits.push(waiting),
  });
  await clock.advance(0);
  const { reason } = waits[0] as Waiting;
  expect(PagewireError.isInstance(reason) && [reason.code, reason.cause]).toEqual(["hub-unreachable", broken]);
  reconnect.close();
});

test("L43: the waits start over only after a link that was up for ten seconds", async () => {
  const { clock, waits, cut } = underTest({ random: () => 1 });
  await clock.advance(0);
  await clock.advance(9_999);
  await cut();
  await clock.advance(500);
  await clock.advance(9_999);
  await cut();
  await clock.advance(1000);
  await clock.advance(10_000);
  await cut();
  expect(waits.map(({ milliseconds, attempt }) => [milliseconds, attempt])).toEqual([
    [500, 1],
    [1000, 2],
    [500, 1],
  ]);
});

test("retryNow ends a wait at once, and does nothing while there is a link or an attempt", async () => {
  const { reconnect, clock, hub, attempts, links } = underTest({ hubIsThere: false });
  reconnect.retryNow();
  await clock.advance(0);
  hub.isThere = true;
  reconnect.retryNow();
  reconnect.retryNow();
  await clock.advance(0);
  reconnect.retryNow();
  await clock.advance(60_000);
  expect([attempts, links.length, clock.pending]).toEqual([[0, 0], 1, 0]);
});

test("L45: after retryWithin the next attempt comes at a random time within it, once", async () => {
  const { reconnect, clock, hub, waits, cut } = underTest();
  await clock.advance(0);
  reconnect.retryWithin(8000);
  hub.isThere = false;
  await cut();
  await clock.advance(4000);
  expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([4000, 500]);
});

test("L45: spread makes the next wait longer, once, and never shorter", async () => {
  const { reconnect, clock, waits, cut } = underTest();
  for (const spread of [8000, 0, 600, 600]) {
    await clock.advance(0);
    reconnect.spread(spread);
    await cut();
    await clock.advance(4000);
  }
  expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([4000, 500, 1000, 2000]);
});

test("L45: retryWithin during a wait restarts that wait", async () => {
  const { reconnect, clock, attempts, waits, cut } = underTest();
  await clock.advance(0);
  await cut();
  reconnect.retryWithin(8000);
  await clock.advance(3999);
  expect(attempts).toHaveLength(1);
  await clock.advance(1);
  expect(attempts).toEqual([0, 4000]);
  expect(waits.map(({ milliseconds, attempt, reason }) => [milliseconds, attempt, reason])).toEqual([
    [250, 1, cutOff],
    [4000, 1, cutOff],
  ]);
});

test("L46: after close there is no attempt, no wait and no link, at any moment", async () => {
  const waiting = underTest({ hubIsThere: false });
  await waiting.clock.advance(0);
  waiting.reconnect.close();
  waiting.reconnect.close();
  waiting.reconnect.retryNow();
  waiting.reconnect.retryWithin(10);
  await waiting.clock.advance(60_000);
  expect([waiting.attempts.length, waiting.clock.pending]).toEqual([1, 0]);

  const connecting = underTest();
  connecting.reconnect.close();
  await connecting.clock.advance(60_000);
  expect([connecting.attempts.length, connecting.links, connecting.waits]).toEqual([1, [], []]);

  const up = underTest();
  await up.clock.advance(0);
  up.reconnect.close(closeReason("tab-replaced"));
  await up.clock.advance(60_000);
  expect([up.attempts.length, up.closings, up.waits]).toEqual([1, [closeReason("tab-replaced")], []]);
});

test("L46: a link whose attempt ends after close is closed and not handed out", async () => {
  const clock = createFakeClock();
  const [near] = createMemoryLinks();
  let arrive: (link: Link) => void = () => {};
  const given: Link[] = [];
  const reconnect = createReconnect({
    clock,
    random: () => 0,
    connect: () => new Promise((resolve) => (arrive = resolve)),
    onLink(link) {
      given.push(link);
      return { message() {}, closed() {} };
    },
    onWaiting() {},
  });
  reconnect.close();
  arrive(near);
  await clock.advance(0);
  expect([near.open, given]).toEqual([false, []]);
});

test("a user may close the reconnect when its link ends", async () => {
  const clock = createFakeClock();
  const waits: Waiting[] = [];
  const [near, far] = createMemoryLinks();
  const reconnect = createReconnect({
    clock,
    random: () => 0,
    connect: () => Promise.resolve(near),
    onLink: () => ({ message() {}, closed: () => reconnect.close() }),
    onWaiting: (waiting) => waits.push(waiting),
  });
  await clock.advance(0);
  far.close(closeReason("tab-replaced"));
  await clock.advance(60_000);
  expect([waits, clock.pending]).toEqual([[], 0]);
});

test("a link whose user throws on receiving it is closed, and another attempt is made", async () => {
  const clock = createFakeClock();
  const waits: Waiting[] = [];
  const made: Link[] = [];
  const given: Link[] = [];
  createReconnect({
    clock,
    random: () => 0.5,
    async connect() {
      const [near] = createMemoryLinks();
      made.push(near);
      return near;
    },
    onLink(link) {
      if (given.push(link) === 1) throw new Error("broken");
      return { message() {}, closed() {} };
    },
    onWaiting: (waiting) => waits.push(waiting),
  });
  await clock.advance(0);
  expect([made[0]?.open, waits[0]?.milliseconds]).toEqual([false, 250]);
  expect(waits[0]?.reason).toMatchObject({ message: expect.stringContaining("broken") as string });
  await clock.advance(250);
  expect([given.length, made[1]?.open]).toEqual([2, true]);
});
