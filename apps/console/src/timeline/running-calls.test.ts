import { expect, test } from "vitest";
import { rowOfEvent } from "./call-row.ts";
import { createRunningCalls } from "./running-calls.ts";

type Event = Parameters<typeof rowOfEvent>[0];

const event = (id: string, at: number, more: Partial<Event> = {}): Event => ({
  ...{ event: "started", id, at, method: "tools/call", name: "work", tabId: "t1", app: "shop", agent: "claude" },
  ...more,
});

const ended = (id: string, at: number) => event(id, at, { event: "ended", outcome: "ok", milliseconds: at });

test("a call is shown while it runs long, and until its record is there", () => {
  const running = createRunningCalls();
  const shown = () => running.rows.value.map(({ id, outcome }) => [id, outcome]);
  running.take(event("short", 0));
  running.take(event("long", 0));
  running.take(ended("short", 100));
  running.refresh(200);
  expect(shown()).toEqual([]);
  running.refresh(500);
  expect(shown()).toEqual([["long", undefined]]);
  running.take(ended("long", 900));
  running.refresh(1000);
  expect(shown()).toEqual([["long", "ok"]]);
  running.recorded([{ ...rowOfEvent(event("long", 0)), id: "record" }]);
  expect(shown()).toEqual([]);
  running.refresh(1500);
  expect(shown()).toEqual([]);
});

test("a call without a record goes after a while, and of very many only the newest are kept", () => {
  const running = createRunningCalls();
  running.take(event("gone", 0));
  running.take(ended("gone", 400));
  running.refresh(500);
  expect(running.rows.value).toHaveLength(1);
  running.refresh(10_000);
  expect(running.rows.value).toHaveLength(0);
  for (let n = 0; n < 1000; n++) running.take(event(`call-${n}`, 0));
  running.refresh(10_000);
  expect(running.rows.value).toHaveLength(200);
  expect(running.rows.value[0]?.id).toBe("call-999");
});

test("cleared, no row waits for an end that was missed", () => {
  const running = createRunningCalls();
  running.take(event("lost", 0));
  running.refresh(500);
  expect(running.rows.value).toHaveLength(1);
  running.clear();
  expect(running.rows.value).toEqual([]);
  running.refresh(1000);
  expect(running.rows.value).toEqual([]);
});
