import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordLink } from "../testing/index.ts";
import { PagewireError, closeCodes, closeReason } from "../wire/index.ts";
import type { Message } from "../wire/index.ts";
import { createChannels } from "./channels.ts";
import type { ChannelsOptions } from "./channels.ts";
import { createMemoryLinks } from "./memory.ts";

/** Channels whose peer a test plays by hand. */
function againstHand(options: Partial<ChannelsOptions> = {}) {
  const [near, hand] = createMemoryLinks();
  const accepted: ReturnType<typeof recordLink>[] = [];
  const errors: unknown[] = [];
  const channels = createChannels(near, {
    onChannel: (channel) => accepted.push(recordLink(channel)),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { channels, hand, told: recordLink(hand), accepted, errors };
}

/** Resolves when all earlier messages over memory have been delivered. */
const delivered = () => new Promise((resolve) => setImmediate(resolve));

describe("channels: hostile peers", () => {
  const named = [
    "",
    "x",
    "o",
    "o+",
    "o+1",
    "o-1:",
    "o+0:",
    "o+01:",
    "o+1.5:",
    "o+-1:",
    "o+1e3:",
    " o+1:",
    "O+1:",
    "m1:",
    "m+1",
    "o+9999999999999999:",
    "__proto__",
    '{"type":"hello"}',
    Uint8Array.of(0xff, 0xfe),
  ];

  test("a message without a channel is ignored and reported, and the channels go on", async () => {
    const { channels, hand, accepted, errors } = againstHand();
    hand.send("o+1:");
    for (const message of named) hand.send(message);
    hand.send("m+1:still here");
    await delivered();
    expect(accepted.map(({ messages }) => messages)).toEqual([["still here"]]);
    expect(errors).toHaveLength(named.length);
    for (const error of errors) {
      expect(PagewireError.isInstance(error) && error.code).toBe("frame-malformed");
    }
    expect(channels.count).toBe(1);
  });

  test("messages and closes for a channel that is closed or was never opened are ignored", async () => {
    const { channels, hand, accepted, errors } = againstHand();
    hand.send("o+1:");
    hand.send("c+1:{}");
    for (const late of ["m+1:late", "c+1:{}", "m-1:never", "c-7:{}", "m+9:never"]) hand.send(late);
    await delivered();
    expect([channels.count, accepted[0]?.messages, accepted[0]?.closings.length]).toEqual([0, [], 1]);
    expect(errors).toEqual([]);
  });

  test("L36: a close that cannot be parsed", async () => {
    const unreadable = [
      "",
      "null",
      "{",
      "[]",
      '{"code":4000}',
      '{"code":"4000","reason":""}',
      '{"code":1e9,"reason":""}',
    ];
    const broken: Message[] = [...unreadable.map((text) => `c+1:${text}`), Buffer.from("c+1:\xff\xfe", "latin1")];
    for (const message of broken) {
      const { channels, hand, accepted } = againstHand();
      hand.send("o+1:");
      hand.send("o+2:");
      hand.send(message);
      await delivered();
      expect(accepted[0]?.closings.map(({ code }) => code)).toEqual([closeCodes["frame-malformed"]]);
      expect(accepted[1]?.closings).toEqual([]);
      expect(channels.count).toBe(1);
    }
  });

  test("L36: a channel that is opened twice is closed as malformed, and no other; its number is not used again", async () => {
    const { channels, hand, told, accepted, errors } = againstHand();
    for (const message of ["o+1:", "o+2:", "o+1:", "o+1:", "m+1:late"]) hand.send(message);
    await delivered();
    expect(accepted.map(({ closings }) => closings.length)).toEqual([1, 0]);
    expect(accepted[0]?.closings[0]?.code).toBe(closeCodes["frame-malformed"]);
    expect(told.messages).toHaveLength(1);
    expect(told.messages[0]).toMatch(/^c-1:\{"code":4000,/);
    expect([channels.count, errors.length]).toEqual([1, 2]);
  });

  test("L36: a channel that is closed is not opened again", async () => {
    const { channels, hand, accepted, errors } = againstHand();
    for (const message of ["o+1:", 'c+1:{"code":1000,"reason":""}', "o+1:", "m+1:late"]) hand.send(message);
    await delivered();
    expect([accepted.length, accepted[0]?.messages, channels.count, errors.length]).toEqual([1, [], 0, 1]);
  });

  test("an onChannel that throws closes that channel and is reported", async () => {
    const { channels, hand, told, errors } = againstHand({
      onChannel() {
        throw new Error("no room");
      },
    });
    hand.send("o+1:");
    await delivered();
    expect(told.messages).toEqual(['c-1:{"code":4099,"reason":"internal-error"}']);
    expect(errors).toEqual([new Error("no room")]);
    expect(channels.count).toBe(0);
  });

  test("no message of a peer throws, and each closes at most one channel", async () => {
    const prefix = fc
      .tuple(fc.constantFrom("o", "m", "c", "x"), fc.constantFrom("+", "-", ""), fc.nat(6))
      .map((parts) => `${parts.join("")}:`);
    const payload = fc.oneof(fc.string({ unit: "binary" }), fc.constant('{"code":4000,"reason":"done"}'), fc.json());
    const text = fc.tuple(fc.oneof(prefix, fc.string()), payload).map((parts) => parts.join(""));
    const message = fc.oneof(
      text,
      fc.uint8Array({ maxLength: 40 }),
      text.map((given) => new TextEncoder().encode(given)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 30 }), async (messages) => {
        const { channels, hand } = againstHand();
        const own = [channels.open(), channels.open()];
        for (const given of messages) {
          const before = channels.count;
          hand.send(given);
          // A message over memory, and all its effects, are delivered in microtasks.
          await Promise.resolve();
          await Promise.resolve();
          expect(channels.count).toBeGreaterThanOrEqual(before - 1);
          expect(channels.count).toBeLessThanOrEqual(before + 1);
        }
        expect(own.filter(({ open }) => open).length).toBeLessThanOrEqual(channels.count);
        expect(hand.open).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

test("L39: a channel's messages are transported unread and unchanged after a short prefix", async () => {
  const { channels, hand, told } = againstHand();
  const channel = channels.open();
  channel.send("not { json\n\n");
  channel.send(Uint8Array.of(0, 255));
  channel.close(closeReason("normal", "bye"));
  hand.send("o+1:");
  await delivered();
  expect(told.messages).toEqual([
    "o+1:",
    "m+1:not { json\n\n",
    Uint8Array.of(...new TextEncoder().encode("m+1:"), 0, 255),
    'c+1:{"code":1000,"reason":"bye"}',
  ]);
});
