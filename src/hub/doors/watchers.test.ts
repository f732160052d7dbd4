import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { resolveLimits, splitBatch } from "../../wire/index.ts";
import type { CallEvent, Message } from "../../wire/index.ts";
import { createWatchers } from "./watchers.ts";

function createStage(watchedEvents = 6400) {
  const clock = createFakeClock();
  const limits = resolveLimits({ watchedEvents });
  const listeners = new Set<(event: CallEvent) => void>();
  let encodings = 0;
  const watchers = createWatchers({
    clock,
    limits,
    encode(event) {
      encodings++;
      return JSON.stringify({ type: "watched", id: event.id });
    },
  });
  let happened = 0;
  return {
    clock,
    listeners,
    encodings: () => encodings,
    /** Lets `count` events happen. */
    happen(count: number) {
      for (let index = 0; index < count; index++) {
        const id = String(++happened);
        for (const listener of listeners) {
          listener({ event: "started", id, method: "tools/call", name: "work", agent: "tester" });
        }
      }
    },
    announce: () => clock.advance(limits.changesTime),
    watch({ batches = true, principal = "me" } = {}) {
      const sent: Message[] = [];
      const link = { queuedBytes: 0, send: (message: Message) => void sent.push(message) };
      const session = {
        onCall(listener: (event: CallEvent) => void) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      };
      const stop = watchers.add(principal, { link, session, batches });
      return { sent, link, stop, heard: () => framesIn(sent).map(({ id, count }) => id ?? `${count} missed`) };
    },
  };
}

function framesIn(messages: readonly Message[]): readonly { readonly id?: string; readonly count?: number }[] {
  return messages
    .flatMap((message) => splitBatch(Buffer.from(message).toString()))
    .map((frame) => JSON.parse(frame) as { id?: string; count?: number });
}

test("an event is encoded once, and its bytes are shared, however many agents watch", async () => {
  const { watch, happen, announce, encodings } = createStage();
  const watching = Array.from({ length: 100 }, () => watch());
  happen(30);
  await announce();
  expect(encodings()).toBe(30);
  expect(new Set(watching.map(({ sent }) => sent[0]))).toHaveLength(1);
  for (const { sent, heard } of watching) {
    expect(sent).toHaveLength(1);
    expect(heard()).toEqual(Array.from({ length: 30 }, (_, index) => String(index + 1)));
  }
});

test("an agent that does not take several frames in a message is sent each event alone", async () => {
  const { watch, happen, announce } = createStage();
  const { sent } = watch({ batches: false });
  happen(3);
  await announce();
  expect(sent.map((message) => Buffer.from(message).toString())).toEqual([
    '{"type":"watched","id":"1"}',
    '{"type":"watched","id":"2"}',
    '{"type":"watched","id":"3"}',
  ]);
});

test("an agent that does not read skips events, and is sent how many once it reads, though nothing more happens", async () => {
  const { watch, happen, announce, clock } = createStage();
  const slow = watch();
  const quick = watch();
  slow.link.queuedBytes = 100_000;
  for (let moment = 0; moment < 50; moment++) {
    happen(10);
    await announce();
  }
  expect(slow.sent).toEqual([]);
  expect(quick.heard()).toHaveLength(500);
  slow.link.queuedBytes = 0;
  await announce();
  expect(slow.heard()).toEqual(["500 missed"]);
  happen(1);
  await announce();
  expect(slow.heard()).toEqual(["500 missed", "501"]);
  expect(clock.pending).toBe(0);
});

test("beyond watchedEvents all who watch together miss events, and are sent how many", async () => {
  const { watch, happen, announce, encodings } = createStage(100);
  const watching = Array.from({ length: 10 }, () => watch());
  happen(25);
  await announce();
  expect(encodings()).toBe(10);
  for (const { heard } of watching) {
    expect(heard()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "15 missed"]);
  }
  for (const { stop } of watching.slice(1)) stop();
  happen(25);
  await announce();
  expect(watching[0]?.heard()).toHaveLength(11 + 25);
});

test("an agent gets all events between its start and its end, regardless of other watchers", async () => {
  const { watch, happen, announce, listeners, clock } = createStage();
  const first = watch();
  happen(1);
  const second = watch();
  expect(listeners.size).toBe(1);
  happen(1);
  first.stop();
  happen(1);
  const other = watch({ principal: "another" });
  await announce();
  expect(first.heard()).toEqual(["1", "2"]);
  expect(second.heard()).toEqual(["2", "3"]);
  expect(other.heard()).toEqual([]);
  for (const { stop } of [second, other]) stop();
  expect(listeners.size).toBe(0);
  expect(clock.pending).toBe(0);
});
