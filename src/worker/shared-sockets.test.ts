import { expect, test } from "vitest";
import { createMemoryLinks } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { recordLink } from "../testing/index.ts";
import type { LinkRecord } from "../testing/index.ts";
import { closeReason, cutOff, defaultLimits, linkCloseReason } from "../wire/index.ts";
import type { Limits } from "../wire/index.ts";
import { createFakeHubs } from "./carried.test-helper.ts";
import { createSharedSockets } from "./shared-sockets.ts";

const url = "ws://hub.example/page";

/** The page's end of a link that is carried. */
interface Carried {
  readonly link: Link;
  readonly record: LinkRecord;
  /** Resolves or rejects with the worker's answer. */
  readonly carried: Promise<void>;
  readonly ended: () => boolean;
}

function openTrunks(limits: Partial<Limits> = {}) {
  const hubs = createFakeHubs();
  const sockets = createSharedSockets({ connect: hubs.connect, limits: { ...defaultLimits, ...limits } });
  function carry(to = url): Carried {
    const [link, far] = createMemoryLinks();
    let hasEnded = false;
    const carried = sockets.carry(to, far, () => (hasEnded = true));
    return { link, record: recordLink(link), carried, ended: () => hasEnded };
  }
  async function carryMany(count: number): Promise<Carried[]> {
    const all = Array.from({ length: count }, () => carry());
    await Promise.all(all.map(({ carried }) => carried));
    return all;
  }
  return { hubs, carry, carryMany };
}

/** Resolves when all in-memory messages have arrived. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("links that are carried to one hub at once share one attempt and one socket, a channel each, both ways", async () => {
  const { hubs, carryMany } = openTrunks();
  const pages = await carryMany(30);
  expect(hubs.sockets.map((socket) => socket.url)).toEqual([url]);
  for (const [index, { link }] of pages.entries()) link.send(`page ${index}`);
  await settled();
  const channels = hubs.sockets[0]?.channels ?? [];
  expect(channels.map(({ record }) => record.messages)).toEqual(pages.map((_, index) => [`page ${index}`]));
  for (const [index, { link }] of channels.entries()) link.send(`hub ${index}`);
  await settled();
  expect(pages.map(({ record }) => record.messages)).toEqual(pages.map((_, index) => [`hub ${index}`]));
});

test("each hub has a socket of its own", async () => {
  const { hubs, carry } = openTrunks();
  await Promise.all([carry().carried, carry("wss://other.example/page").carried]);
  expect(hubs.sockets.map((socket) => socket.url)).toEqual([url, "wss://other.example/page"]);
});

test("a socket ends with its last link, and the next link opens another", async () => {
  const { hubs, carry, carryMany } = openTrunks();
  const [one, other] = await carryMany(2);
  one?.link.close();
  await settled();
  expect([one?.ended(), other?.ended(), hubs.sockets[0]?.link.open]).toEqual([true, false, true]);
  other?.link.close();
  await settled();
  expect([other?.ended(), hubs.sockets[0]?.link.open]).toEqual([true, false]);
  await carry().carried;
  expect(hubs.sockets).toHaveLength(2);
});

test("links beyond the limit channelsPerLink get another socket", async () => {
  const { hubs, carryMany } = openTrunks({ channelsPerLink: 3 });
  const pages = await carryMany(7);
  await settled();
  expect(hubs.sockets.map(({ channels }) => channels.length)).toEqual([3, 3, 1]);
  for (const { link } of pages) link.send("here");
  await settled();
  expect(hubs.sockets.flatMap(({ channels }) => channels.flatMap(({ record }) => record.messages))).toHaveLength(7);
});

test("while the hub cannot be reached every link fails with the reason, and the next one is another attempt", async () => {
  const { hubs, carry, carryMany } = openTrunks();
  hubs.isDown = true;
  const failed = await Promise.allSettled([carry().carried, carry().carried]);
  expect(failed.map((one) => one.status === "rejected" && String(one.reason))).toEqual([
    `Error: No hub answers at ${url}.`,
    `Error: No hub answers at ${url}.`,
  ]);
  hubs.isDown = false;
  await carryMany(2);
  expect(hubs.sockets).toHaveLength(1);
});

test("a socket that ends takes its links along, each with the socket's reason", async () => {
  const { hubs, carry, carryMany } = openTrunks();
  const pages = await carryMany(3);
  hubs.sockets[0]?.link.close(closeReason("going-away"));
  await settled();
  expect(pages.map(({ record }) => record.closings)).toEqual(pages.map(() => [closeReason("going-away")]));
  expect(pages.every(({ ended }) => ended())).toBe(true);
  await carry().carried;
  expect(hubs.sockets).toHaveLength(2);
});

test("a link that the hub closes is closed in the page with the same reason; other links stay open", async () => {
  const { hubs, carryMany } = openTrunks();
  const [one, other] = await carryMany(2);
  await settled();
  hubs.sockets[0]?.channels[0]?.link.close(closeReason("tab-replaced"));
  await settled();
  expect([one?.record.closings, other?.record.closings]).toEqual([[closeReason("tab-replaced")], []]);
});

test.each(["heartbeat-missed", "channels-too-many"] as const)(
  "after a link that ended as %s the next gets another socket, and the others keep theirs",
  async (name) => {
    const { hubs, carry, carryMany } = openTrunks();
    const [one, other] = await carryMany(2);
    await settled();
    if (name === "heartbeat-missed") one?.link.close(linkCloseReason(name));
    else hubs.sockets[0]?.channels[0]?.link.close(linkCloseReason(name));
    await settled();
    const next = carry();
    await next.carried;
    next.link.send("new");
    other?.link.send("old");
    await settled();
    expect(hubs.sockets.map(({ channels }) => channels.at(-1)?.record.messages)).toEqual([["old"], ["new"]]);
    // The old one ends with the last of its links.
    other?.link.close();
    await settled();
    expect(hubs.sockets.map(({ link }) => link.open)).toEqual([false, true]);
  },
);

test("a link that ends while its hub is being reached opens nothing there for long", async () => {
  const { hubs, carry } = openTrunks();
  const page = carry();
  page.link.close(cutOff);
  await page.carried;
  await settled();
  expect([page.ended(), hubs.sockets[0]?.link.open]).toEqual([true, false]);
});

test("a message larger than a frame closes its link before the hub would close the socket", async () => {
  const { hubs, carryMany } = openTrunks({ frameBytes: 300 });
  const [fitting, long, wide, bytes] = await carryMany(4);
  fitting?.link.send("x".repeat(300));
  fitting?.link.send("語".repeat(100));
  long?.link.send("x".repeat(301));
  wide?.link.send("語".repeat(101));
  bytes?.link.send(new Uint8Array(301));
  await settled();
  for (const page of [long, wide, bytes]) {
    expect(page?.record.closings).toEqual([linkCloseReason("frame-too-large")]);
  }
  const channels = hubs.sockets[0]?.channels ?? [];
  expect(channels.map(({ record }) => record.messages.length)).toEqual([2, 0, 0, 0]);
  expect(channels.map(({ record }) => record.closings.map(({ code }) => code))).toEqual([[], [4001], [4001], [4001]]);
});

test("a link that sends more than the socket takes is cut off as too slow, and its neighbour is not", async () => {
  const { hubs, carry } = openTrunks({ queuedBytes: 1000 });
  hubs.isSlow = true;
  const [greedy, modest] = [carry(), carry()];
  await Promise.all([greedy.carried, modest.carried]);
  for (let count = 0; count < 4; count++) {
    greedy.link.send("x".repeat(400));
    modest.link.send("y".repeat(100));
  }
  await settled();
  expect(greedy.record.closings).toEqual([linkCloseReason("too-slow")]);
  modest.link.send("y".repeat(100));
  await settled();
  expect(modest.record.closings).toEqual([]);
  // A full socket accepts no new link either.
  await expect(carry().carried).rejects.toThrow(`The hub at ${url} reads too slowly.`);
  hubs.sockets[0]?.read();
  await settled();
  expect(hubs.sockets[0]?.channels[1]?.record.messages).toHaveLength(5);
  await carry().carried;
  expect(hubs.sockets).toHaveLength(1);
});

test("a link is carried to a socket's address and nowhere else", async () => {
  const { hubs, carry } = openTrunks();
  for (const address of ["http://hub.example", "https://hub.example", "//hub.example", "/page", "page", "", "blob:x"]) {
    await expect(carry(address).carried).rejects.toThrow("wss://hub.example");
  }
  expect(hubs.sockets).toEqual([]);
});
