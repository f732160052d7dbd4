import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { beginCall, callTool } from "../test-support/http.test-helper.ts";
import type { HttpCall } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../test-support/page.test-helper.ts";

const done = { result: JSON.parse(plainResult) as unknown, error: null, outcome: "ok", ran: "yes", notSaved: false };

/** Starts a call and disconnects once the page has taken it. */
async function beginAndHangUp(hub: TestHub, page: TestPage, call: HttpCall = {}): Promise<GivenCall> {
  const sent = beginCall(hub, "work", call);
  const given = await page.nextCall();
  page.ack(given.id);
  await page.settled();
  sent.destroy();
  // The hub sees messages on a later connection after the end of this one.
  await callTool(hub, "list_browser_tabs");
  return given;
}

test("H35: a caller that disconnects and repeats its call without a key joins the one execution", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  let executions = 0;
  const tries = 20;
  for (let count = 0; count < tries; count++) {
    const { id } = await beginAndHangUp(hub, page, { body: `{"count":${count}, "more":[1]}` });
    const again = callTool(hub, "work", { body: `{ "more":[1],"count":${count}}` });
    await callTool(hub, "list_browser_tabs");
    page.result(id, plainResult);
    expect(JSON.parse((await again).text)).toEqual({ ...done, replay: true });
    executions += page.calls.filter((call) => call.arguments.includes(`${count},`)).length;
  }
  expect([page.calls.length, executions]).toEqual([tries, tries]);
  recordFault("hub", {
    fault: "A caller hangs up after the ack and calls again over a new connection, without a key",
    expected: "one execution, the same result",
    observed: "one execution, the same result",
    count: tries,
  });
});

test("H35: a caller that repeats its call after the handler is done gets the same outcome", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { id } = await beginAndHangUp(hub, page);
  page.result(id, plainResult);
  await page.settled();
  expect(JSON.parse((await callTool(hub, "work")).text)).toEqual({ ...done, replay: true });
  expect(page.calls).toHaveLength(1);
  // A caller that has the outcome and calls again wants a second run.
  const anew = callTool(hub, "work");
  page.result((await page.nextCall()).id, '"again"');
  expect(JSON.parse((await anew).text)).toMatchObject({ result: "again", replay: false });
});

test("H35: so does one that disconnected before its outcome was written, though the hub read the outcome first", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, {
    handle: ({ id }, { ack, result, calls }) => (ack(id), calls.length > 1 && result(id, '"a second run"')),
  });
  const sent = beginCall(hub, "work");
  const { id } = await page.nextCall();
  await page.settled();
  // The hub, in this process, polls for input after all of this turn.
  page.result(id, plainResult);
  sent.destroy();
  await page.settled();
  expect(JSON.parse((await callTool(hub, "work")).text)).toEqual({ ...done, replay: true });
  expect(page.calls).toHaveLength(1);
});

test("H35: a caller that disconnects and repeats its call with its key gets the same outcome, as long as it is stored", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const headers = { "Idempotency-Key": "the-key" };
  const { id, key } = await beginAndHangUp(hub, page, { headers });
  expect(key).toBe("the-key");
  const again = callTool(hub, "work", { headers });
  await callTool(hub, "list_browser_tabs");
  page.result(id, plainResult);
  expect(JSON.parse((await again).text)).toEqual({ ...done, replay: true });
  expect(JSON.parse((await callTool(hub, "work", { headers })).text)).toEqual({ ...done, replay: true });
  expect(page.calls).toHaveLength(1);
  recordFault("hub", {
    fault: "A caller hangs up after the ack and calls again with its key, before and after the result",
    expected: "one execution, the same result",
    observed: "one execution, the same result",
    count: 2,
  });
});

test("H35: a call whose caller does not come back is cancelled in the page after a while, and then not replayed", async () => {
  const hub = await startHub({ limits: { cutTime: 30 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const { id } = await beginAndHangUp(hub, page);
  expect((await page.next("cancel")).frame.id).toBe(id);
  expect(await hub.metric('pagewire_calls_total{outcome="cancelled"}')).toBe(1);
  const again = callTool(hub, "work");
  const second = await page.nextCall();
  page.result(second.id, plainResult);
  expect(JSON.parse((await again).text)).toEqual({ ...done, replay: false });
});

test("H35: a tool that only reads, or may be repeated, is cancelled at once and runs again", async () => {
  const hub = await startHub();
  const inputSchema = { type: "object" } as const;
  for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
    const page = await connectPage(hub.url, { handle: byHand, tools: [{ name: "work", inputSchema, annotations }] });
    const { id } = await beginAndHangUp(hub, page);
    expect((await page.next("cancel")).frame.id).toBe(id);
    const again = callTool(hub, "work");
    page.result((await page.nextCall()).id, plainResult);
    expect(JSON.parse((await again).text)).toEqual({ ...done, replay: false });
    expect(page.calls).toHaveLength(2);
  }
});

test("H35: with `cutTime` zero a call ends with its caller", async () => {
  const hub = await startHub({ limits: { cutTime: 0 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const { id } = await beginAndHangUp(hub, page);
  expect((await page.next("cancel")).frame.id).toBe(id);
});

test("H35: a call by another caller, of another tool or tab, or with other arguments, is not equal", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand, tools: ["work", "other"] });
  const { id } = await beginAndHangUp(hub, page, { headers: { "User-Agent": "one/1" } });
  const others = [
    callTool(hub, "work", { headers: { "User-Agent": "two/1" } }),
    callTool(hub, "other", { headers: { "User-Agent": "one/1" } }),
    callTool(hub, "work", { headers: { "User-Agent": "one/1" }, body: '{"a":1}' }),
    callTool(hub, "work", { headers: { "User-Agent": "one/1", "Pagewire-Tab": page.tabId } }),
  ];
  for (const _ of others) page.result((await page.nextCall()).id, '"own"');
  for (const answer of await Promise.all(others)) {
    expect(JSON.parse(answer.text)).toMatchObject({ result: "own", replay: false });
  }
  page.result(id, plainResult);
  expect(page.calls).toHaveLength(5);
});

test("H35: two callers who make the same call at the same time each have their own", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const answers = await Promise.all([callTool(hub, "work"), callTool(hub, "work")]);
  for (const { text } of answers) expect(JSON.parse(text)).toEqual({ ...done, replay: false });
  expect(page.calls).toHaveLength(2);
});

test("H35: an agent whose socket was cut and calls again under another id joins the one execution", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const first = await connectAgent(hub.url, { token: hub.token, session: "one" });
  const lost = first.call("work", { id: "1" });
  const { id } = await page.nextCall();
  page.ack(id);
  await first.next("ack");
  first.socket.terminate();
  await expect(lost).rejects.toThrow("The hub closed");
  const stranger = await connectAgent(hub.url, { token: hub.token, session: "two" });
  const second = await connectAgent(hub.url, { token: hub.token, session: "one" });
  const again = second.call("work", { id: "99" });
  // The handler runs in this tab: the duplicate receives this, too, and what follows.
  expect((await second.next("ack")).frame).toMatchObject({ id: "99", tab: page.tabId });
  page.send({ type: "progress", id, progress: 1 });
  expect((await second.next("progress")).frame).toMatchObject({ id: "99", progress: 1 });
  page.result(id, plainResult);
  expect(await again).toEqual({ frame: { type: "result", id: "99", replay: true }, payload: plainResult });
  expect(page.calls).toHaveLength(1);
  expect(stranger.received.map(({ frame }) => frame.type)).not.toContain("result");
});

test("H35: an agent's socket that was cut before the outcome was sent counts as cut, though the hub read the outcome first", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, {
    handle: ({ id }, { ack, result, calls }) => (ack(id), calls.length > 1 && result(id, '"a second run"')),
  });
  const first = await connectAgent(hub.url, { token: hub.token });
  const lost = first.call("work", { id: "1" });
  const { id } = await page.nextCall();
  await first.next("ack");
  page.result(id, plainResult);
  first.socket.terminate();
  await expect(lost).rejects.toThrow("The hub closed");
  const second = await connectAgent(hub.url, { token: hub.token });
  expect(await second.call("work", { id: "2" })).toMatchObject({ frame: { replay: true }, payload: plainResult });
  expect(page.calls).toHaveLength(1);
});

test("H35: an equal call that cancels ends the call", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const first = await connectAgent(hub.url, { token: hub.token });
  const lost = first.call("work", { id: "1" });
  const { id } = await page.nextCall();
  page.ack(id);
  await first.next("ack");
  first.socket.terminate();
  await expect(lost).rejects.toThrow();
  const second = await connectAgent(hub.url, { token: hub.token });
  const end = second.call("work", { id: "1" });
  await second.next("ack");
  second.send({ type: "cancel", id: "1", reason: "enough" });
  expect((await end).frame).toMatchObject({ outcome: "cancelled", message: "enough" });
  expect((await page.next("cancel")).frame).toMatchObject({ id, reason: "enough" });
});
