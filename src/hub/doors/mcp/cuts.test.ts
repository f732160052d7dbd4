import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: { a: 1 } };
const done = JSON.parse(plainResult) as object;
const replayed = { ...done, _meta: { "pagewire/replay": true } };

/** The state of a call when its client disconnects; after progress the response is a stream. */
const moments = {
  "before the ack": () => {},
  "after the ack": (page, { id }) => page.ack(id),
  "in the middle of its progress": (page, { id }) => {
    page.ack(id);
    page.send({ type: "progress", id, progress: 1 });
  },
} as const satisfies Record<string, (page: TestPage, call: GivenCall) => void>;

const byMoment = Object.entries(moments);

function callStateless(hub: TestHub, id: number): RawExchange {
  return sendRaw(hub, modern("tools/call", work, { id, meta: { progressToken: id } }));
}

/** Starts a call and disconnects at a given moment; resolves when the hub has noticed. */
async function beginAndHangUp(
  { hub, page }: { readonly hub: TestHub; readonly page: TestPage },
  sent: RawExchange,
  happens: (page: TestPage, call: GivenCall) => void,
): Promise<GivenCall> {
  const call = await page.nextCall();
  happens(page, call);
  await page.settled();
  if (happens === moments["in the middle of its progress"]) await sent.next();
  sent.hangUp();
  await isAlone(hub);
  return call;
}

/** Resolves when the hub has noticed the disconnects of all other clients. */
async function isAlone(hub: TestHub): Promise<void> {
  // The hub sees messages on a later connection after the end of an earlier one.
  await sendRaw(hub, modern("tools/list", {}, { client: "another" })).whole();
}

test.each(byMoment)("M82: a client that vanishes %s and calls again", async (moment, happens) => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { id } = await beginAndHangUp({ hub, page }, callStateless(hub, 1), happens);
  const again = callStateless(hub, 2);
  await isAlone(hub);
  page.ack(id);
  page.result(id, plainResult);
  const { messages } = await again.whole();
  expect(messages.at(-1)).toMatchObject({ id: 2, result: replayed });
  expect(page.calls).toHaveLength(1);
  recordFault("mcp", {
    fault: `A stateless client vanishes ${moment} and calls again under a new id`,
    expected: "one execution, the same result",
    observed: "one execution, the same result",
    count: 1,
  });
});

test.each(byMoment)("M82: a client that vanishes %s for good", async (_, happens) => {
  const hub = await startHub({ limits: { cutTime: 30 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const { id } = await beginAndHangUp({ hub, page }, callStateless(hub, 1), happens);
  expect((await page.next("cancel")).frame.id).toBe(id);
  expect(await hub.metric('pagewire_calls_total{outcome="cancelled"}')).toBe(1);
  // A cancelled call is never joined: the next call is a new one.
  const again = callStateless(hub, 2);
  page.result((await page.nextCall()).id, plainResult);
  expect((await again.whole()).messages.at(-1)?.result).not.toHaveProperty(["_meta", "pagewire/replay"]);
});

test.each(byMoment)(
  "M82: a tool that only reads is aborted at once when its client vanishes %s",
  async (_, happens) => {
    const hub = await startHub({ limits: { cutTime: 60_000, twinTime: 60_000 } });
    const inputSchema = { type: "object" } as const;
    for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
      const page = await connectPage(hub.url, { handle: byHand, tools: [{ name: "work", inputSchema, annotations }] });
      const { id } = await beginAndHangUp({ hub, page }, callStateless(hub, 1), happens);
      expect((await page.next("cancel")).frame.id).toBe(id);
    }
  },
);

test("M82: a client that vanishes before it has read its answer is given it when it calls again", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const large = JSON.stringify({ content: [{ type: "text", text: "x".repeat(15 * 1024 * 1024) }] });
  for (const withProgress of [false, true]) {
    const sent = callStateless(hub, 1);
    const call = await page.nextCall();
    page.ack(call.id);
    if (withProgress) page.send({ type: "progress", id: call.id, progress: 1 });
    page.result(call.id, large);
    await sent.stall();
    await page.settled();
    sent.request.socket?.resetAndDestroy();
    await isAlone(hub);
    const again = await callStateless(hub, 2).whole();
    expect(again.messages.at(-1)).toMatchObject({ id: 2, result: { _meta: { "pagewire/replay": true } } });
  }
  expect(page.calls).toHaveLength(2);
});

test("M82: an SDK client whose connection breaks, and whose program calls again, has its tool run once", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  let breaks = new AbortController();
  const fetchThatBreaks: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([breaks.signal, ...(init?.signal ? [init.signal] : [])]) });
  const client = new Client({ name: "fragile", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const requestInit = { headers: { Authorization: `Bearer ${hub.token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", hub.url), { requestInit, fetch: fetchThatBreaks }),
  );
  onTestFinished(() => client.close());
  const tries = 20;
  for (let count = 0; count < tries; count++) {
    const asked = { name: "work", arguments: { count } };
    const lost = expect(client.callTool(asked)).rejects.toThrow();
    const { id } = await page.nextCall();
    page.ack(id);
    await page.settled();
    breaks.abort(new TypeError("The network broke."));
    await lost;
    breaks = new AbortController();
    const again = client.callTool(asked);
    await isAlone(hub);
    page.result(id, plainResult);
    expect(await again).toMatchObject(done);
  }
  expect(page.calls).toHaveLength(tries);
  recordFault("mcp", {
    fault: "The connection of an SDK client breaks after the ack, and its program calls again",
    expected: "one execution each, the same result",
    observed: "one execution each, the same result",
    count: tries,
  });
});

test("M83: in a session a call whose client vanishes before any message is joined, or aborted after `cutTime`", async () => {
  const hub = await startHub({ limits: { cutTime: 2000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  const first = await beginAndHangUp({ hub, page }, session.request("tools/call", work, 1), moments["after the ack"]);
  const again = session.request("tools/call", work, 2);
  await isAlone(hub);
  page.result(first.id, plainResult);
  expect((await again.whole()).messages).toMatchObject([{ id: 2, result: replayed }]);
  expect(page.calls).toHaveLength(1);

  const lost = await beginAndHangUp({ hub, page }, session.request("tools/call", work, 3), moments["after the ack"]);
  expect((await page.next("cancel")).frame.id).toBe(lost.id);
});

test("M83: in a session a call that is answered by a stream keeps running, and a returning client gets the rest", async () => {
  const hub = await startHub({ limits: { cutTime: 30 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  const params = { ...work, _meta: { progressToken: "t" } };
  // The first event is empty and only provides an id.
  const sent = session.request("tools/call", params, 1);
  const { id } = await page.nextCall();
  page.ack(id);
  page.send({ type: "progress", id, progress: 1 });
  const { id: eventId } = (await sent.nextEvent()) ?? {};
  sent.hangUp();
  await isAlone(hub);
  page.send({ type: "progress", id, progress: 2 });
  page.result(id, plainResult);
  await page.settled();
  const { messages } = await session.listen({ "Last-Event-ID": eventId ?? "" }).whole();
  expect(messages.map(({ params: told }) => told?.["progress"])).toEqual([1, 2, undefined]);
  expect(messages.at(-1)).toMatchObject({ id: 1, result: done });
  expect(page.received.some(({ frame }) => frame.type === "cancel")).toBe(false);
});
