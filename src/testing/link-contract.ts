import { afterEach, describe, expect, test } from "vitest";
import type { Link } from "../link/index.ts";
import { closeReason } from "../wire/index.ts";
import type { Message } from "../wire/index.ts";
import { recordLink } from "./record-link.ts";

/** Two links that are each other's peer, not started. */
export interface LinkPair {
  readonly left: Link;
  readonly right: Link;
  /** Releases the resources of the transport. */
  dispose?(): void | Promise<void>;
}

/** The optional abilities of a kind of link. */
export interface LinkCapabilities {
  /** Sends bytes as bytes. */
  readonly bytes: boolean;
}

const reason = { code: 4020, reason: "Another document took over – ここ" };

/** The tests that every link passes; call it in a test file of your own link. */
export function linkContract(
  name: string,
  makePair: () => LinkPair | Promise<LinkPair>,
  capabilities: LinkCapabilities,
): void {
  const made: LinkPair[] = [];

  async function pair(): Promise<LinkPair> {
    const links = await makePair();
    made.push(links);
    return links;
  }

  /** Resolves when all pending messages on another pair must have arrived. */
  async function settled(): Promise<void> {
    const { left, right } = await pair();
    const there = recordLink(right, () => right.send("back"));
    const back = recordLink(left);
    left.send("there");
    await Promise.all([there.received(1), back.received(1)]);
  }

  afterEach(async () => {
    for (const { left, right, dispose } of made.splice(0)) {
      left.close();
      right.close();
      await dispose?.();
    }
  });

  /** Sends from left to right and returns the received messages. */
  async function sent(...messages: Message[]): Promise<readonly Message[]> {
    const { left, right } = await pair();
    const record = recordLink(right);
    recordLink(left);
    for (const message of messages) left.send(message);
    return record.received(messages.length);
  }

  describe(`${name}: messages`, () => {
    test("L1: 10,000 messages arrive once each, in the order in which they were sent", async () => {
      const messages = Array.from({ length: 10_000 }, (_, index) => `message ${index}`);
      expect(await sent(...messages)).toEqual(messages);
    });

    test("L1: both directions transport messages at the same time", async () => {
      const { left, right } = await pair();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      left.send("to the right");
      right.send("to the left");
      expect(await atLeft.received(1)).toEqual(["to the left"]);
      expect(await atRight.received(1)).toEqual(["to the right"]);
    });

    test("L2: text arrives unchanged, with any characters", async () => {
      const texts = ["\n", "\r\n", "{}\n\n", "\n{}", "\u0000", "\ufeff{}", "ä–語", "👩‍👩‍👧‍👦 𝒳", "\u2028\u2029", '"\\'];
      expect(await sent(...texts)).toEqual(texts);
    });

    test("an empty message arrives as an empty message", async () => {
      expect(await sent("", "next")).toEqual(["", "next"]);
    });

    test("a message of 1 MB arrives whole", async () => {
      const text = "0123456789abcdef".repeat(65_536);
      const [received] = await sent(text);
      expect(received === text).toBe(true);
    });

    test("L5: messages before start are kept and delivered first", async () => {
      const { left, right } = await pair();
      const there = recordLink(right);
      right.send("one");
      right.send("two");
      left.send("ping");
      await there.received(1);
      await settled();
      const record = recordLink(left);
      right.send("three");
      expect(await record.received(3)).toEqual(["one", "two", "three"]);
    });

    test("L6: no event comes from inside a call of start, send or close", async () => {
      const { left, right } = await pair();
      const before = recordLink(right);
      left.send("kept");
      await before.received(1);
      right.send("answer");
      await settled();
      const record = recordLink(left);
      left.send("more");
      left.close(reason);
      expect([record.messages, record.closings]).toEqual([[], []]);
      await record.closed;
    });

    test("L7: queuedBytes goes back to zero once the peer has received everything", async () => {
      const { left, right } = await pair();
      const record = recordLink(right, () => right.send("taken"));
      const answers = recordLink(left);
      left.send("x".repeat(100_000));
      await record.received(1);
      await answers.received(1);
      expect(left.queuedBytes).toBe(0);
    });
  });

  describe(`${name}: closing`, () => {
    test("L8: a close is reported once on each side, with its code and its reason", async () => {
      const { left, right } = await pair();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      expect([left.open, right.open]).toEqual([true, true]);
      left.close(reason);
      expect(left.open).toBe(false);
      expect(await atLeft.closed).toEqual(reason);
      expect(await atRight.closed).toEqual(reason);
      expect(right.open).toBe(false);
      await settled();
      expect([atLeft.closings.length, atRight.closings.length]).toEqual([1, 1]);
    });

    test("L8: a close without a reason is a normal one", async () => {
      const { left, right } = await pair();
      const record = recordLink(right);
      recordLink(left);
      left.close();
      expect(await record.closed).toEqual(closeReason("normal"));
    });

    test("closing twice, or on both sides at once, is closing once", async () => {
      const { left, right } = await pair();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      left.close(reason);
      left.close(closeReason("normal"));
      right.close(reason);
      await Promise.all([atLeft.closed, atRight.closed]);
      left.close();
      right.close();
      await settled();
      expect(atLeft.closings).toEqual([reason]);
      expect(atRight.closings).toEqual([reason]);
    });

    test("L10: messages sent before a close arrive before it", async () => {
      const { left, right } = await pair();
      const record = recordLink(right);
      recordLink(left);
      const messages = Array.from({ length: 100 }, (_, index) => `${index}`);
      for (const message of messages) left.send(message);
      left.close(reason);
      await record.closed;
      expect(record.messages).toEqual(messages);
    });

    test("L11: sending on a closed link does nothing, on either side", async () => {
      const { left, right } = await pair();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      left.close(reason);
      left.send("late");
      await Promise.all([atLeft.closed, atRight.closed]);
      right.send("late");
      left.send("late");
      await settled();
      expect([atLeft.messages, atRight.messages]).toEqual([[], []]);
      expect([left.queuedBytes, right.queuedBytes]).toEqual([0, 0]);
    });

    test("L12: after its own close a link delivers no message", async () => {
      const { left, right } = await pair();
      recordLink(left);
      const record = recordLink(right, () => right.close(reason));
      for (const message of ["first", "second", "third"]) left.send(message);
      await record.closed;
      await settled();
      expect(record.messages).toEqual(["first"]);
    });

    test("L13: a link that closed before start delivers the earlier messages, and then the close", async () => {
      const { left, right } = await pair();
      left.send("last words");
      left.close(reason);
      await settled();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      expect(await atRight.closed).toEqual(reason);
      expect(atRight.messages).toEqual(["last words"]);
      expect(await atLeft.closed).toEqual(reason);
    });

    test("L14: a reason that is too long for a close is cut to whole characters on both sides", async () => {
      const { left, right } = await pair();
      const [atLeft, atRight] = [recordLink(left), recordLink(right)];
      left.close({ code: 4000, reason: `a${"語".repeat(100)}` });
      const cut = { code: 4000, reason: `a${"語".repeat(40)}` };
      expect(await atLeft.closed).toEqual(cut);
      expect(await atRight.closed).toEqual(cut);
    });
  });

  if (!capabilities.bytes) return;
  describe(`${name}: bytes`, () => {
    test("L15: bytes arrive unchanged, between texts that stay texts", async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const received = await sent("before", bytes, new Uint8Array(0), "after");
      expect(received.map(comparable)).toEqual(["before", [...bytes], [], "after"]);
    });

    test("L15: a part of a larger buffer arrives as that part", async () => {
      const [received] = await sent(Uint8Array.of(1, 2, 3, 4).subarray(1, 3));
      expect(comparable(received ?? "")).toEqual([2, 3]);
    });
  });
}

/** Bytes as a list: an iframe's arrays are of another class than those of its parent. */
function comparable(message: Message): string | number[] {
  return typeof message === "string" ? message : Array.from(message);
}
