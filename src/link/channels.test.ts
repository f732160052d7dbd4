import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkContract, recordLink } from "../testing/index.ts";
import type { LinkRecord } from "../testing/index.ts";
import { closeReason, cutOff, defaultLimits, linkCloseReason, textOf } from "../wire/index.ts";
import { createChannels } from "./channels.ts";
import type { ChannelsOptions } from "./channels.ts";
import type { Link } from "./link.ts";
import { createMemoryLinks } from "./memory.ts";
import { startSocketServer } from "./socket-pair.test-helper.ts";
import type { SocketServer } from "./socket-pair.test-helper.ts";
import { createSocketLink } from "./socket.ts";

let sockets: SocketServer;

beforeAll(async () => {
  sockets = await startSocketServer();
});
afterAll(() => sockets.close());

const refuseAll: ChannelsOptions = { onChannel: (channel) => channel.close() };

/** Both ends of one channel over a link. */
async function channelOver([near, far]: [Link, Link]): Promise<{ left: Link; right: Link }> {
  const left = createChannels(near, refuseAll).open();
  const right = await new Promise<Link>((onChannel) => createChannels(far, { onChannel }));
  return { left, right };
}

linkContract("channel over memory", () => channelOver(createMemoryLinks()), { bytes: true });

linkContract(
  "channel over a socket",
  async () => {
    const { client, accepted } = await sockets.pair();
    return channelOver([createSocketLink(client), createSocketLink(accepted)]);
  },
  { bytes: true },
);

/** Channels on both ends of a link, and the messages that each side received. */
function bothSides(options: Partial<ChannelsOptions> = {}) {
  const [near, far] = createMemoryLinks();
  const accepted: Record<"left" | "right", Link[]> = { left: [], right: [] };
  const left = createChannels(near, { onChannel: (channel) => accepted.left.push(channel), ...options });
  const right = createChannels(far, { onChannel: (channel) => accepted.right.push(channel), ...options });
  return { left, right, accepted };
}

/** Resolves when all earlier messages over memory have been delivered. */
const delivered = () => new Promise((resolve) => setImmediate(resolve));

describe("channels: many on one link", () => {
  test("L32: channels that both sides open at the same time stay separate", async () => {
    const { left, right, accepted } = bothSides();
    const opened = [left.open(), left.open(), right.open(), right.open()];
    const records = opened.map((link) => recordLink(link));
    await delivered();
    for (const link of [...accepted.right, ...accepted.left])
      recordLink(link, (message) => link.send(`${textOf(message)}!`));
    for (const [index, link] of opened.entries()) link.send(`channel ${index}`);
    const answers = await Promise.all(records.map((record) => record.received(1)));
    expect(answers).toEqual([["channel 0!"], ["channel 1!"], ["channel 2!"], ["channel 3!"]]);
    expect([left.count, right.count]).toEqual([4, 4]);
  });

  test("L32: closing one channel leaves its neighbours open", async () => {
    const { left, right, accepted } = bothSides();
    const [one, two] = [left.open(), left.open()];
    await delivered();
    const neighbour = recordLink(accepted.right[1] as Link);
    one.close(closeReason("tab-replaced"));
    two.send("still here");
    expect(await neighbour.received(1)).toEqual(["still here"]);
    expect([left.count, right.count]).toEqual([1, 1]);
    expect(two.open).toBe(true);
  });

  test("L33: when the link ends, every channel ends with the link's reason", async () => {
    const { left, right, accepted } = bothSides();
    const opened = [left.open(), right.open()];
    await delivered();
    const records = [...opened, ...accepted.left, ...accepted.right].map((link) => recordLink(link));
    left.close(closeReason("going-away"));
    left.close();
    for (const record of records) expect(await record.closed).toEqual(closeReason("going-away"));
    expect([left.count, right.count]).toEqual([0, 0]);
  });

  test("L33: a channel that is opened on a link that has ended ends with the link's reason", async () => {
    const { left, right } = bothSides();
    right.close(cutOff);
    await delivered();
    const channel = left.open();
    expect(channel.open).toBe(false);
    expect(await recordLink(channel).closed).toEqual(cutOff);
    expect(left.count).toBe(0);
  });

  test("L34: a channel beyond the limit channelsPerLink is refused by the side that opens it", async () => {
    const { left } = bothSides({ limits: { ...defaultLimits, channelsPerLink: 2 } });
    const [one, two, three] = [left.open(), left.open(), left.open()];
    expect([one.open, two.open, three.open, left.count]).toEqual([true, true, false, 2]);
    expect(await recordLink(three).closed).toEqual(closeReason("channels-too-many"));
    one.close();
    expect(left.open().open).toBe(true);
  });

  test("L34: a channel beyond the peer's limit channelsPerLink is refused by the peer, and no other channel is affected", async () => {
    const [near, far] = createMemoryLinks();
    const accepted: Link[] = [];
    const limits = { ...defaultLimits, channelsPerLink: 2 };
    const right = createChannels(far, { onChannel: (link) => accepted.push(link), limits });
    const left = createChannels(near, refuseAll);
    const records = [left.open(), left.open(), left.open()].map((link) => recordLink(link));
    expect(await records[2]?.closed).toEqual(closeReason("channels-too-many"));
    expect([left.count, right.count, accepted.length]).toEqual([2, 2, 2]);
  });

  /** Channels on a link whose peer reads nothing at first. */
  function overSlowLink(limits: { readonly queuedBytes: number; readonly sharedBytes: number }) {
    const [near, far] = createMemoryLinks();
    const channels = createChannels(near, { ...refuseAll, limits: { ...defaultLimits, ...limits } });
    const accepted: LinkRecord[] = [];
    return {
      link: near,
      open() {
        const link = channels.open();
        return { link, record: recordLink(link) };
      },
      async read() {
        createChannels(far, { onChannel: (channel) => accepted.push(recordLink(channel)) });
        await delivered();
        return accepted;
      },
    };
  }

  test("L53: a channel with more than `queuedBytes` waiting is closed as too slow on both sides, and no other channel is affected", async () => {
    const { open, read } = overSlowLink({ queuedBytes: 1000, sharedBytes: 100_000 });
    const [greedy, modest] = [open(), open()];
    for (let count = 0; count < 4; count++) {
      greedy.link.send("x".repeat(400));
      modest.link.send("y".repeat(100));
    }
    await delivered();
    expect([greedy.record.closings, modest.link.open]).toEqual([[linkCloseReason("too-slow")], true]);
    const accepted = await read();
    expect(accepted.map(({ messages, closings }) => [messages.length, closings])).toEqual([
      [3, [linkCloseReason("too-slow")]],
      [4, []],
    ]);
    // The queue is empty again, so there is room.
    for (let count = 0; count < 9; count++) modest.link.send("y".repeat(100));
    expect(modest.link.open).toBe(true);
  });

  test("L53: one message may be larger than `queuedBytes`, as on a separate link", () => {
    const { open } = overSlowLink({ queuedBytes: 1000, sharedBytes: 100_000 });
    const { link } = open();
    link.send("x".repeat(5000));
    expect(link.open).toBe(true);
    link.send("x");
    expect(link.open).toBe(false);
  });

  test("L53: with any number of slow channels their queues together stay below `sharedBytes`, and a channel with little waiting is not closed", async () => {
    const { open, link, read } = overSlowLink({ queuedBytes: 100_000, sharedBytes: 400_000 });
    const modest = open();
    const greedy = Array.from({ length: 20 }, open);
    for (const one of greedy) for (let count = 0; count < 100; count++) one.link.send("x".repeat(5000));
    modest.link.send("y");
    expect(greedy.map((one) => one.link.open)).not.toContain(true);
    expect(modest.link.open).toBe(true);
    expect(link.queuedBytes).toBeLessThan(400_000);
    const [first] = await read();
    expect(first?.messages).toEqual(["y"]);
  });
});
