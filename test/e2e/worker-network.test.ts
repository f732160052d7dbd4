// Faults of the hub, of the network before it, and of one tab's link to it: the others reconnect on their own or
// notice nothing, and one call is one execution.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { countsOf, listTabs, offered, started, tabIdOf } from "./support/world.ts";
import { back, createWorkerWorld, note, once, statesOf, watch } from "./worker.test-helper.ts";
import type { ProxiedHub, WorkerWorld } from "./worker.test-helper.ts";

let world: WorkerWorld;
let main: ProxiedHub;
/** A hub that sends frequent heartbeats. */
let lively: ProxiedHub;

beforeAll(async () => {
  world = await createWorkerWorld();
  ({ main } = world);
  lively = await world.addHub({ heartbeatTime: 400 });
  world.served["/lively"] = lively.page();
});

afterEach(() => world.closeTabs());

afterAll(() => world.close());

test("a hub that is restarted has all tabs back on one socket, and a key joins the run that went on", async () => {
  const tabs = await world.openMany(3, "/lively");
  const [tab] = tabs;
  await Promise.all(tabs.map(watch));
  const key = { key: "restarted-key", tab: await tabIdOf(tab) };
  const cut = lively.call("hold", { tag: "restarted" }, key).catch(() => undefined);
  await started(tab, "restarted");
  await lively.restart();
  await cut;
  await Promise.all(tabs.map((one) => back(one)));
  await offered(tab, lively.call);
  const again = lively.call("hold", { tag: "restarted" }, key);
  await tab.evaluate("finish()");
  const ended = await again;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "restarted")).toEqual(once);
  await expect.poll(() => lively.proxy.connections).toBe(1);
  note("hub restarted while a tool runs, key sent again", ended);
});

test("a socket that is reset has all tabs back on one, and what runs in them ends with its result", async () => {
  const tabs = await world.openMany(2);
  await Promise.all(tabs.map(watch));
  const runs = await Promise.all(tabs.map((tab, index) => main.start(tab, `reset-${index}`)));
  main.proxy.reset();
  await Promise.all(tabs.map((tab) => back(tab)));
  await Promise.all(tabs.map((tab) => tab.evaluate("finish()")));
  for (const [index, { ended }] of runs.entries()) {
    expect(await ended).toMatchObject({ outcome: "ok" });
    expect(await countsOf(tabs[index] ?? tabs[0], `reset-${index}`)).toEqual(once);
  }
  await expect.poll(() => main.proxy.connections).toBe(1);
  note("socket reset while tools run in two tabs", "ok, one run each; both back on one socket", 2);
});

test.each(["toClient", "toTarget"] as const)(
  "a socket that is half-open (%s) is noticed and replaced, and the call that it swallowed runs once",
  async (direction) => {
    const tabs = await world.openMany(2, "/lively");
    await Promise.all(tabs.map(watch));
    // Refuse new connections: the hello would be lost in them, too.
    lively.proxy.refuse(true);
    lively.proxy.pause(direction, "drop");
    const tag = `swallowed-${direction}`;
    const call = lively.call("echo", { tag }, { tab: await tabIdOf(tabs[0]) });
    // Each notices by itself; bytes that come again before would keep the other's link.
    await Promise.all(tabs.map((tab) => tab.waitFor("states.length > 0")));
    lively.proxy.resume();
    lively.proxy.refuse(false);
    const ended = await call;
    expect(ended).toMatchObject({ outcome: "ok" });
    expect(await countsOf(tabs[0], tag)).toMatchObject({ ran: 1 });
    await Promise.all(tabs.map((tab) => back(tab)));
    await expect.poll(() => lively.proxy.connections).toBe(1);
    note(`socket half-open (${direction}), the call or its answer lost`, ended);
  },
);

/** Low-level access for a page of the same origin: ports to the worker, and links over them. */
const byHand = `
  window.toWorker = (...hello) => {
    const name = "pagewire-1-" + (localStorage.getItem("pagewire workers given up") ?? 0);
    const { port } = new SharedWorker("/pagewire-worker.js", { name, type: "module" });
    const heard = [];
    let tell = () => {};
    port.onmessage = ({ data }) => { heard.push(data); tell(); };
    const next = async (type) => {
      for (;;) {
        const at = heard.findIndex((one) => one.type === type);
        if (at >= 0) return heard.splice(at, 1)[0];
        await new Promise((resolve) => { tell = resolve; });
      }
    };
    for (const message of hello) port.postMessage(message);
    return { port, next, heard };
  };
  window.carried = async (url, hear = () => {}) => {
    const page = "pagewire-page:" + Math.random();
    await new Promise((taken) => navigator.locks.request(page, () => (taken(), new Promise(() => {}))));
    const { port, next } = toWorker({ type: "hello", versions: [1], page });
    const { port1, port2 } = new MessageChannel();
    port.postMessage({ type: "carry", id: "1", url }, [port2]);
    await next("carried");
    const closed = new Promise((resolve) => {
      port1.onmessage = ({ data }) => data.close ? resolve(data.close.code) : hear(data, port1);
    });
    return { port: port1, closed };
  };
`;

test("a tab's bad frames end its own link by name, and its neighbours notice nothing", async () => {
  const other = await world.open();
  await watch(other);
  const kept = await main.start(other, "beside-bad-frames");
  const hostile = await world.browser.open(world.pages.url("/elsewhere"));
  await hostile.evaluate(byHand);
  const url = `ws://127.0.0.1:${main.proxy.port}/page`;
  const codes = await hostile.evaluate(async (address) => {
    const { carried } = window as unknown as {
      carried(url: string): Promise<{ port: MessagePort; closed: Promise<number> }>;
    };
    const MiB = 2 ** 20;
    const bad = ["no frame", '{"type":"offer"}\n{', { not: "a message" }, new Uint8Array(10), "x".repeat(17 * MiB)];
    const ended: number[] = [];
    for (const one of [...bad, "語".repeat(6 * MiB)]) {
      const { port, closed } = await carried(address);
      port.postMessage(one);
      ended.push(await closed);
    }
    return ended;
  }, url);
  expect(codes).toEqual([4000, 4003, 4000, 4000, 4001, 4001]);
  await other.evaluate("finish()");
  const ended = await kept.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(other)).toEqual([]);
  expect(await countsOf(other, "beside-bad-frames")).toEqual(once);
  note("bad frames of one tab while a tool runs in another", ended, codes.length);
});

test("a tab that sends faster than the socket takes it is cut off, and its neighbours are not", async () => {
  const other = await world.open();
  await watch(other);
  const kept = await main.start(other, "beside-flood");
  const hostile = await world.browser.open(world.pages.url("/elsewhere"));
  await hostile.evaluate(byHand);
  main.proxy.pause("toTarget", "hold");
  const code = await hostile.evaluate(async (address) => {
    const { carried } = window as unknown as {
      carried(url: string): Promise<{ port: MessagePort; closed: Promise<number> }>;
    };
    const { port, closed } = await carried(address);
    for (let frame = 0; frame < 4; frame++) port.postMessage("x".repeat(12 * 2 ** 20));
    return closed;
  }, `ws://127.0.0.1:${main.proxy.port}/page`);
  main.proxy.resume();
  expect(code).toBe(4021);
  await other.evaluate("finish()");
  const ended = await kept.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(other)).toEqual([]);
  expect(await countsOf(other, "beside-flood")).toEqual(once);
  note("one tab floods a slow socket while a tool runs in another", ended);
});

/** A hand-made page with the tool "sink", which never answers; resolves once it is listed, with its link's close code. */
async function openSink(hub: ProxiedHub): Promise<{ readonly closed: Promise<number> }> {
  const page = await world.browser.open(world.pages.url("/elsewhere"));
  await page.evaluate(byHand);
  await page.evaluate(`(async () => {
    const { port, closed } = await carried("ws://127.0.0.1:${hub.proxy.port}/page", (message, port) => {
      const offer = { tools: [{ name: "sink", inputSchema: { type: "object" } }] };
      if (message.startsWith('{"type":"welcome"')) port.postMessage('{"type":"offer"}\\n' + JSON.stringify(offer));
    });
    const hello = { type: "hello", versions: [1], tab: "by-hand", app: "sink", title: "Sink", focused: false, running: [] };
    port.postMessage(JSON.stringify(hello));
    window.ended = closed;
  })()`);
  await expect.poll(async () => (await listTabs(hub.call)).flatMap(({ tools }) => tools)).toContain("sink");
  return { closed: page.evaluate("ended") };
}

test("an agent that sends one tab more than its link takes ends that link, by name, and no other tab's", async () => {
  const MiB = 2 ** 20;
  const hub = await world.addHub({ queuedBytes: MiB, sharedBytes: 8 * MiB, graceTime: 500 });
  world.served["/flooded"] = hub.page();
  const other = await world.open("/flooded");
  await watch(other);
  const kept = await hub.start(other, "beside-flooded");
  const { closed } = await openSink(hub);
  hub.proxy.pause("toClient", "hold");
  const ends = await Promise.all(Array.from({ length: 32 }, () => hub.call("sink", { text: "x".repeat(MiB) })));
  expect(new Set(ends.map(({ outcome }) => outcome))).not.toContain("ok");
  const meanwhile = hub.echo(other, "behind-flood");
  hub.proxy.resume();
  expect(await closed).toBe(4021);
  expect(await meanwhile).toMatchObject({ outcome: "ok" });
  await other.evaluate("finish()");
  const ended = await kept.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(other)).toEqual([]);
  for (const tag of ["beside-flooded", "behind-flood"]) expect(await countsOf(other, tag)).toEqual(once);
  note("an agent floods one tab while a tool runs in another", ended);
});
