import { expect, onTestFinished, test } from "vitest";
import { createMemoryBroker } from "./memory-bus.test-helper.ts";
import { parseMessages } from "./messages.ts";
import { Sender } from "./sender.ts";

const id = "a".repeat(22);

test("MH13: what is sent in one turn arrives as it was written, as text or bytes, whatever its alphabet", async () => {
  const bus = createMemoryBroker({ maxBytes: 100_000 }).connect();
  onTestFinished(() => bus.close());
  const got: string[] = [];
  bus.subscribe("to.b", (message) => {
    expect(message.length).toBeLessThanOrEqual(bus.maxBytes);
    for (const { kind, words, body } of parseMessages(message))
      got.push(`${kind} ${words.join(" ")} ${body.toString()}`);
  });
  const limits = { queuedBytesPerPrincipal: Infinity, queuedBytesInAll: Infinity };
  const sender = new Sender({ bus, id, now: () => 1, prefix: "to.", limits, isInbox: () => false, onOver: () => {} });
  const texts = ["", "plain", "ä", "語".repeat(5), "😀\n😀", "\u2028\u0000", "語".repeat(21_000), "ä".repeat(30_000)];
  for (const text of texts) {
    sender.send("b", { head: ["text", 1], body: text });
    sender.send("b", { head: ["bytes", 2], body: Buffer.from(text) });
  }
  const sent = texts.flatMap((text) => [`text 1 ${text}`, `bytes 2 ${text}`]);
  await expect.poll(() => got).toEqual(sent);
});
