import { describe, expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { HeartbeatPhase } from "./heartbeat.ts";

function start(phase: HeartbeatPhase) {
  const clock = createFakeClock();
  const pings: number[] = [];
  const failures: string[] = [];
  const heartbeat = createHeartbeat({
    clock,
    interval: 5000,
    timeout: 15_000,
    ping: () => void pings.push(clock.now()),
    failed: (failed) => void failures.push(`${failed} at ${clock.now()}`),
  });
  heartbeat.start(phase);
  return { clock, heartbeat, pings, failures };
}

/** Timers with the given delays, like those that a browser throttles in a background page. */
function startLate(phase: HeartbeatPhase, late: (timer: number) => number) {
  let now = 0;
  let timers = 0;
  let due: { readonly at: number; run(): void } | undefined;
  const events: string[] = [];
  const heartbeat = createHeartbeat({
    clock: {
      now: () => now,
      after(wait, run) {
        due = { at: now + wait + late(++timers), run };
        return () => (due = undefined);
      },
    },
    interval: 5000,
    timeout: 15_000,
    ping: () => void events.push("ping"),
    failed: () => void events.push("failed"),
  });
  heartbeat.start(phase);
  const turn = () => {
    const timer = due;
    due = undefined;
    now = timer?.at ?? now;
    timer?.run();
  };
  return { heartbeat, events, turn };
}

describe("BR9: the interval of pings", () => {
  test("BR9: a window that is about to load gets four pings a second, one that answers gets one per interval", async () => {
    const { clock, heartbeat, pings } = start("greeting");
    await clock.advance(1000);
    expect(pings).toEqual([0, 250, 500, 750, 1000]);
    heartbeat.start("beating");
    pings.length = 0;
    await clock.advance(5000);
    heartbeat.answered();
    await clock.advance(5000);
    expect(pings).toEqual([6000, 11_000]);
    heartbeat.stop();
    await clock.advance(60_000);
    expect(pings).toHaveLength(2);
  });

  test("BR11: a window that was given up gets a ping per interval, indefinitely", async () => {
    const { clock, pings, failures } = start("lingering");
    await clock.advance(600_000);
    expect(pings).toHaveLength(121);
    expect(failures).toEqual([]);
  });
});

describe("BR10: silence", () => {
  test("BR10: fifteen seconds after the first unanswered ping the heartbeat fails, and stops", async () => {
    const { clock, heartbeat, failures, pings } = start("beating");
    await clock.advance(5000);
    heartbeat.answered();
    await clock.advance(19_999);
    expect(failures).toEqual([]);
    await clock.advance(1);
    expect(failures).toEqual(["beating at 25000"]);
    expect(pings).toEqual([5000, 10_000, 15_000, 20_000]);
    expect(clock.pending).toBe(0);
  });

  test("BR10: an answer restarts the count", async () => {
    const { clock, heartbeat, failures } = start("beating");
    for (let round = 0; round < 20; round++) {
      await clock.advance(14_000);
      heartbeat.answered();
    }
    expect(failures).toEqual([]);
  });

  test("BR10: five attempts are made, one per interval", async () => {
    const { clock, pings, failures } = start("retrying");
    await clock.advance(60_000);
    expect(pings).toEqual([0, 5000, 10_000, 15_000, 20_000]);
    expect(failures).toEqual(["retrying at 25000"]);
  });

  test("the timeout of a window that never answers is that of one that stopped", async () => {
    const { clock, failures } = start("greeting");
    await clock.advance(60_000);
    expect(failures).toEqual(["greeting at 15000"]);
  });
});

describe("late timers", () => {
  test("a page that was frozen for an hour sends a ping before it decides", () => {
    const { events, turn } = startLate("beating", (timer) => (timer === 4 ? 3_600_000 : 0));
    turn();
    turn();
    turn();
    expect(events).toEqual(["ping", "ping", "ping"]);
    turn();
    expect(events.at(-1)).toBe("ping");
  });

  test("if every timer is a minute late, one answer between two of them is enough, for hours", () => {
    const { heartbeat, events, turn } = startLate("beating", () => 55_000);
    for (let hour = 0; hour < 60; hour++) {
      turn();
      heartbeat.answered();
    }
    expect(events).not.toContain("failed");
  });

  test("if every timer is late a dead window is still noticed", () => {
    const { events, turn } = startLate("beating", () => 55_000);
    for (let minute = 0; minute < 6; minute++) turn();
    expect(events).toContain("failed");
  });
});
