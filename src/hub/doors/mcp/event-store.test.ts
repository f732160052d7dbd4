import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../../link/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { createEventStore } from "./event-store.ts";
import type { SessionEvents } from "./event-store.ts";

const say = (data: unknown): JSONRPCMessage => ({ jsonrpc: "2.0", method: "notifications/message", params: { data } });
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: {} });

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

interface TestStore extends SessionEvents {
  readonly clock: TestClock;
  /** Stores some events and returns their ids. */
  fill(stream: string, ...messages: readonly JSONRPCMessage[]): Promise<string[]>;
  /** What a client that comes back with an id is sent, or that it is refused. */
  resume(id: string): Promise<readonly unknown[] | "refused">;
}

function openStore(limits: Partial<Limits> = {}): TestStore {
  const clock = testClock();
  const store = createEventStore({
    limits: { replayEvents: 10, replayBytes: 10_000, replayTime: 1000, ...limits },
    clock,
    newId: randomUUID,
  });
  return {
    ...store,
    clock,
    async fill(stream, ...messages) {
      const ids: string[] = [];
      for (const message of messages) ids.push(await store.storeEvent(stream, message));
      return ids;
    },
    async resume(id) {
      if ((await store.getStreamIdForEventId(id)) === undefined) {
        await expect(store.replayEventsAfter(id, { send: async () => {} })).rejects.toMatchObject({
          code: "request-malformed",
        });
        return "refused";
      }
      const sent: unknown[] = [];
      await store.replayEventsAfter(id, { send: async (_, message) => void sent.push(message) });
      return sent;
    },
  };
}

test("M69: a client that comes back gets what its stream was sent after the event that it saw last, in order", async () => {
  const store = openStore();
  const [first = "", second = "", third = ""] = await store.fill("one", say(1), say(2), say(3));
  await store.fill("two", say("another stream's"));
  await store.fill("one", answer(4));
  const sent: [string, unknown][] = [];
  const send = async (id: string, message: JSONRPCMessage) => void sent.push([id, message]);
  expect(await store.replayEventsAfter(first, { send })).toBe("one");
  expect(sent.map(([, message]) => message)).toEqual([say(2), say(3), answer(4)]);
  expect(sent.slice(0, 2).map(([id]) => id)).toEqual([second, third]);
  expect(await store.resume(third)).toEqual([answer(4)]);
  expect(await store.getStreamIdForEventId(third)).toBe("one");
  expect(await store.resume(sent.at(-1)?.[0] ?? "")).toEqual([]);
});

test("M69: an event is sent again as it was, and an empty one, which only has an id, is not", async () => {
  const store = openStore();
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { data: "é\u{1f600}\n" } } as const;
  const [first = ""] = await store.fill("one", {} as JSONRPCMessage, message, {} as JSONRPCMessage);
  expect(await store.resume(first)).toEqual([message]);
});

test("M69: what is stored while events are sent again comes along", async () => {
  const store = openStore();
  const [first = ""] = await store.fill("one", say(1), say(2));
  const sent: unknown[] = [];
  await store.replayEventsAfter(first, {
    async send(_, message) {
      sent.push(message);
      if (sent.length === 1) await store.fill("one", say(3));
    },
  });
  expect(sent).toEqual([say(2), say(3)]);
});

test("M70: no more than `replayEvents` events are kept, and a client that missed a dropped one is refused", async () => {
  const store = openStore({ replayEvents: 3 });
  const [first = "", second = "", third = ""] = await store.fill("one", say(1), say(2), say(3), say(4), say(5));
  expect(await store.resume(first)).toBe("refused");
  expect(await store.resume(second)).toEqual([say(3), say(4), say(5)]);
  await store.fill("two", say(6));
  expect(await store.resume(second)).toBe("refused");
  expect(await store.resume(third)).toEqual([say(4), say(5)]);
});

test("M70: no more than `replayBytes` bytes are kept; an event that is larger alone does not push out the others", async () => {
  const store = openStore({ replayBytes: 300 });
  const large = say("é".repeat(50));
  const [first = "", second = ""] = await store.fill("one", large, large, large);
  expect(await store.resume(first)).toBe("refused");
  expect(await store.resume(second)).toEqual([large]);
  const [before = ""] = await store.fill("two", say("é".repeat(150)), say(1));
  expect(await store.resume(before)).toEqual([say(1)]);
  expect(await store.resume(second)).toEqual([large]);
});

test("M70: what a session is told unasked does not push out the answers to its calls, nor they that", async () => {
  for (const limits of [{ replayEvents: 3 }, { replayBytes: 300 }]) {
    const store = openStore(limits);
    const [news = "", ...more] = await store.fill("_GET_stream", say(0), say(1), say(2), say(3));
    const [begun = ""] = await store.fill("call", say(1), answer(1));
    for (let count = 0; count < 20; count++) await store.fill("_GET_stream", say(count));
    expect(await store.resume(begun)).toEqual([answer(1)]);
    expect(await store.resume(news)).toBe("refused");
    expect(await store.resume(more.at(-1) ?? "")).toBe("refused");
    const [last = ""] = await store.fill("_GET_stream", say(8), say(9));
    for (let call = 0; call < 20; call++) await store.fill(`call ${call}`, answer(call));
    expect(await store.resume(last)).toEqual([say(9)]);
    expect(await store.resume(begun)).toBe("refused");
  }
});

test("M70: a client that missed an event which was never kept is refused, also when later ones are", async () => {
  const store = openStore({ replayBytes: 300 });
  const [first = ""] = await store.fill("one", say(1));
  store.clock.pass(500);
  const [huge = ""] = await store.fill("one", say("x".repeat(300)), say(2));
  for (const time of [0, 500]) {
    store.clock.pass(time);
    expect(await store.resume(first)).toBe("refused");
    expect(await store.resume(huge)).toEqual([say(2)]);
  }
});

test("M70: events are kept for `replayTime`, and let go of then though nobody asks", async () => {
  const store = openStore();
  const [first = ""] = await store.fill("one", say(1));
  store.clock.pass(600);
  const [second = ""] = await store.fill("one", say(2));
  await store.fill("one", say(3));
  store.clock.pass(399);
  expect(await store.resume(first)).toEqual([say(2), say(3)]);
  store.clock.pass(601);
  expect(await store.resume(first)).toBe("refused");
  expect(await store.resume(second)).toBe("refused");
  expect(store.clock.waiting).toBe(0);
});

test("M70: events that are dropped while others are sent again make the replay fail, not incomplete", async () => {
  for (const extra of [1, 4]) {
    const store = openStore({ replayEvents: 4 });
    const [first = ""] = await store.fill("one", say(1), say(2), say(3), say(4));
    const replay = store.replayEventsAfter(first, {
      send: async () => void (await store.fill("two", ...Array.from({ length: 2 + extra }, () => say(0)))),
    });
    await expect(replay).rejects.toMatchObject({ code: "request-malformed" });
  }
});

test("M71: an event id that is unknown, or another session's, is refused", async () => {
  const store = openStore();
  const [id = ""] = await store.fill("one", say(1));
  const [foreign = ""] = await openStore().fill("one", say(1), say(2));
  const prefix = id.slice(0, id.lastIndexOf(".", id.length - 3));
  const made = [`${prefix}.1.2`, `${prefix}.1.0`, `${prefix}.2.1`, `${prefix}.1.1e0`, `${prefix}.1.-1`, `${id}.1`];
  for (const wrong of [foreign, "", "1", "one", `${id} `, ` ${id}`, ...made]) {
    expect(await store.resume(wrong), wrong).toBe("refused");
  }
  expect(`${prefix}.1.1`).toBe(id);
  expect(await store.resume(id)).toEqual([]);
});

test("M71: a closed session replays nothing, keeps nothing and waits for nothing", async () => {
  const store = openStore();
  const [id = ""] = await store.fill("one", say(1), say(2));
  store.close();
  store.close();
  expect(await store.resume(id)).toBe("refused");
  const [later = ""] = await store.fill("one", say(3), say(4));
  expect(await store.resume(later)).toBe("refused");
  expect(store.clock.waiting).toBe(0);
});

test("M72: a stream that was quiet goes on where it stopped, however old its last event is", async () => {
  const store = openStore();
  const [, last = ""] = await store.fill("listening", say(1), say(2));
  for (let call = 0; call < 100; call++) {
    await store.fill(`call ${call}`, say(call), answer(call));
    store.clock.pass(5000);
  }
  expect(await store.resume(last)).toEqual([]);
  await store.fill("listening", say(3));
  expect(await store.resume(last)).toEqual([say(3)]);
});

test("M72: streams that are never answered are forgotten in the end, and begin anew", async () => {
  const store = openStore();
  const [old = ""] = await store.fill("quiet", say(1));
  for (let call = 0; call < 20; call++) await store.fill(`call ${call}`, say(call));
  expect(await store.resume(old)).toBe("refused");
  await store.fill("quiet", say(2));
  expect(await store.resume(old)).toBe("refused");
});

test("M72: the stream that was not used for longest is forgotten first", async () => {
  const store = openStore();
  await store.fill("used", say(1));
  const [unused = ""] = await store.fill("unused", say(1));
  const [used = ""] = await store.fill("used", say(2));
  store.clock.pass(5000);
  for (let call = 0; call < 9; call++) await store.fill(`call ${call}`, say(call));
  expect(await store.resume(used)).toEqual([]);
  expect(await store.resume(unused)).toBe("refused");
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** A session of the SDK that keeps its events in a store, with its listening stream open. */
async function openSession(limits: Partial<Limits> = {}) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => "session",
    eventStore: openStore(limits),
  });
  onTestFinished(() => transport.close());
  await transport.start();
  const ask = (method: string, headers: Record<string, string>, body?: string) =>
    transport.handleRequest(
      new Request("http://hub/mcp", {
        method,
        headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    );
  await ask("POST", {}, JSON.stringify(initialize));
  const listen = async (last?: string) => {
    const id = last === undefined ? {} : { "Last-Event-ID": last };
    const response = await ask("GET", { "Mcp-Session-Id": "session", ...id });
    return { status: response.status, reader: response.body?.pipeThrough(new TextDecoderStream()).getReader() };
  };
  return { transport, listen };
}

const idIn = (event: string | undefined) => /^id: (.*)$/m.exec(event ?? "")?.[1] ?? "";

test("M69: a client of the SDK's transport gets what it missed, and then what comes", async () => {
  const { transport, listen } = await openSession();
  const { reader } = await listen();
  await transport.send(say(1));
  const first = idIn((await reader?.read())?.value);
  await reader?.cancel();
  await transport.send(say(2));
  const again = await listen(first);
  expect(again.status).toBe(200);
  expect((await again.reader?.read())?.value).toMatch('"data":2');
  await transport.send(say(3));
  expect((await again.reader?.read())?.value).toMatch('"data":3');
});

test("M71: the SDK's transport answers 400 to an event that is unknown, another session's or not held any more", async () => {
  const { transport, listen } = await openSession({ replayEvents: 1 });
  const { reader } = await listen();
  await transport.send(say(1));
  const first = idIn((await reader?.read())?.value);
  await reader?.cancel();
  await transport.send(say(2));
  await transport.send(say(3));
  const [foreign = ""] = await openStore().fill("_GET_stream", say(1));
  for (const id of [first, foreign, "unknown"]) expect((await listen(id)).status).toBe(400);
});
