import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { heldBytes } from "../../test-support/held-bytes.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const done = JSON.parse(plainResult) as object;
const question = '{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}';
const capabilities = { elicitation: {}, sampling: {}, roots: {} };

type Begin = () => RawExchange;

/** The same call in either era, from a client that supports all kinds of questions. */
async function callers(hub: TestHub): Promise<{ readonly stateless: Begin; readonly inSession: Begin }> {
  const session = await openSession(hub, { capabilities });
  return {
    stateless: () => sendRaw(hub, modern("tools/call", work, { capabilities })),
    inSession: () => session.request("tools/call", work),
  };
}

function ask(
  page: TestPage,
  id: string,
  { ask: name = "a", method = "elicitation/create", payload = question } = {},
): void {
  page.send({ type: "ask", id, ask: name, method }, payload);
}

test("a question that no client could be asked is answered to the page, and its call goes on", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const tries = [
    ...["nonsense", "", "[1]", "5", "null", '"text"', `${"[".repeat(1000)}`].map((payload) => ({ payload })),
    { payload: '{"mode":"url","message":"x","url":"javascript:alert(1)"}' },
    { payload: '{"messages":[],"maxTokens":1,"tools":[]}', method: "sampling/createMessage" },
  ];
  for (const begin of Object.values(await callers(hub))) {
    for (const one of tries) {
      const sent = begin();
      const { id } = await page.nextCall();
      page.ack(id);
      ask(page, id, one);
      expect((await page.next("answer")).frame, JSON.stringify(one)).toMatchObject({
        id,
        ask: "a",
        code: "ask-unsupported",
      });
      page.result(id, plainResult);
      expect((await sent.whole()).messages).toMatchObject([{ id: 1, result: done }]);
    }
  }
});

const most = 16;

/** Asks a thousand questions in a call; resolves when the page has received the refusals of the surplus. */
async function askThousand(page: TestPage): Promise<string> {
  const { id } = await page.nextCall();
  page.ack(id);
  for (let count = 0; count < 1000; count++) ask(page, id, { ask: `q${count}` });
  const limit = expect.stringContaining("questionsPerCall") as string;
  for (let count = most; count < 1000; count++) {
    const { frame } = await page.next("answer");
    expect(frame).toMatchObject({ id, code: "ask-failed", message: limit });
  }
  return id;
}

test("of a thousand questions at once a few are asked, the page gets the limit's error, and its call continues", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { stateless, inSession } = await callers(hub);
  const alone = stateless();
  await askThousand(page);
  const [asked] = (await alone.whole()).messages;
  expect(Object.keys(asked?.result?.["inputRequests"] as object).length).toBeLessThanOrEqual(most);

  const ofSession = inSession();
  page.result(await askThousand(page), plainResult);
  const { messages } = await ofSession.whole();
  expect(messages.filter(({ method }) => method === "elicitation/create")).toHaveLength(most);
  // The client is notified that the question is cancelled.
  expect(messages.filter(({ method }) => method === "notifications/cancelled")).toHaveLength(most);
  expect(messages.at(-1)).toMatchObject({ id: 1, result: done });
  recordFault("mcp", {
    fault: "A page asks 1,000 questions at once",
    expected: "16 are put, the page is told of the limit",
    observed: "16 are put, the page is told of the limit",
    count: 2000,
  });
});

test("questions that are together larger than a frame are not gathered", async () => {
  const hub = await startHub({ limits: { frameBytes: 100_000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const sent = sendRaw(hub, modern("tools/call", work, { capabilities }));
  const { id } = await page.nextCall();
  page.ack(id);
  const large = JSON.stringify({ message: "x".repeat(60_000), requestedSchema: { type: "object", properties: {} } });
  ask(page, id, { ask: "one", payload: large });
  ask(page, id, { ask: "two", payload: large });
  const { frame } = await page.next("answer");
  expect(frame).toMatchObject({
    ask: "two",
    code: "ask-failed",
    message: expect.stringContaining("frameBytes") as string,
  });
  expect((await sent.whole()).messages).toMatchObject([{ result: { inputRequests: { one: {} } } }]);
});

test.each(revisions)("a question of any name is asked once, and a repeated one not again, in %s", async (revision) => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const client = await connectClient(hub, { revision, capabilities: { elicitation: {} } });
  let asked = 0;
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { asked: String(++asked) } }));
  const names = ["constructor", "toString", "hasOwnProperty", "1", "a.b", "~!@#$%^&*()"];
  for (const [index, name] of names.entries()) {
    const end = client.callTool({ name: "work", arguments: { name } });
    const { id } = await page.nextCall();
    page.ack(id);
    ask(page, id, { ask: name });
    ask(page, id, { ask: name });
    const { frame, payload } = await page.next("answer");
    expect([frame, JSON.parse(payload)]).toMatchObject([{ id, ask: name }, { content: { asked: String(index + 1) } }]);
    page.result(id, plainResult);
    expect(await end).toMatchObject(done);
  }
  expect(asked).toBe(names.length);
});

test("an answer to a question that was never asked, or to another's, reaches no page", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { stateless } = await callers(hub);
  const sessions = [await openSession(hub, { capabilities }), await openSession(hub, { capabilities })];
  const [mine, theirs] = sessions.map((session) => session.request("tools/call", work));
  const { id } = await page.nextCall();
  await page.nextCall();
  page.ack(id);
  ask(page, id);
  const asked = await mine?.next();
  const answer = (to: unknown) => ({ jsonrpc: "2.0", id: to, result: { action: "accept", content: { forged: true } } });
  for (const wrong of [99, -1, "a", "__proto__", 1.5]) {
    for (const session of sessions) expect((await session.send(answer(wrong)).whole()).status).toBeLessThan(500);
  }
  // Each session numbers its own requests.
  await sessions[1]?.send(answer(asked?.id)).whole();
  await sendRaw(hub, { body: answer(asked?.id) }).whole();
  expect(page.received.some(({ frame }) => frame.type === "answer")).toBe(false);
  await sessions[0]?.send(answer(asked?.id)).whole();
  expect((await page.next("answer")).frame).toMatchObject({ id, ask: "a" });
  mine?.hangUp();
  theirs?.hangUp();

  const before = page.calls.length;
  const begun = stateless();
  const call = await page.nextCall();
  page.ack(call.id);
  ask(page, call.id);
  const [message] = (await begun.whole()).messages;
  const params = { ...work, requestState: message?.result?.["requestState"], inputResponses: { b: {} } };
  // The unanswered question is asked again.
  const again = sendRaw(hub, modern("tools/call", params, { capabilities }));
  expect((await again.whole()).messages).toMatchObject([
    { result: { resultType: "input_required", inputRequests: { a: {} } } },
  ]);
  expect(page.calls).toHaveLength(before + 1);
});

const megabyte = 1024 * 1024;

test("clients that never fetch the outcome of a call that asked them cost a bounded amount of memory", async () => {
  const hub = await startHub({ limits: { keyBytes: 8 * megabyte } });
  const page = await connectPage(hub.url, { handle: byHand });
  const states: unknown[] = [];
  const comeBack = async (requestState: unknown) => {
    const params = { ...work, requestState, inputResponses: {} };
    return (await sendRaw(hub, modern("tools/call", params, { capabilities })).whole()).messages[0];
  };
  const before = heldBytes();
  const calls = 40;
  for (let count = 0; count < calls; count++) {
    const sent = sendRaw(hub, modern("tools/call", work, { capabilities }));
    const { id } = await page.nextCall();
    page.ack(id);
    ask(page, id);
    states.push((await sent.whole()).messages[0]?.result?.["requestState"]);
    page.result(id, JSON.stringify({ content: [{ type: "text", text: `${count} ${"x".repeat(2 * megabyte)}` }] }));
    await page.settled();
  }
  // Of 80 MB; the test itself holds little of the calls.
  expect(heldBytes() - before).toBeLessThan(30 * megabyte);
  expect(await comeBack(states[0])).toMatchObject({ error: { data: { reason: "invalid_request_state" } } });
  expect(JSON.stringify(await comeBack(states.at(-1)))).toContain(`${calls - 1} xxx`);
  recordFault("mcp", {
    fault: "Clients that leave 80 MB of outcomes of calls that asked them unfetched",
    expected: "the newest keyBytes of them are kept",
    observed: "the newest keyBytes of them are kept",
    count: calls,
  });
});
