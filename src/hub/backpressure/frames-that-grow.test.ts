import { expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";

// Every peer in these tests refuses a frame above the limit: `next` and `call` fail if one is sent.
const frameBytes = 20_000;

test("H46: a call that is too large for a frame with the hub's header is refused, and the page keeps its socket", async () => {
  const hub = await startHub({ limits: { frameBytes } });
  const page = await connectPage(hub.url);
  const answer = await callTool(hub, "work", { body: JSON.stringify("x".repeat(frameBytes - 2)) });
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
    413,
    { error: { code: "body-too-large" }, ran: "no" },
  ]);
  const agent = await connectAgent(hub.url, { token: hub.token });
  const header = JSON.stringify({ type: "call", id: "1", method: "tools/call", name: "work" });
  const end = await agent.call("work", { id: "1", arguments: "1".repeat(frameBytes - header.length - 1) });
  expect(end.frame).toMatchObject({ type: "failure", outcome: "rejected", ran: "no", code: "body-too-large" });
  expect(page.calls).toEqual([]);
  expect((await callTool(hub, "work", { body: "1".repeat(frameBytes - 400) })).status).toBe(200);
});

test("H46: a result that is too large for a frame with the caller's id is an error, and the caller keeps its socket", async () => {
  const hub = await startHub({ limits: { frameBytes } });
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const id = "x".repeat(128);
  const end = agent.call("work", { id });
  const call = await page.nextCall();
  const header = JSON.stringify({ type: "result", id: call.id });
  page.ack(call.id);
  page.result(call.id, "1".repeat(frameBytes - header.length - 1));
  expect((await end).frame).toMatchObject({
    type: "failure",
    id,
    outcome: "tool-error",
    ran: "yes",
    code: "result-too-large",
  });
  expect(agent.link.open).toBe(true);
});

test("H46: a question or an answer that is too large for its frame is answered as one that could not be asked", async () => {
  const hub = await startHub({ limits: { frameBytes } });
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const id = "x".repeat(128);
  const end = agent.call("work", { id });
  const call = await page.nextCall();
  page.ack(call.id);
  const asked = { type: "ask", id: call.id, ask: "1", method: "elicitation/create" };
  page.send(asked, "1".repeat(frameBytes - JSON.stringify(asked).length - 1));
  expect((await page.next("answer")).frame).toMatchObject({ id: call.id, ask: "1", code: "frame-too-large" });

  page.result(call.id, "1");
  await end;

  const second = agent.call("work", { id: "2" });
  const { id: longer } = await page.nextCall();
  page.ack(longer);
  page.send({ ...asked, id: longer }, "{}");
  await agent.next("ask");
  const answered = { type: "answer", id: "2", ask: "1" };
  agent.send(answered, "1".repeat(frameBytes - JSON.stringify(answered).length - 1));
  expect((await page.next("answer")).frame).toMatchObject({ id: longer, ask: "1", code: "frame-too-large" });
  page.result(longer, "1");
  expect((await second).frame.type).toBe("result");
});

test("H46: a page's texts, of any length and content, never cause a frame that a caller refuses", async () => {
  const hub = await startHub();
  const words = ["\u0001", "\u0007", "\ud800", "語", "x"].map((character) => character.repeat(1024));
  for (let count = 0; count < 25; count++) {
    const page = await openPage(hub.url);
    page.send(helloOf({ tab: `tab-${count}`, title: words[count % words.length] ?? "" }));
    await page.next("welcome");
  }
  const long = "n".repeat(128);
  const page = await connectPage(hub.url, {
    tools: Array.from({ length: 40 }, (_, index) => `${long.slice(3)}${100 + index}`),
    handle: byHand,
  });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const wrongTab = await agent.call("work", { id: "1", tab: "none" });
  expect(wrongTab.frame).toMatchObject({ type: "failure", code: "tab-not-found" });
  const wrongName = await agent.call("\u0001".repeat(2048), { id: "1" });
  expect(wrongName.frame).toMatchObject({ type: "failure", code: "tool-not-found" });
  agent.send({ type: "list", id: "1", what: "offer", tab: "none" });
  expect((await agent.next("listing")).frame.code).toBe("tab-not-found");

  const id = "x".repeat(128);
  const end = agent.call(page.calls[0]?.name ?? `${long.slice(3)}100`, { id });
  const call = await page.nextCall();
  const message = "\u0001".repeat(2600);
  const cut = `${message.slice(0, 1023)}…`;
  page.ack(call.id);
  page.send({ type: "progress", id: call.id, progress: 1, message });
  expect((await agent.next("progress")).frame.message).toBe(cut);
  page.send({ type: "failure", id: call.id, outcome: "tool-error", ran: "yes", code: "handler-failed", message });
  expect((await end).frame).toMatchObject({ code: "handler-failed", message: cut });
});

test("H46: bytes of a page that are not UTF-8 never break the socket of a caller", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  for (const room of [0, 100_000]) {
    const end = agent.call("work", { id: "1" });
    const { id } = await page.nextCall();
    const header = Buffer.from(`{"type":"result","id":"${id}"}\n`);
    page.socket.send(Buffer.concat([header, Buffer.alloc(room, 32), Buffer.from([0x22, 0xff, 0x22])]), {
      binary: true,
    });
    expect((await end).payload.trim()).toBe('"\ufffd"');
  }
});
