import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../../test-support/page.test-helper.ts";
import { connectClient, connectOlderClient } from "./test-support/mcp-client.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const question = '{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}';

/** The state of a call when its client cancels it. */
const moments = {
  "before the ack": () => {},
  "after the ack": (page, { id }) => page.ack(id),
  "in the middle of its progress": (page, { id }) => {
    page.ack(id);
    page.send({ type: "progress", id, progress: 1 });
  },
  "with a question open": (page, { id }) => {
    page.ack(id);
    page.send({ type: "ask", id, ask: "sure", method: "elicitation/create" }, question);
  },
} as const satisfies Record<string, (page: TestPage, call: GivenCall) => void>;

const byMoment = Object.entries(moments);
const elicitation = { capabilities: { elicitation: { form: {} } } };

/** A call that its client can cancel. */
type Call = (signal: AbortSignal) => Promise<unknown>;

/** A client of each SDK and revision, whose user never answers. */
async function connectCallers(hub: TestHub): Promise<readonly Call[]> {
  const older = await connectOlderClient(hub, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  older.setRequestHandler(ElicitRequestSchema, () => new Promise(() => {}));
  const callOlder: Call = (signal) => older.callTool(work, undefined, { signal });
  const newer = ["2025-11-25", "2026-07-28"] as const;
  const callers = newer.map(async (revision): Promise<Call> => {
    const client = await connectClient(hub, { revision, ...elicitation });
    client.setRequestHandler("elicitation/create", () => new Promise(() => {}));
    return (signal) => client.callTool(work, { signal });
  });
  return [callOlder, ...(await Promise.all(callers))];
}

test.each(byMoment)("a client that cancels its call %s has its handler aborted", async (moment, happens) => {
  const hub = await startHub({ limits: { cutTime: 20, callTimeMost: 5000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  for (const call of await connectCallers(hub)) {
    const cancel = new AbortController();
    const ended = expect(call(cancel.signal)).rejects.toThrow();
    const given = await page.nextCall();
    happens(page, given);
    await page.settled();
    cancel.abort("enough");
    await ended;
    expect((await page.next("cancel")).frame.id).toBe(given.id);
    // A late answer is dropped.
    page.result(given.id, plainResult);
    await page.settled();
  }
  expect(page.calls).toHaveLength(3);
  recordFault("mcp", {
    fault: `A client of each SDK and revision cancels its call ${moment}`,
    expected: "the handler is aborted, the late answer dropped",
    observed: "the handler is aborted, the late answer dropped",
    count: 3,
  });
});

test.each(byMoment)(
  "a call that is cancelled in its session %s is answered: it was cancelled, and may have run",
  async (_, happens) => {
    const hub = await startHub();
    const page = await connectPage(hub.url, { handle: byHand });
    const session = await openSession(hub, elicitation);
    for (const requestId of [1, "1", "__proto__"]) {
      const sent = session.request("tools/call", { ...work, _meta: { progressToken: "t" } }, requestId);
      const given = await page.nextCall();
      happens(page, given);
      await page.settled();
      await session
        .send({ method: "notifications/cancelled", jsonrpc: "2.0", params: { requestId, reason: "enough" } })
        .whole();
      expect((await page.next("cancel")).frame).toMatchObject({ id: given.id, reason: "enough" });
      const end = (await sent.whole()).messages.at(-1);
      expect(end).toMatchObject({
        id: requestId,
        result: { isError: true, _meta: { "pagewire/outcome": "cancelled", "pagewire/ran": "maybe" } },
      });
    }
  },
);

test("a client that cancels what has ended, what never was, or what is another's, changes nothing", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const [mine, theirs] = [await openSession(hub), await openSession(hub)];
  const cancel = (requestId: unknown) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  const first = mine.request("tools/call", work, 1);
  page.result((await page.nextCall()).id, plainResult);
  await first.whole();

  const other = theirs.request("tools/call", work, 1);
  const { id } = await page.nextCall();
  for (const requestId of [1, "1", 99, -1, null, {}, [1], "__proto__", 1.5]) {
    const { status } = await mine.send(cancel(requestId)).whole();
    expect(status).toBeLessThan(500);
    const { body, ...rest } = modern("notifications/cancelled", { requestId });
    await sendRaw(hub, { ...rest, body: { ...body, id: undefined } }).whole();
    await sendRaw(hub, { body: cancel(requestId) }).whole();
  }
  page.result(id, plainResult);
  expect((await other.whole()).messages).toMatchObject([{ id: 1, result: JSON.parse(plainResult) }]);
  expect(page.received.filter(({ frame }) => frame.type === "cancel")).toEqual([]);
});
