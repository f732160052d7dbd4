import { expect, test } from "vitest";
import { closeReason } from "../wire/index.ts";
import { createWorker } from "./carried.test-helper.ts";

const url = "ws://hub.example/page";
const greeted = { type: "hello", version: 1, worker: "pagewire-worker:1" };

test("links of a page that sent a hello work both ways", async () => {
  const { hubs, openPage } = createWorker();
  const page = openPage();
  await page.hello();
  const { link, record } = await page.carry(url);
  expect(page.heard).toEqual([greeted, { type: "carried", id: "link-1" }]);
  const channel = hubs.sockets[0]?.channels[0];
  link.send("to the hub");
  expect(await channel?.record.received(1)).toEqual(["to the hub"]);
  channel?.link.send("to the page");
  expect(await record.received(1)).toEqual(["to the page"]);
  link.close(closeReason("normal"));
  expect(await channel?.record.closed).toEqual(closeReason("normal"));
});

test("the pages of a worker share its socket", async () => {
  const { hubs, openPage } = createWorker();
  const pages = [openPage(), openPage(), openPage()];
  for (const page of pages) {
    await page.hello();
    await page.carry(url);
  }
  expect(hubs.sockets.map(({ channels }) => channels.length)).toEqual([3]);
});

test("a worker sends its hello once it holds its lock, and answers pings before", async () => {
  let hold = (_name: string) => {};
  const { clock, openPage } = createWorker({ lock: new Promise((resolve) => (hold = resolve)) });
  const page = openPage();
  await page.hello();
  await page.say({ type: "ping" });
  expect(page.heard).toEqual([{ type: "pong" }]);
  hold("pagewire-worker:late");
  await clock.advance(0);
  expect(page.heard.at(-1)).toEqual({ ...greeted, worker: "pagewire-worker:late" });
});

test("the first socket to a hub that was away is announced to every page, once", async () => {
  const { hubs, openPage } = createWorker();
  const [first, second, third] = [openPage(), openPage(), openPage()];
  for (const page of [first, second, third]) await page.hello();
  hubs.isDown = true;
  await first.carry(url);
  hubs.isDown = false;
  await second.carry(url);
  await first.carry(url);
  const reached = { type: "reached", url };
  for (const { heard } of [first, second, third])
    expect(heard.filter(({ type }) => type === "reached")).toEqual([reached]);
});

test("the links of a closed page, and no others, end as going away, after its last messages", async () => {
  const { clock, hubs, openPage } = createWorker();
  const [gone, other] = [openPage(), openPage()];
  for (const page of [gone, other]) await page.hello();
  const links = [await gone.carry(url), await gone.carry(url)];
  await other.carry(url);
  const channels = hubs.sockets[0]?.channels ?? [];
  await gone.die();
  links[0]?.link.send("last words");
  expect(await channels[0]?.record.received(1)).toEqual(["last words"]);
  expect(channels.map(({ record }) => record.closings)).toEqual([[], [], []]);
  await clock.advance(100);
  const left = [closeReason("going-away")];
  expect(channels.map(({ record }) => record.closings)).toEqual([left, left, []]);
});

test("a page that let go of its lock has no more links carried", async () => {
  const { clock, hubs, openPage } = createWorker();
  const page = openPage();
  await page.hello();
  await page.die();
  await clock.advance(100);
  await page.carry(url);
  expect([page.heard.at(-1)?.type, hubs.sockets]).toEqual(["failed", []]);
});

test("a lock that cannot be waited for is no page that lives", async () => {
  const { clock, hubs, openPage } = createWorker({ untilFree: async () => Promise.reject(new Error("no such lock")) });
  const page = openPage();
  await page.hello();
  await page.carry(url);
  await clock.advance(100);
  expect(hubs.sockets[0]?.channels[0]?.record.closings).toEqual([closeReason("going-away")]);
});

test("a page gets the reason why its link cannot be carried, and may try again", async () => {
  const { hubs, openPage } = createWorker();
  const page = openPage();
  await page.hello();
  hubs.isDown = true;
  const { record } = await page.carry(url);
  expect(page.heard.at(-1)).toEqual({ type: "failed", id: "link-1", message: `No hub answers at ${url}.` });
  expect((await record.closed).code).toBe(1000);
  hubs.isDown = false;
  await page.carry(url);
  expect(page.heard.at(-1)).toEqual({ type: "carried", id: "link-2" });
});

test("a reason of any length fits a message", async () => {
  const { openPage } = createWorker({ connect: async () => Promise.reject(new Error("x".repeat(100_000))) });
  const page = openPage();
  await page.hello();
  await page.carry(url);
  expect(page.heard.at(-1)).toEqual({ type: "failed", id: "link-1", message: "x".repeat(1024) });
});

test("invalid messages of a page are ignored", async () => {
  const { hubs, openPage } = createWorker();
  const page = openPage();
  const strays = [
    ...[null, undefined, 7, "hello", "pagewire", [], {}, { type: 7 }, { type: "toString" }, { type: "__proto__" }],
    ...[{ type: "hello" }, { type: "hello", versions: 1, page: "p" }, { type: "hello", versions: ["1"], page: "p" }],
    ...[
      { type: "hello", versions: Array(17).fill(1), page: "p" },
      { type: "hello", versions: [1], page: "a b" },
    ],
    ...[{ type: "carry" }, { type: "carry", id: "1", url: 7 }, { type: "carry", id: "1", url: "x".repeat(3000) }],
    ...[{ type: "pong" }, { type: "carried", id: "1" }, { type: "refused", versions: [1] }],
  ];
  for (const stray of strays) await page.say(stray, [new MessageChannel().port1]);
  expect([page.heard, hubs.sockets]).toEqual([[], []]);
  await page.hello();
  expect(page.heard).toEqual([greeted]);
});

test("a link needs a hello, a port and a socket's address; without one of them the page gets the reason", async () => {
  const { hubs, openPage } = createWorker();
  const page = openPage();
  await page.carry(url);
  await page.hello();
  await page.say({ type: "carry", id: "no-port", url });
  await page.carry("https://hub.example");
  expect(page.heard).toEqual([
    { type: "failed", id: "link-1", message: "A link needs a hello first, and the page's lock." },
    greeted,
    { type: "failed", id: "no-port", message: "A link needs a port." },
    {
      type: "failed",
      id: "link-2",
      message: "A link needs an address such as wss://hub.example, not https://hub.example.",
    },
  ]);
  expect(hubs.sockets).toEqual([]);
});

test("a second hello changes nothing: whose links these are stays as it was", async () => {
  const { clock, hubs, openPage } = createWorker();
  const page = openPage();
  await page.hello();
  await page.carry(url);
  await page.say({ type: "hello", versions: [1], page: "pagewire-page:another" });
  expect(page.heard).toHaveLength(2);
  await page.die();
  await clock.advance(100);
  expect(hubs.sockets[0]?.channels[0]?.record.closings).toEqual([closeReason("going-away")]);
});

test("a worker speaks the best version that the page offers too, and names its own where there is none", async () => {
  const { openPage } = createWorker();
  const [both, newer] = [openPage(), openPage()];
  await both.hello([3, 2, 1]);
  await newer.hello([3, 2]);
  expect([both.heard, newer.heard]).toEqual([[greeted], [{ type: "refused", versions: [1] }]]);
});

test("a worker that refuses a page and serves no other ends, so that the next page has a newer one", async () => {
  const worker = createWorker();
  const newer = worker.openPage();
  await newer.hello([2]);
  expect([newer.heard.length, worker.ends]).toEqual([1, 0]);
  await worker.clock.advance(100);
  expect(worker.ends).toBe(1);
});

test("a worker that refuses a page lives on while it serves another", async () => {
  const worker = createWorker();
  const [old, newer] = [worker.openPage(), worker.openPage()];
  await old.hello();
  await newer.hello([2]);
  await worker.clock.advance(100);
  expect(worker.ends).toBe(0);
  await old.die();
  await worker.clock.advance(100);
  await worker.openPage().hello([2]);
  await worker.clock.advance(100);
  expect(worker.ends).toBe(1);
});
