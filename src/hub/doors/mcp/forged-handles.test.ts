import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { ModernOptions, RpcMessage } from "./test-support/raw-mcp.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const work = { name: "work", arguments: {} };
const done = JSON.parse(plainResult) as object;
const unknownSession = [404, "Session not found. Initialize a new one."];

/** A hub with many principals, a page of ann's, and a connect function for each principal. */
async function startForTwo(): Promise<{ readonly page: TestPage; readonly ann: Door; readonly bob: Door }> {
  const hub = await startHub({ jwt: { secret } });
  const token = await signPageToken({ secret, subject: "ann" });
  const page = await connectPage(hub.url, { token, handle: byHand });
  const as = async (subject: string) => ({ url: hub.url, token: await signAgentToken({ secret, subject }) });
  return { page, ann: await as("ann"), bob: await as("bob") };
}

interface Door {
  readonly url: string;
  readonly token: string;
}

test("an id of a session that is forged, closed, another principal's or another address's opens nothing", async () => {
  const { page, ann, bob } = await startForTwo();
  const session = await openSession(ann);
  const ofTab = await openSession(ann, { path: `/mcp/tabs/${page.tabId}` });
  const closed = await openSession(ann);
  await sendRaw(ann, { method: "DELETE", headers: closed.headers }).whole();
  const { id } = session;
  const forged = [
    crypto.randomUUID(),
    id.toUpperCase(),
    id.slice(1),
    `${id}0`,
    `${id}, ${id}`,
    `"${id}"`,
    "__proto__",
    "x".repeat(8000),
  ];
  const attempts = [
    ...[...forged, closed.id, ofTab.id].map((wrong) => ({ door: ann, id: wrong })),
    ...[id, ofTab.id].map((right) => ({ door: bob, id: right })),
  ];
  for (const attempt of attempts) {
    const headers = { ...session.headers, "Mcp-Session-Id": attempt.id };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: work };
    for (const method of ["POST", "GET", "DELETE"]) {
      const sent = sendRaw(attempt.door, { method, headers, ...(method === "POST" ? { body } : {}) });
      const { status, messages } = await sent.whole();
      expect([status, messages[0]?.error?.message], attempt.id).toEqual(unknownSession);
    }
  }
  expect(page.calls).toEqual([]);
  // Nothing has closed it.
  expect((await session.request("tools/list").whole()).status).toBe(200);
  recordFault("mcp", {
    fault: "Ids of sessions that are forged, closed, of another principal or of another address",
    expected: "404, nothing runs, the session lives",
    observed: "404, nothing runs, the session lives",
    count: attempts.length * 3,
  });
});

test("a session ends when it was idle for `mcpSessionTime`, but not while its client listens or waits", async () => {
  const hub = await startHub({ limits: { mcpSessionTime: 3000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const [idle, listening, waiting] = [await openSession(hub), await openSession(hub), await openSession(hub)];
  const stream = listening.listen();
  const sent = waiting.request("tools/call", work);
  const call = await page.nextCall();
  // Only the two that are in use.
  await expect.poll(() => hub.metric("pagewire_agents")).toBe(2);
  expect((await idle.request("tools/list").whole()).status).toBe(404);
  page.result(call.id, plainResult);
  expect((await sent.whole()).messages).toMatchObject([{ result: done }]);
  expect((await listening.request("tools/list").whole()).status).toBe(200);
  stream.hangUp();
  await expect.poll(() => hub.metric("pagewire_agents")).toBe(0);
  expect((await listening.request("tools/list").whole()).status).toBe(404);
});

test("the session of a replaced credential has ended", async () => {
  const hub = await startHub();
  const session = await openSession({ url: hub.url, token: hub.token });
  hub.rotate("another-token");
  expect((await session.request("tools/list").whole()).status).toBe(401);
  const { status } = await sendRaw(
    { url: hub.url, token: "another-token" },
    { headers: session.headers, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
  ).whole();
  expect(status).toBe(404);
});

const question = '{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}';
const asking = { capabilities: { elicitation: {} } };
const answers = { sure: { action: "accept", content: {} } };

/** Starts a call whose page asks a question; resolves with the state that the client must send back. */
async function stateOf(
  door: Door,
  page: TestPage,
  options: ModernOptions = asking,
): Promise<{ state: string; id: string }> {
  const sent = sendRaw(door, modern("tools/call", work, options));
  const { id } = await page.nextCall();
  page.ack(id);
  page.send({ type: "ask", id, ask: "sure", method: "elicitation/create" }, question);
  const [message] = (await sent.whole()).messages;
  expect(message?.result).toMatchObject({ resultType: "input_required", inputRequests: { sure: {} } });
  return { state: String(message?.result?.["requestState"]), id };
}

interface ComeBack extends ModernOptions {
  readonly name?: string;
}

/** Sends the answers for a waiting call, with this state. */
async function comeBack(
  door: Door,
  requestState: unknown,
  { name = "work", ...options }: ComeBack = {},
): Promise<RpcMessage | undefined> {
  const params = { ...work, name, requestState, inputResponses: answers };
  return (await sendRaw(door, modern("tools/call", params, { id: 2, ...asking, ...options })).whole()).messages[0];
}

const refused = { error: { code: -32_602, data: { reason: "invalid_request_state" } } };

test("a state that was changed in any way, or is another principal's, client's or tool's, is refused", async () => {
  const { page, ann, bob } = await startForTwo();
  const { state, id } = await stateOf(ann, page);
  const { state: other } = await stateOf(ann, page);
  const flipped = Array.from({ length: state.length }, (_, at) => {
    const letter = state[at] === "A" ? "B" : "A";
    return state.slice(0, at) + letter + state.slice(at + 1);
  });
  const [version, body, mac] = state.split(".");
  const [, otherBody, otherMac] = other.split(".");
  const decoded = Buffer.from(body ?? "", "base64url").toString();
  const forged = decoded.replace(/"exp":\d+/, '"exp":9999999999');
  const swapped = [
    `${version}.${body}.${otherMac}`,
    `${version}.${otherBody}.${mac}`,
    `v2.${body}.${mac}`,
    `${version}.${Buffer.from(forged).toString("base64url")}.${mac}`,
    `${version}.${body}.`,
    `${version}.${body}`,
    `${version}..${mac}`,
    `${state}.${mac}`,
    state + state,
    "",
    "x",
    "v1.",
  ];
  const wrong = [...flipped.filter((_, at) => at % 7 === 0), ...swapped, 5, {}, [state], null];
  for (const requestState of wrong)
    expect(await comeBack(ann, requestState), JSON.stringify(requestState)).toMatchObject(refused);
  expect(await comeBack(bob, state)).toMatchObject(refused);
  expect(await comeBack(ann, state, { client: "another" })).toMatchObject(refused);
  expect(await comeBack(ann, state, { path: `/mcp/tabs/${page.tabId}` })).toMatchObject(refused);
  expect(await comeBack(ann, state, { name: "other" })).toMatchObject(refused);
  expect(page.received.some(({ frame }) => frame.type === "answer")).toBe(false);
  // The call still waits for its own client.
  const last = comeBack(ann, state);
  expect((await page.next("answer")).frame).toMatchObject({ id, ask: "sure" });
  page.result(id, plainResult);
  expect(await last).toMatchObject({ id: 2, result: done });
  recordFault("mcp", {
    fault:
      "States of waiting calls with flipped bits, swapped parts, or from another principal, client, address or tool",
    expected: "refused, the call waits for its own client",
    observed: "refused, the call waits for its own client",
    count: wrong.length + 4,
  });
});

test("the same answers twice reach the page once, and after the end there is its outcome or a refusal, never a run", async () => {
  const hub = await startHub({ limits: { twinTime: 2000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const { state, id } = await stateOf(hub, page);
  const both = [comeBack(hub, state), comeBack(hub, state)];
  await page.next("answer");
  page.result(id, plainResult);
  for (const message of await Promise.all(both)) expect(message).toMatchObject({ result: done });
  expect(await comeBack(hub, state)).toMatchObject({ result: done });
  await expect.poll(() => comeBack(hub, state)).toMatchObject(refused);
  expect(page.received.filter(({ frame }) => frame.type === "answer")).toHaveLength(1);
  expect(page.calls).toHaveLength(1);
});

test("a state that another hub signed is refused", async () => {
  const hubs: TestHub[] = [await startHub(), await startHub()];
  const states = [];
  for (const hub of hubs) states.push(await stateOf(hub, await connectPage(hub.url, { handle: byHand })));
  for (const [index, hub] of hubs.entries()) {
    expect(await comeBack(hub, states[1 - index]?.state)).toMatchObject(refused);
  }
});

test("an idempotency key of a wrong form is refused in both eras, and a right one holds in both", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const session = await openSession(hub);
  const keyed = (key: unknown) => [{ idempotencyKey: key }, { _meta: { "pagewire/idempotencyKey": key } }];
  // The hub ignores unknown fields.
  const forms = [{}, { aside: true }];
  const wrong = [5, true, {}, [], "", "a b", "\n", "x".repeat(129), "\u00e9"];
  for (const key of wrong) {
    for (const params of keyed(key).flatMap((how) => forms.map((more) => ({ ...work, ...more, ...how })))) {
      const { _meta: meta = {}, ...rest } = params as { _meta?: object; name: string };
      for (const sent of [sendRaw(hub, modern("tools/call", rest, { meta })), session.request("tools/call", params)]) {
        expect((await sent.whole()).messages, JSON.stringify(params)).toMatchObject([{ error: { code: -32_602 } }]);
      }
    }
  }
  expect(page.calls).toEqual([]);
  // The first use of a key decides its meaning; after that the call is never run again.
  for (const [index, first] of forms.entries()) {
    for (const more of [first, ...forms]) {
      const params = { ...work, ...more, idempotencyKey: `key-${index}` };
      for (const sent of [session.request("tools/call", params), sendRaw(hub, modern("tools/call", params))]) {
        expect((await sent.whole()).messages).toMatchObject([{ result: done }]);
      }
    }
    expect(page.calls).toHaveLength(index + 1);
  }
});

test("a session has one notification stream, and only its own session can resume it", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const [mine, theirs] = [await openSession(hub), await openSession(hub)];
  const sent = mine.request("tools/call", { ...work, _meta: { progressToken: "t" } });
  const call = await page.nextCall();
  page.ack(call.id);
  page.send({ type: "progress", id: call.id, progress: 1, message: "mine" });
  const { id: eventId = "" } = (await sent.nextEvent()) ?? {};
  expect(eventId).not.toBe("");

  const first = mine.listen();
  await new Promise((resolve) => first.request.once("response", resolve));
  expect((await mine.listen().whole()).status).toBe(409);
  const [prefix = "", stream = "", sequence = ""] = eventId.split(".");
  const forged = [
    eventId,
    `${prefix}.${stream}.0`,
    `${prefix}.99.${sequence}`,
    `${crypto.randomUUID()}.1.1`,
    "x",
    "..",
    "1.1.1",
  ];
  for (const [index, lastEventId] of forged.entries()) {
    const headers = { "Last-Event-ID": lastEventId };
    const answers = [await theirs.listen(headers).whole(), ...(index > 0 ? [await mine.listen(headers).whole()] : [])];
    for (const { status, text } of answers) {
      expect([status, text.includes("mine")], lastEventId).toEqual([400, false]);
    }
  }
  // While its first client reads, no other client can take over.
  expect((await mine.listen({ "Last-Event-ID": eventId }).whole()).status).toBe(409);
  page.result(call.id, plainResult);
  expect((await sent.whole()).messages.at(-1)).toMatchObject({ result: done });
});
