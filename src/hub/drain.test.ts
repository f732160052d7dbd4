import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { recordFault } from "../../test/support/record-fault.ts";
import { connectAgent } from "./test-support/agent.test-helper.ts";
import { startHub } from "./test-support/hub.test-helper.ts";
import type { TestHub } from "./test-support/hub.test-helper.ts";
import { createFailingStore } from "./store/test-support/failing-store.test-helper.ts";
import { beginCall, callTool } from "./test-support/http.test-helper.ts";
import { byHand, connectPage, openChannels, plainResult } from "./test-support/page.test-helper.ts";
import { closeReason } from "../wire/index.ts";

async function statusOf(hub: TestHub, path: string): Promise<number> {
  return (await fetch(`${hub.url}${path}`)).status;
}

test("H50: a running hub is alive and ready, for every client", async () => {
  const hub = await startHub();
  for (const path of ["/healthz", "/health", "/readyz"]) expect(await statusOf(hub, path)).toBe(200);
});

test("H50: a hub that cannot save takes calls, reports it in the second line, and is not ready with ?store", async () => {
  const store = createFailingStore();
  const hub = await startHub({ store: () => store });
  const answerOf = async (path: string) => {
    const response = await fetch(`${hub.url}${path}`);
    return [response.status, await response.text()];
  };
  expect([await answerOf("/readyz"), await answerOf("/readyz?store")]).toEqual([
    [200, "ready\n"],
    [200, "ready\n"],
  ]);
  store.failure = "full";
  const problem = "nothing can be saved: the hub's disk is full\n";
  expect([await answerOf("/readyz"), await answerOf("/readyz?store")]).toEqual([
    [200, `ready\n${problem}`],
    [503, `not ready\n${problem}`],
  ]);
  expect(await hub.metric("pagewire_store_ok")).toBe(0);
  await connectPage(hub.url);
  expect((await callTool(hub, "work")).text).toContain(`"outcome":"ok"`);
  store.failure = undefined;
  // A failed write, such as the call's audit record, is retried first.
  await expect.poll(() => answerOf("/readyz?store"), { timeout: 10_000 }).toEqual([200, "ready\n"]);
  expect(await hub.metric("pagewire_store_ok")).toBe(1);
});

test("H50, H52: a hub that is stopping is alive, but not ready", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const running = callTool(hub, "work");
  const { id } = await page.nextCall();
  const drained = hub.drain();
  expect([await statusOf(hub, "/healthz"), await statusOf(hub, "/readyz")]).toEqual([200, 503]);
  page.result(id, plainResult);
  await Promise.all([running, drained]);
});

test("H52: a stopping hub tells pages, also those on channels, and agents to come back later, and closes them", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const open = await openChannels(hub.url);
  const channel = await open({ tab: "channel" }).greet();
  const agent = await connectAgent(hub.url, { token: hub.token });
  await hub.drain();
  for (const { frame } of [await page.next("goaway"), await channel.next("goaway"), await agent.next("goaway")]) {
    expect(frame).toEqual({ type: "goaway", within: 5000 });
  }
  for (const peer of [page, channel, agent]) expect(await peer.closed).toEqual(closeReason("going-away"));
  await expect(statusOf(hub, "/healthz")).rejects.toThrow();
});

test("H52: running and new calls of a stopping hub", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const byHttp = callTool(hub, "work");
  const bySocket = agent.call("work", { id: "1" });
  const calls = [await page.nextCall(), await page.nextCall()];
  for (const { id } of calls) page.ack(id);
  const drained = hub.drain();
  const refused = await callTool(hub, "work");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  expect(JSON.parse(refused.text)).toMatchObject({ outcome: "rejected", ran: "no", error: { code: "going-away" } });
  const late = await agent.call("work", { id: "2" });
  expect(late.frame).toMatchObject({ outcome: "rejected", ran: "no", code: "going-away", retryAfter: 1000 });
  for (const { id } of calls) page.result(id, plainResult);
  expect([(await byHttp).status, (await bySocket).payload]).toEqual([200, plainResult]);
  await drained;
  expect(page.calls).toHaveLength(2);
  recordFault("hub", {
    fault: "The hub is stopped while two calls run and two more come",
    expected: "2 finished, 2 refused as safe to try again",
    observed: "2 finished, 2 refused as safe to try again",
    count: 4,
  });
});

test("H52: a stopping hub answers a call that repeats an earlier one, by HTTP and by a socket", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const byKey = (key: string) => callTool(hub, "work", { headers: { "Idempotency-Key": key } });
  const ended = byKey("ended");
  page.result((await page.nextCall()).id, plainResult);
  await ended;
  const running = byKey("running");
  const { id } = await page.nextCall();
  page.ack(id);
  const drained = hub.drain();
  const again = await byKey("ended");
  const bySocket = await agent.call("work", { id: "1", key: "ended" });
  const joined = agent.call("work", { id: "2", key: "running" });
  page.result(id, plainResult);
  expect([again.status, again.text]).toEqual([200, expect.stringContaining('"replay":true')]);
  expect([bySocket.frame, (await joined).frame]).toMatchObject(Array(2).fill({ type: "result", replay: true }));
  expect((await running).status).toBe(200);
  await drained;
  expect(page.calls).toHaveLength(2);
});

test("H52: a large answer is read to its end, however slowly, before the hub goes", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const payload = JSON.stringify("x".repeat(8 * 1024 * 1024));
  const sent = beginCall(hub, "work");
  const { id } = await page.nextCall();
  const drained = hub.drain();
  page.result(id, payload);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(await statusOf(hub, "/readyz")).toBe(503);
  let read = 0;
  for await (const chunk of response) read += (chunk as Buffer).length;
  expect(read).toBeGreaterThan(payload.length);
  await drained;
});

test("H52: a call that takes longer than `drainTime` is told that its outcome is unknown", async () => {
  const hub = await startHub({ limits: { drainTime: 30 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const byHttp = callTool(hub, "work");
  const bySocket = agent.call("work", { id: "1" });
  for (const { id } of [await page.nextCall(), await page.nextCall()]) page.ack(id);
  await page.settled();
  await hub.drain();
  const { status, text } = await byHttp;
  expect([status, JSON.parse(text)]).toMatchObject([502, { outcome: "outcome-unknown", ran: "maybe" }]);
  expect((await bySocket).frame).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
});

test("H52: closing a hub that is stopping ends the wait", async () => {
  const hub = await startHub({ limits: { drainTime: 60_000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const lost = callTool(hub, "work");
  page.ack((await page.nextCall()).id);
  const drained = hub.drain();
  await hub.close();
  await Promise.all([drained, hub.drain(), hub.close()]);
  expect((await lost).status).toBe(502);
});
