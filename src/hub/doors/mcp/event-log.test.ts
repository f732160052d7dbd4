import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Clock } from "../../../link/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { EventLog, notificationStream } from "./event-log.ts";

const say = (data: unknown) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data } });
const answer = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, result: {} });

interface TestClock extends Clock {
  readonly waiting: number;
  pass(milliseconds: number): void;
}

function testClock(): TestClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    get waiting() {
      return timers.size;
    },
    now: () => now,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass(milliseconds) {
      now += milliseconds;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

class TestLog extends EventLog {
  readonly clock: TestClock;

  constructor(limits: Partial<Limits>, held: { bytes: number }) {
    const clock = testClock();
    const small = { replayEvents: 10, replayBytes: 10_000, replayTime: 1000, replayBytesPerPrincipal: 20_000 };
    super({ limits: { ...small, ...limits }, clock, held, newId: randomUUID });
    this.clock = clock;
  }

  /** Stores some events and returns their ids. */
  fill(stream: string, ...messages: readonly string[]): string[] {
    return messages.map((text) => this.store(stream, text, text.includes('"result"')));
  }

  /** The replay that a client gets for an id, or the refusal. */
  resume(id: string): readonly string[] | "refused" {
    return this.after(id)?.events.map(({ text }) => text) ?? "refused";
  }
}

function openLog(limits: Partial<Limits> = {}, held = { bytes: 0 }): TestLog {
  return new TestLog(limits, held);
}

test("M69: a client that comes back gets what its stream was sent after the event that it saw last, in order", () => {
  const log = openLog();
  const [first = "", second = "", third = ""] = log.fill("one", say(1), say(2), say(3));
  log.fill("two", say("another stream's"));
  const [last = ""] = log.fill("one", answer(4));
  expect(log.after(first)).toEqual({
    stream: "one",
    events: [
      { id: second, text: say(2) },
      { id: third, text: say(3) },
      { id: last, text: answer(4) },
    ],
  });
  expect(log.resume(third)).toEqual([answer(4)]);
  expect(log.resume(last)).toEqual([]);
});

test("M70: no more than `replayEvents` events are kept, and a client that missed a dropped one is refused", () => {
  const log = openLog({ replayEvents: 3 });
  const [first = "", second = "", third = ""] = log.fill("one", say(1), say(2), say(3), say(4), say(5));
  expect(log.resume(first)).toBe("refused");
  expect(log.resume(second)).toEqual([say(3), say(4), say(5)]);
  log.fill("two", say(6));
  expect(log.resume(second)).toBe("refused");
  expect(log.resume(third)).toEqual([say(4), say(5)]);
});

test("M70: no more than `replayBytes` bytes are kept; an event that is larger alone does not push out the others", () => {
  const log = openLog({ replayBytes: 300 });
  const large = say("é".repeat(50));
  const [first = "", second = ""] = log.fill("one", large, large, large);
  expect(log.resume(first)).toBe("refused");
  expect(log.resume(second)).toEqual([large]);
  const [before = ""] = log.fill("two", say("é".repeat(150)), say(1));
  expect(log.resume(before)).toEqual([say(1)]);
  expect(log.resume(second)).toEqual([large]);
});

test("M70: the sessions of one principal keep no more than `replayBytesPerPrincipal`, and what one lets go of the other may keep", () => {
  const held = { bytes: 0 };
  const [one, other] = [
    openLog({ replayBytesPerPrincipal: 300 }, held),
    openLog({ replayBytesPerPrincipal: 300 }, held),
  ];
  const large = say("x".repeat(150));
  const [first = ""] = one.fill("one", say(1), large);
  const [second = ""] = other.fill("two", say(1), large);
  expect(one.resume(first)).toEqual([large]);
  expect(other.resume(second)).toBe("refused");
  one.close();
  const [third = ""] = other.fill("three", say(1), large);
  expect(other.resume(third)).toEqual([large]);
  other.close();
  expect(held.bytes).toBe(0);
});

test("M70: a session's notifications do not evict the answers to its calls, nor vice versa", () => {
  for (const limits of [{ replayEvents: 3 }, { replayBytes: 300 }]) {
    const log = openLog(limits);
    const [news = "", ...more] = log.fill(notificationStream, say(0), say(1), say(2), say(3));
    const [begun = ""] = log.fill("call", say(1), answer(1));
    for (let count = 0; count < 20; count++) log.fill(notificationStream, say(count));
    expect(log.resume(begun)).toEqual([answer(1)]);
    expect(log.resume(news)).toBe("refused");
    expect(log.resume(more.at(-1) ?? "")).toBe("refused");
    const [last = ""] = log.fill(notificationStream, say(8), say(9));
    for (let call = 0; call < 20; call++) log.fill(`call ${call}`, answer(call));
    expect(log.resume(last)).toEqual([say(9)]);
    expect(log.resume(begun)).toBe("refused");
  }
});

test("M70: a client that missed an event which was never kept is refused, also when later ones are", () => {
  const log = openLog({ replayBytes: 300 });
  const [first = ""] = log.fill("one", say(1));
  log.clock.pass(500);
  const [huge = ""] = log.fill("one", say("x".repeat(300)), say(2));
  for (const time of [0, 500]) {
    log.clock.pass(time);
    expect(log.resume(first)).toBe("refused");
    expect(log.resume(huge)).toEqual([say(2)]);
  }
});

test("M70: events are kept for `replayTime`, and let go of then though nobody asks", () => {
  const log = openLog();
  const [first = ""] = log.fill("one", say(1));
  log.clock.pass(600);
  const [second = ""] = log.fill("one", say(2));
  log.fill("one", say(3));
  log.clock.pass(399);
  expect(log.resume(first)).toEqual([say(2), say(3)]);
  log.clock.pass(601);
  expect(log.resume(first)).toBe("refused");
  expect(log.resume(second)).toBe("refused");
  expect(log.clock.waiting).toBe(0);
});

test("an event id that is unknown, or another session's, is refused", () => {
  const log = openLog();
  const [id = ""] = log.fill("one", say(1));
  const [foreign = ""] = openLog().fill("one", say(1), say(2));
  const prefix = id.slice(0, id.lastIndexOf(".", id.length - 3));
  const made = [`${prefix}.1.2`, `${prefix}.1.0`, `${prefix}.2.1`, `${prefix}.1.1e0`, `${prefix}.1.-1`, `${id}.1`];
  for (const wrong of [foreign, "", "1", "one", `${id} `, ` ${id}`, ...made]) {
    expect(log.resume(wrong), wrong).toBe("refused");
  }
  expect(`${prefix}.1.1`).toBe(id);
  expect(log.resume(id)).toEqual([]);
});

test("a closed session replays nothing, keeps nothing and waits for nothing", () => {
  const log = openLog();
  const [id = ""] = log.fill("one", say(1), say(2));
  log.close();
  log.close();
  expect(log.resume(id)).toBe("refused");
  const [later = ""] = log.fill("one", say(3), say(4));
  expect(log.resume(later)).toBe("refused");
  expect(log.clock.waiting).toBe(0);
});

test("a stream that was quiet goes on where it stopped, however old its last event is", () => {
  const log = openLog();
  const [, last = ""] = log.fill("listening", say(1), say(2));
  for (let call = 0; call < 100; call++) {
    log.fill(`call ${call}`, say(call), answer(call));
    log.clock.pass(5000);
  }
  expect(log.resume(last)).toEqual([]);
  log.fill("listening", say(3));
  expect(log.resume(last)).toEqual([say(3)]);
});

test("streams that are never answered are finally forgotten, and start again", () => {
  const log = openLog();
  const [old = ""] = log.fill("quiet", say(1));
  for (let call = 0; call < 20; call++) log.fill(`call ${call}`, say(call));
  expect(log.resume(old)).toBe("refused");
  log.fill("quiet", say(2));
  expect(log.resume(old)).toBe("refused");
});

test("the stream that was not used for longest is forgotten first", () => {
  const log = openLog();
  log.fill("used", say(1));
  const [unused = ""] = log.fill("unused", say(1));
  const [used = ""] = log.fill("used", say(2));
  log.clock.pass(5000);
  for (let call = 0; call < 9; call++) log.fill(`call ${call}`, say(call));
  expect(log.resume(used)).toEqual([]);
  expect(log.resume(unused)).toBe("refused");
});
