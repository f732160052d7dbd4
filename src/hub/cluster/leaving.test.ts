// A hub that stops while others go on, over a real NATS server and real sockets.
import { expect, test } from "vitest";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, openChannels, plainResult } from "../test-support/page.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { read } from "../doors/read/read.test-helper.ts";
import { closeReason } from "../../wire/index.ts";
import { agentAt, startHubs } from "./hubs.test-helper.ts";

/** Hubs that know each other: one that knows no other hands nothing over. */
async function startKnownHubs() {
  const hubs = await startHubs();
  const joined = ({ records }: TestHub) => records.filter(({ event }) => event === "hub-joined").length;
  for (const hub of [hubs.a, hubs.b, hubs.c]) await expect.poll(() => joined(hub)).toBe(2);
  return hubs;
}

async function readyAt({ url }: TestHub): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

test("MH80: a hub that stops is not ready, sends its pages away one by one, and takes no new ones", async () => {
  const { a, b } = await startKnownHubs();
  const pages = [await connectPage(a.url, { tab: "1" }), await connectPage(a.url, { tab: "2" })];
  const open = await openChannels(a.url);
  const channel = await open({ tab: "channel" }).greet();
  const drained = a.drain();
  expect([await readyAt(a), await readyAt(b)]).toEqual([503, 200]);
  await expect(connectPage(a.url, { tab: "3" })).rejects.toThrow("503");
  for (const page of [...pages, channel]) {
    expect((await page.next("goaway")).frame).toMatchObject({ within: 20 });
    expect(await page.closed).toEqual(closeReason("going-away"));
  }
  await drained;
});

test("MH123: a hub that stops is described as stopping by all, itself too", async () => {
  const { a, b } = await startKnownHubs();
  const page = await connectPage(a.url);
  const drained = a.drain();
  const stopping = async (hub: TestHub) => {
    const hubs = (await read(hub, "status")).body?.["hubs"] as Record<string, unknown>[];
    return hubs.filter(({ isStopping }) => isStopping).map(({ name }) => name);
  };
  for (const hub of [a, b]) await expect.poll(() => stopping(hub)).toEqual(["a"]);
  await page.closed;
  await drained;
});

test("MH80: a hub that stops serves the calls that still come, and says on its answers that the connection ends", async () => {
  const { a, b } = await startKnownHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await agentAt(a);
  const early = agent.call("work", { id: "1" });
  const first = await page.nextCall();
  const drained = a.drain();
  const byHttp = callTool(a, "work");
  page.result((await page.nextCall()).id, plainResult);
  const { status, headers } = await byHttp;
  expect([status, headers["connection"]]).toEqual([200, "close"]);
  const { frame } = await agent.next("goaway");
  expect(frame).toMatchObject({ elsewhere: true });
  const late = agent.call("work", { id: "2" });
  page.result((await page.nextCall()).id, plainResult);
  expect((await late).frame).toMatchObject({ type: "result" });
  page.result(first.id, plainResult);
  expect((await early).frame).toMatchObject({ type: "result" });
  expect(await agent.closed).toEqual(closeReason("going-away"));
  await drained;
});

test("MH80: an agent that stays may end its calls, and no new one begins", async () => {
  const { a, b } = await startKnownHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await agentAt(a);
  const running = agent.call("work", { id: "1" });
  const { id } = await page.nextCall();
  const drained = a.drain();
  const refused = async () => {
    const end = agent.call("work", { id: `try-${Math.random()}` });
    const next = await Promise.race([end, page.nextCall()]);
    if ("frame" in next) return next.frame;
    page.result(next.id, plainResult);
    await end;
    return undefined;
  };
  await expect.poll(refused, { timeout: 20_000 }).toMatchObject({ ran: "no", code: "going-away" });
  page.result(id, plainResult);
  expect((await running).frame).toMatchObject({ type: "result" });
  expect(await agent.closed).toEqual(closeReason("going-away"));
  await drained;
});

test("MH81: hubs that stop at once have no successor, and the last refuses new calls", async () => {
  const { a, b, c } = await startKnownHubs();
  const page = await connectPage(a.url, { handle: byHand });
  const running = callTool(a, "work");
  const { id } = await page.nextCall();
  const others = [b.drain(), c.drain()];
  await Promise.all(others);
  const drained = a.drain();
  expect(await callTool(a, "work")).toMatchObject({ status: 503, text: expect.stringContaining("going-away") });
  page.result(id, plainResult);
  expect((await running).status).toBe(200);
  await drained;
});

test("MH80: a call that was on its way to a page as it was sent away goes on at the page's next hub", async () => {
  const { a, b } = await startKnownHubs();
  const page = await connectPage(a.url, { tab: "moving", handle: byHand });
  const called = callTool(b, "work");
  const { id } = await page.nextCall();
  const drained = a.drain();
  await page.closed;
  const moved = await connectPage(b.url, { tab: "moving", handle: byHand });
  const again = await moved.nextCall();
  expect(again.id).toBe(id);
  moved.result(again.id, plainResult);
  expect((await called).status).toBe(200);
  await drained;
});
