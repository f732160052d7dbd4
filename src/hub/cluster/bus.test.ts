// One suite for every kind of bus.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { Bus } from "./bus.ts";
import { createMemoryBroker } from "./memory-bus.test-helper.ts";
import { connectNats, hostsInClear } from "./nats-bus.ts";

type Connect = () => Promise<Bus>;

const kinds: readonly (readonly [string, () => Promise<Connect>])[] = [
  [
    "in memory",
    async () => {
      const broker = createMemoryBroker();
      return async () => broker.connect();
    },
  ],
  [
    "over NATS",
    async () => {
      const nats = await startNats();
      onTestFinished(() => nats.close());
      return () => connectNats({ servers: nats.url });
    },
  ],
];

const bytes = (text: string) => Buffer.from(text);

describe.each(kinds)("a bus %s", (_, start) => {
  async function two(): Promise<readonly [Bus, Bus]> {
    const connect = await start();
    const pair = [await connect(), await connect()] as const;
    onTestFinished(async () => void (await Promise.all(pair.map((bus) => bus.close()))));
    return pair;
  }

  function listen(bus: Bus, subject: string) {
    const got: string[] = [];
    const stop = bus.subscribe(subject, (message) => got.push(Buffer.from(message).toString()));
    return { got, stop };
  }

  /** Resolves once everything that was sent before has arrived. */
  async function settled(from: Bus, to: Bus): Promise<void> {
    let isThere = false;
    const stop = to.subscribe("settled", () => (isThere = true));
    await vi.waitUntil(() => from.publish("settled", bytes("")) && isThere, { timeout: 10_000, interval: 5 });
    stop();
  }

  test("MH1: delivers to all who listen to a subject, the sender too, in order, and to nobody else", async () => {
    const [a, b] = await two();
    const atA = listen(a, "one");
    const atB = listen(b, "one");
    const other = listen(b, "one.two");
    await settled(a, b);
    for (let count = 0; count < 100; count++) a.publish("one", bytes(`${count}`));
    await settled(a, b);
    const all = Array.from({ length: 100 }, (__, count) => `${count}`);
    expect([atA.got, atB.got, other.got]).toEqual([all, all, []]);
    atB.stop();
    await settled(b, a);
    a.publish("one", bytes("late"));
    await settled(a, b);
    expect(atB.got).toEqual(all);
  });

  test("MH1: carries any bytes, up to its longest message", async () => {
    const [a, b] = await two();
    const got: Uint8Array[] = [];
    b.subscribe("any", (message) => got.push(message));
    await settled(b, a);
    const longest = Buffer.alloc(a.maxBytes, 0xff);
    expect(a.publish("any", longest)).toBe(true);
    a.publish("any", new Uint8Array());
    await settled(a, b);
    expect(got.map(({ length }) => length)).toEqual([a.maxBytes, 0]);
    expect(Buffer.compare(got[0] ?? bytes(""), longest)).toBe(0);
  });

  test("MH1: publishes nothing once it is closed, and can be closed twice", async () => {
    const [a] = await two();
    await Promise.all([a.close(), a.close()]);
    expect([a.isUp, a.publish("one", bytes("late"))]).toEqual([false, false]);
  });
});

test("MH1: a bus over NATS is down as soon as the server is gone, drops what is published then, and is back by itself", async () => {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const [a, b] = [await connectNats({ servers: nats.url }), await connectNats({ servers: nats.url })];
  onTestFinished(async () => void (await Promise.all([a.close(), b.close()])));
  const states: boolean[] = [];
  a.onState(() => states.push(a.isUp));
  const got: string[] = [];
  b.subscribe("one", (message) => got.push(Buffer.from(message).toString()));
  await nats.stop("SIGKILL");
  await vi.waitUntil(() => !a.isUp && !b.isUp, { timeout: 10_000 });
  expect(a.publish("one", bytes("lost"))).toBe(false);
  await nats.start();
  await vi.waitUntil(() => a.isUp && b.isUp, { timeout: 10_000 });
  await vi.waitUntil(() => a.publish("one", bytes("found")) && got.length > 0, { timeout: 10_000 });
  expect(new Set(got)).toEqual(new Set(["found"]));
  expect(states).toEqual([false, true]);
});

test("MH1: a bus over NATS closes also while the server hangs", async () => {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const bus = await connectNats({ servers: nats.url });
  nats.pause();
  onTestFinished(() => nats.resume());
  bus.publish("one", bytes("queued"));
  await bus.close();
  expect(bus.isUp).toBe(false);
});

describe("the addresses of NATS servers", () => {
  test.each([
    ["a user and a password", 'authorization { user: ada, password: "p@ss" }', "ada:p%40ss@"],
    ["a token", 'authorization { token: "s3cret" }', "s3cret@"],
  ])("MH2: may have %s", async (_, config, identity) => {
    const nats = await startNats(config);
    onTestFinished(() => nats.close());
    const address = nats.url.replace("//", `//${identity}`);
    const bus = await connectNats({ servers: address });
    onTestFinished(() => bus.close());
    expect(bus.isUp).toBe(true);
    await expect(connectNats({ servers: nats.url })).rejects.toMatchObject({ code: "bus-unavailable" });
  });

  test("MH2: are shown in errors without their secrets", async () => {
    const failed = connectNats({ servers: "nats://ada:secret@127.0.0.1:1" });
    await expect(failed).rejects.toMatchObject({ code: "bus-unavailable" });
    await expect(failed).rejects.not.toThrow(/secret/);
  });

  test("MH2: of other machines are in the log as in clear, unless they need TLS", async () => {
    expect(hostsInClear("nats://ada:secret@bus.example:4222,nats://[::1]:4222, nats://127.0.0.1")).toEqual([
      "bus.example",
    ]);
    expect(hostsInClear("tls://bus.example,nats://other.example")).toEqual([]);
    const nats = await startNats();
    onTestFinished(() => nats.close());
    const log: [string, unknown][] = [];
    const start = (address: string) =>
      startHub({
        cluster: { nats: nats.url.replace("127.0.0.1", address) },
        ai: "none",
        log: ({ event, host }) => void log.push([event, host]),
      });
    await start("127.0.0.1");
    expect(log.filter(([event]) => event === "in-clear")).toEqual([]);
    // This machine, by an address that is not known to be it.
    await start("0.0.0.0");
    expect(log.filter(([event]) => event === "in-clear")).toEqual([["in-clear", "0.0.0.0"]]);
  });

  test.each(["127.0.0.1:4222", "http://127.0.0.1", "nats://", ""])(
    "MH2: are refused if they are none: %j",
    async (servers) => {
      await expect(connectNats({ servers })).rejects.toMatchObject({ code: "options-invalid" });
    },
  );
});
