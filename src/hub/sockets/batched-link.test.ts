import { once } from "node:events";
import { expect, test } from "vitest";
import { createMemoryLinks } from "../../link/index.ts";
import { batchFrames, closeCodes, splitBatch } from "../../wire/index.ts";
import type { Message } from "../../wire/index.ts";
import { BatchedLink } from "./socket-link.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { beginCall, callTool } from "../test-support/http.test-helper.ts";
import { helloOf, offerOf } from "../test-support/page.test-helper.ts";
import { openSocket, shop } from "../test-support/peer.test-helper.ts";

interface RawPage {
  /** All received messages, undecoded. */
  readonly messages: readonly string[];
  calls(): readonly { readonly id: string; readonly payload: string }[];
  send(...frames: readonly string[]): void;
  readonly closed: Promise<number>;
}

/** A page that decodes its messages by hand. */
async function openRawPage(url: string, { batches = true } = {}): Promise<RawPage> {
  const { socket } = await openSocket(`${url}/page`, { headers: { Origin: shop } });
  const messages: string[] = [];
  socket.on("message", (data: Buffer) => messages.push(data.toString()));
  const welcome = once(socket, "message");
  socket.send(JSON.stringify({ ...helloOf({}), ...(batches ? { batches } : {}) }));
  await welcome;
  socket.send(`{"type":"offer"}\n${offerOf()}`);
  socket.ping();
  await once(socket, "pong");
  return {
    messages,
    calls: () =>
      messages.flatMap(splitBatch).flatMap((frame) => {
        const [line = "", ...rest] = frame.split("\n");
        const { type, id } = JSON.parse(line) as { type: string; id: string };
        return type === "call" ? [{ id, payload: rest.join("\n") }] : [];
      }),
    send: (...frames) => socket.send(frames.length === 1 ? (frames[0] ?? "") : `\x1e${frames.join("\x1e")}`),
    closed: once(socket, "close").then(([code]) => code as number),
  };
}

const isBatch = (message: string) => message.startsWith("\x1e");
const answersTo = (id: string) => [`{"type":"ack","id":"${id}"}`, `{"type":"result","id":"${id}"}\n{"content":[]}`];

test("what a peer sends just before it closes arrives, alone and with others; after a close of ours nothing does", async () => {
  for (const [sent, closes, expected] of [
    ["bye", false, ["bye"]],
    ["\x1eone\x1ebye", false, ["one", "bye"]],
    ["\x1eone\x1ebye", true, ["one"]],
  ] as const) {
    const [near, far] = createMemoryLinks();
    const link = new BatchedLink(near);
    link.startBatching();
    const received: Message[] = [];
    const message = (frame: Message) => {
      received.push(frame);
      if (closes) link.close();
    };
    const closed = new Promise<void>((resolve) => link.start({ message, closed: () => resolve() }));
    far.start({ message: () => {}, closed: () => {} });
    far.send(sent);
    far.close();
    await Promise.race([closed, new Promise(setImmediate)]);
    expect(received).toEqual(expected);
  }
});

test("W43: frames of one turn of the event loop leave in one message, and those of the next in another", async () => {
  const [near, far] = createMemoryLinks();
  const messages: Message[] = [];
  far.start({ message: (message) => messages.push(message), closed: () => {} });
  const link = new BatchedLink(near);
  link.start({ message: () => {}, closed: () => {} });
  link.send('{"type":"welcome"}');
  link.startBatching();
  for (const id of ["1", "2", "3"]) link.send(`{"type":"call","id":"${id}"}`);
  await new Promise(setImmediate);
  link.send('{"type":"heartbeat"}');
  link.send('{"type":"goaway"}');
  link.close();
  await expect.poll(() => messages.length).toBe(3);
  expect(messages.map((message) => splitBatch(message as string).length)).toEqual([1, 3, 2]);
});

/** The frames that a link makes of a received message. */
async function framesIn(whole: Message): Promise<readonly Message[]> {
  const [near, far] = createMemoryLinks();
  const frames: Message[] = [];
  const link = new BatchedLink(near);
  link.startBatching();
  const end = "that was all";
  const ended = new Promise<void>((resolve) => {
    const message = (frame: Message) => void (frame === end ? resolve() : frames.push(frame));
    link.start({ message, closed: () => {} });
  });
  far.start({ message: () => {}, closed: () => {} });
  far.send(whole);
  far.send(end);
  await ended;
  return frames;
}

test("W43: frames in bytes are those in text, wherever their separators are", async () => {
  const texts = ["{}", "\x1e", "\x1e{}", "\x1e{}\x1e", "\x1e\x1e{}", '\x1e{"a":"ä語"}\n\x1e{}\x1e{"b":1}\n{}'];
  const full = "\x1e{}".repeat(batchFrames);
  for (const text of [...texts, full, `${full}\x1e`]) {
    const frames = [await framesIn(text), await framesIn(Buffer.from(text))].map((all) => all.map(String));
    expect(frames, JSON.stringify(text)).toEqual([splitBatch(text), splitBatch(text)]);
  }
});

test("large frames of a message stay bytes, and do not keep one that is many times larger", async () => {
  const large = `{"type":"result","id":"1"}\n{"text":"${"ä".repeat(5000)}"}`;
  const small = '{"type":"result","id":"2"}\n{"content":[]}';
  for (const others of [1, 100]) {
    const filler = Array<string>(others).fill(`{"type":"result","id":"3"}\n"${"x".repeat(2000)}"`);
    const message = Buffer.from(["", large, small, ...filler].join("\x1e"));
    const [first, second] = await framesIn(message);
    if (!(first instanceof Uint8Array)) throw new Error("A large frame is no bytes.");
    expect(Buffer.from(first).toString()).toBe(large);
    expect(first.buffer === message.buffer).toBe(others === 1);
    expect(first.buffer.byteLength).toBeLessThan(8 * first.length);
    expect(second).toBe(small);
  }
});

test("W43: a message of several answers is read", async () => {
  const hub = await startHub();
  const page = await openRawPage(hub.url);
  const answers = Array.from({ length: 24 }, (_, index) => callTool(hub, "work", { body: `{"index":${index}}` }));
  await expect.poll(() => page.calls().length).toBe(24);
  page.send(...page.calls().flatMap(({ id }) => answersTo(id)));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(24).fill(200));
});

test("W43: a page that does not take batches is sent each frame by itself, and may send none", async () => {
  const hub = await startHub();
  const page = await openRawPage(hub.url, { batches: false });
  for (let count = 0; count < 8; count++) beginCall(hub, "work", { body: `{"count":${count}}` });
  await expect.poll(() => page.calls().length).toBe(8);
  expect(page.messages.some(isBatch)).toBe(false);
  page.send('{"type":"heartbeat"}', '{"type":"heartbeat"}');
  expect(await page.closed).toBe(closeCodes["frame-malformed"]);
});

test("W43: a message with too many frames closes the page's link", async () => {
  const hub = await startHub();
  const page = await openRawPage(hub.url);
  page.send(...Array<string>(batchFrames + 1).fill('{"type":"heartbeat"}'));
  expect(await page.closed).toBe(closeCodes["frame-malformed"]);
});

test("W44: no argument adds a frame to a message", async () => {
  const hub = await startHub();
  const page = await openRawPage(hub.url);
  const forged =
    '{"type":"call","id":"forged","method":"tools/call","name":"work","left":1000,"at":0,"agent":{"name":"x"},"asks":[]}';
  const bodies = [`{"note":"\x1e${forged}\n{}"}`, `{}\x1e${forged}\n{}`, '{"plain":1}', '{"plain":2}'];
  for (const body of bodies) beginCall(hub, "work", { body });
  await expect.poll(() => page.calls().map(({ payload }) => payload)).toEqual(expect.arrayContaining(bodies.slice(2)));
  expect(page.calls().map(({ id }) => id)).not.toContain("forged");
});

test("W43: a hub whose frames must be small sends and takes no message of several", async () => {
  const hub = await startHub({ limits: { frameBytes: 10_000 } });
  const page = await openRawPage(hub.url);
  page.send('{"type":"heartbeat"}', '{"type":"heartbeat"}');
  expect(await page.closed).toBe(closeCodes["frame-malformed"]);
});
