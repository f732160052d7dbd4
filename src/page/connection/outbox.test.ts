import { expect, test } from "vitest";
import type { ToolDefinition } from "../../toolbox/index.ts";
import { batchFrames, encodeText, splitBatch } from "../../wire/index.ts";
import { callFrame, connectedPage, deferred } from "../test-support/page-under-test.test-helper.ts";
import type { PageUnderTest } from "../test-support/page-under-test.test-helper.ts";

/** Calls of "work" with these ids, in one message. */
const callsOf = ({ browser }: PageUnderTest, ...ids: readonly string[]) =>
  ids.map((id) => `\x1e${encodeText(callFrame(browser, { id }), "{}")}`).join("");
const typesIn = (message: string) =>
  splitBatch(message).map((frame) => (JSON.parse(frame.split("\n")[0] ?? "") as { type: string }).type);

test("P20: the calls of one message are acked in one message before any handler runs, and answered together", async () => {
  const messagesAtStart: number[] = [];
  const tool: ToolDefinition = { name: "work", execute: () => void messagesAtStart.push(page.hub.messages.length) };
  const page = await connectedPage({ tools: [tool] });
  const before = page.hub.messages.length;
  await page.hub.sayRaw(callsOf(page, "c1", "c2", "c3"));
  expect(page.hub.messages.slice(before).map(typesIn)).toEqual([
    ["ack", "ack", "ack"],
    ["result", "result", "result"],
  ]);
  expect(messagesAtStart).toEqual([before + 1, before + 1, before + 1]);
});

test("P20: an answer that takes longer than the task leaves by itself", async () => {
  const { promise, resolve } = deferred<string>();
  const page = await connectedPage({ tools: [{ name: "work", execute: () => promise }] });
  await page.hub.sayRaw(callsOf(page, "c1", "c2"));
  const before = page.hub.messages.length;
  resolve("done");
  await page.browser.clock.advance(0);
  expect(page.hub.messages.slice(before).map(typesIn)).toEqual([["result"], ["result"]]);
});

test("W43: a message with one frame is answered as ever, frame by frame", async () => {
  const page = await connectedPage({ tools: [{ name: "work", execute: () => "done" }] });
  const before = page.hub.messages.length;
  await page.hub.say(callFrame(page.browser), "{}");
  expect(page.hub.messages.slice(before).map(typesIn)).toEqual([["ack"], ["result"]]);
});

test("W43: the goodbye of a page that is left does not wait for other frames", async () => {
  const page = await connectedPage({ tools: [{ name: "leave", execute: leave }] });
  let typesAfterLeaving: readonly string[] = [];
  async function leave() {
    await page.document.happen((listener) => listener.gone(false));
    typesAfterLeaving = page.hub.types;
  }
  const calls = ["c1", "c2"].map((id) => encodeText(callFrame(page.browser, { id, name: "leave" }), "{}"));
  await page.hub.sayRaw(`\x1e${calls.join("\x1e")}`);
  await expect.poll(() => typesAfterLeaving).toContain("bye");
});

test("W43: the frame that is refused is the last of its message that is read", async () => {
  const runs: string[] = [];
  const page = await connectedPage({
    tools: [{ name: "work", execute: (_input, { callId }) => void runs.push(callId) }],
  });
  await page.hub.sayRaw(`${callsOf(page, "c1")}\x1eno frame${callsOf(page, "c2")}`);
  expect(page.hub.closing).toMatchObject({ reason: "frame-malformed" });
  expect(runs).toEqual(["c1"]);
});

test("W43: of a message with too many frames a page takes none", async () => {
  const runs: string[] = [];
  const page = await connectedPage({
    tools: [{ name: "work", execute: (_input, { callId }) => void runs.push(callId) }],
  });
  await page.hub.sayRaw(callsOf(page, ...Array.from({ length: batchFrames + 1 }, (_, index) => `c${index}`)));
  expect(page.hub.closing).toMatchObject({ reason: "frame-malformed" });
  expect(runs).toEqual([]);
});
