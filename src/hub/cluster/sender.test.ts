// Messages of a hub to another that reads slowly.
import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createReader, parseMessages } from "./messages.ts";
import type { Received } from "./messages.ts";
import { windowBytes } from "./outbox.ts";
import { Sender } from "./sender.ts";

const id = "a".repeat(22);
const mebibyte = 1024 * 1024;
/** A part, or a batch, and the lines in it. */
const oneMore = 300 * 1024;

function createSent(maxBytes = mebibyte) {
  const clock = createFakeClock();
  const published: { readonly subject: string; readonly message: Uint8Array }[] = [];
  const over: string[] = [];
  const sender = new Sender({
    bus: {
      maxBytes,
      isUp: true,
      publish: (subject, message) => published.push({ subject, message }) > 0,
      afterTurn: (run) => queueMicrotask(run),
      subscribe: () => () => {},
      onState: () => () => {},
      close: async () => {},
    },
    ...{ id, now: clock.now, prefix: "" },
    isInbox: (subject) => subject.startsWith("hub."),
    limits: { queuedBytesPerPrincipal: 16 * mebibyte, queuedBytesInAll: 64 * mebibyte },
    onOver: (subject) => over.push(subject),
  });
  const reader = createReader(64 * mebibyte);
  let read = 0;
  const got: Received[] = [];
  /** The other hub reads all that has come. */
  const readAll = async () => {
    await clock.advance(0);
    let bytes = 0;
    for (; read < published.length; read++) {
      const { message = new Uint8Array() } = published[read] ?? {};
      bytes += message.length;
      got.push(...parseMessages(message).flatMap((each) => reader.read(each) ?? []));
    }
    sender.read("hub.b", bytes);
    return bytes;
  };
  return { clock, sender, published, over, got, readAll };
}

test("no message is longer than the bus takes, with any content of its lines", async () => {
  const maxBytes = 8192;
  const { clock, sender, published, got, readAll } = createSent(maxBytes);
  const name = "n".repeat(128);
  const sizes = Array.from({ length: 600 }, (_, size) => size * 15);
  for (const size of sizes) sender.send("state", { head: ["page", name, name.slice(60)], body: "x".repeat(size) });
  await clock.advance(0);
  await readAll();
  expect(Math.max(...published.map(({ message }) => message.length))).toBeLessThanOrEqual(maxBytes);
  expect(got.map(({ body }) => body.length)).toEqual(sizes);
});

test("MH45: no more than the window is on its way, parts of several messages travel by turns, and each lane keeps its order", async () => {
  const { sender, got, readAll } = createSent();
  const large = Buffer.alloc(3 * mebibyte, "x");
  for (let n = 0; n < 4; n++) sender.send("hub.b", { head: ["page", "big", n], body: large, lane: "ann" });
  for (let n = 0; n < 1000; n++) sender.send("hub.b", { head: ["page", "small", n], body: "{}", lane: "bob" });
  const sizes: number[] = [];
  let bytes: number;
  while ((bytes = await readAll()) > 0) sizes.push(bytes);
  expect(Math.max(...sizes)).toBeLessThan(windowBytes + oneMore);
  const of = (link: string) => got.filter(({ words }) => words[0] === link).map(({ words }) => Number(words[1]));
  expect([of("big"), of("small")]).toEqual([[0, 1, 2, 3], Array.from({ length: 1000 }, (_, n) => n)]);
  // One lane did not wait for the messages of another.
  expect(got.findIndex(({ words }) => words[0] === "big")).toBeGreaterThanOrEqual(1000);
  expect(got.filter(({ words }) => words[0] === "big").every(({ body }) => body.length === large.length)).toBe(true);
});

test("MH45: leases, probes and what was read do not wait", async () => {
  const { clock, sender, published } = createSent();
  sender.send("hub.b", { head: ["page", "big"], body: Buffer.alloc(8 * mebibyte), lane: "ann" });
  await clock.advance(0);
  const before = published.length;
  for (const [subject, kind] of [
    ["lease", "lease"],
    ["hub.a", "probe"],
    ["hub.b", "read"],
  ] as const)
    sender.send(subject, { head: [kind] });
  sender.send("hub.b", { head: ["page", "small"], lane: "bob" });
  await clock.advance(0);
  expect(published.slice(before).map(({ message }) => parseMessages(message)[0]?.kind)).toEqual([
    "lease",
    "probe",
    "read",
  ]);
});

test("MH46: a lane at its budget has no room, others have, and what cannot be refused is dropped as lost at last", async () => {
  const { clock, sender, over } = createSent();
  const fill = (lane: string) => {
    let count = 0;
    for (; sender.hasRoom("hub.b", lane) && count < 100; count++)
      sender.send("hub.b", { head: ["give"], body: Buffer.alloc(mebibyte), lane });
    return count;
  };
  expect(fill("ann")).toBeLessThan(20);
  expect([sender.hasRoom("hub.b", "bob"), sender.hasRoom("hub.c", "ann")]).toEqual([true, true]);
  for (const lane of ["b", "c", "d", "e", "f"]) fill(lane);
  expect(sender.hasRoom("hub.b", "bob")).toBe(false);
  for (let n = 0; n < 60; n++) sender.send("hub.b", { head: ["page"], body: Buffer.alloc(mebibyte), lane: "ann" });
  expect(over).toEqual([]);
  for (let n = 0; n < 10; n++) sender.send("hub.b", { head: ["page"], body: Buffer.alloc(mebibyte), lane: "ann" });
  await clock.advance(0);
  expect([over, sender.hasRoom("hub.b", "bob")]).toEqual([["hub.b"], true]);
});

test("MH46: a call that has waited for 2 s is not sent, whole or in parts, and its agent's hub knows", async () => {
  const { clock, sender, got, readAll } = createSent();
  const late: string[] = [];
  const give = (name: string, size: number) =>
    sender.send("hub.b", {
      ...{ head: ["give", name], body: Buffer.alloc(size), lane: "ann" },
      onLate: () => late.push(name),
    });
  give("first", 2 * mebibyte);
  give("large", 2 * mebibyte);
  give("small", 10);
  await clock.advance(2001);
  give("fresh", 10);
  while ((await readAll()) > 0);
  expect([got.map(({ words }) => words[0]), late]).toEqual([
    ["first", "fresh"],
    ["large", "small"],
  ]);
});

test("MH44: what waits when all is asked for again is not sent", async () => {
  const { sender, got, readAll } = createSent();
  for (const name of ["one", "two"])
    sender.send("hub.b", { head: ["page", name], body: Buffer.alloc(mebibyte - 1024), lane: "ann" });
  sender.restart("hub.b");
  sender.send("hub.b", { head: ["hello"] });
  while ((await readAll()) > 0);
  expect(got.map(({ kind, words }) => [kind, ...words])).toEqual([["page", "one"], ["hello"]]);
});
