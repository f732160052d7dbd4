import { expect, test } from "vitest";
import { signAgentToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { startCore } from "../core/core.test-helper.ts";
import { callOnce, namesIn, playModel } from "../core/model.test-helper.ts";
import type { ModelTurn } from "../core/model.test-helper.ts";
import { openWindow, offerTools, postTools, readingTool } from "./window.test-helper.ts";

const secret = "s".repeat(40);
const tools = [readingTool("work")];

/** A conversation of the hub's own page, and its window. */
async function startTalk(model: ReturnType<typeof playModel>, options: Parameters<typeof startHub>[0] = {}) {
  const { fetch } = model;
  const hub = await startHub({ ai: { provider: "openai", model: "m", apiKey: "sk-server", fetch }, ...options });
  const token = await signIn(hub, hub.token);
  const page = { origin: hub.url, protocols: ["pagewire.core.1", `pagewire.bearer.${token}`] };
  const client = await startCore(hub.url, page);
  const session = await offerTools(hub, { session_id: client.session, tools }, token);
  expect(session).toBe(client.session);
  const ask = (text: string, more: object = {}) => client.run("send", text, { tools: "page", ...more });
  return { hub, token, page, client, session, ask, connect: () => openWindow(hub, session, { token }) };
}

test("tools sent without a session get a new one each time, in which they can be changed", async () => {
  const hub = await startHub();
  const ids = await Promise.all([offerTools(hub, { tools }), offerTools(hub, { tools })]);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await offerTools(hub, { tools: [], session_id: ids[0] })).toBe(ids[0]);
});

test("who is not signed in, another method, another type and what is no list are refused by name", async () => {
  const hub = await startHub();
  const token = await signIn(hub, hub.token);
  const path = "POST /api/parent-window/tools";
  const body = JSON.stringify({ tools });
  expect(errorOf(await askOwn(hub, path, { body }))).toEqual([401, "token-required"]);
  expect(errorOf(await askOwn(hub, path, { body, token: "x" }))).toEqual([401, "token-invalid"]);
  expect(errorOf(await askOwn(hub, path, { body, token, origin: "https://shop.example" }))).toEqual([
    403,
    "origin-not-allowed",
  ]);
  const plain = { "Content-Type": "text/plain" };
  expect(errorOf(await askOwn(hub, path, { body, token, headers: plain }))).toEqual([400, "request-malformed"]);
  for (const [offer, code] of [
    ["{", "request-malformed"],
    [{ tools: [readingTool("get sales")] }, "name-invalid"],
    [{ tools: [readingTool("x", { parameters: [] })] }, "schema-invalid"],
    [{ tools: [readingTool("x", { parameters: { x: "y".repeat(70_000) } })] }, "schema-too-large"],
    [{ tools: Array.from({ length: 257 }, (_, at) => readingTool(`t${at}`)) }, "offers-too-many"],
  ] as const) {
    expect(errorOf(await postTools(hub, offer, token))).toEqual([400, code]);
  }
  expect(errorOf(await postTools(hub, `{"tools":"${"x".repeat(17_000_000)}"}`, token))).toEqual([
    413,
    "body-too-large",
  ]);
});

test("what the windows of one principal bring is bounded together, and the same window may bring it again", async () => {
  const hub = await startHub({ limits: { offeredBytesPerPrincipal: 5000 } });
  const large = { tools: [readingTool("work", { description: "x".repeat(3000) })] };
  const session_id = await offerTools(hub, large);
  expect(errorOf(await postTools(hub, large))).toEqual([429, "offers-too-large"]);
  expect(await offerTools(hub, { ...large, session_id })).toBe(session_id);
  await offerTools(hub, { tools, session_id });
  expect((await postTools(hub, large)).status).toBe(200);
});

test("a socket without access to a session gets the reason as its close code", async () => {
  const hub = await startHub();
  const session = await offerTools(hub, { tools });
  for (const [id, token, name] of [
    [session, null, "token-required"],
    [session, "wrong", "token-invalid"],
    [session, `pagewire-app.${"x".repeat(43)}`, "token-expired"],
    ["0".repeat(32), hub.token, "session-not-found"],
    ["", hub.token, "session-not-found"],
    [`${session}/x`, hub.token, "session-not-found"],
    ["..%2f..%2fetc", hub.token, "session-not-found"],
  ] as const) {
    const window = await openWindow(hub, id, { token });
    expect([(await window.closed)[0], window.came], `${id} ${token}`).toEqual([name, []]);
    expect((await window.closed)[1]).not.toContain("0".repeat(32));
  }
  expect((await openWindow(hub, session)).protocol).toBe("pagewire.window.1");
  expect((await openWindow(hub, session, { protocols: [] })).protocol).toBe(`pagewire.bearer.${hub.token}`);
});

test("another principal's session is not found, and its id opens another session", async () => {
  const ai = { provider: "openai", model: "m", fetch: callOnce("parent-window_work").fetch } as const;
  const hub = await startHub({ jwt: { secret }, ai });
  const [ada, eve] = await Promise.all(["ada", "eve"].map((subject) => signAgentToken({ secret, subject })));
  const client = await startCore(hub.url, { token: ada ?? "" });
  const session = await offerTools(hub, { tools, session_id: client.session }, ada);
  const stranger = await openWindow(hub, session, { token: eve ?? "" });
  expect((await stranger.closed)[0]).toBe("session-not-found");
  const window = await openWindow(hub, session, { token: ada ?? "" });
  // Eve may use the same session id, but gets a session of her own: nothing of Ada's goes there.
  await offerTools(hub, { tools: [readingTool("steal")], session_id: session }, eve);
  const spy = await openWindow(hub, session, { token: eve ?? "" });
  const answer = client.run("send", "Work", { tools: "page" });
  window.answer(await window.next(), "done");
  expect(await answer).toBe("result: done");
  expect(spy.came).toEqual([]);
  await expect(startCore(hub.url, { token: eve ?? "", session })).rejects.toMatchObject({
    code: "PAGEWIRE_SESSION_UNKNOWN",
  });
});

test("a window's socket is closed when its user signs out, and when the agents' token changes", async () => {
  const { hub, token, connect } = await startTalk(callOnce("parent-window_work"));
  const [first, program] = [await connect(), await openWindow(hub, await offerTools(hub, { tools }))];
  await askOwn(hub, "POST /api/sign-out", { token });
  expect((await first.closed)[0]).toBe("token-expired");
  hub.rotate("another-token");
  expect((await program.closed)[0]).toBe("token-expired");
});

test("an offer that yields takes no conversation from a window whose offer does not, until that window has left", async () => {
  const { hub, token, session, ask, connect } = await startTalk(callOnce("parent-window_work"), {
    limits: { graceTime: 50 },
  });
  const home = { session_id: session, tools: [], yields: true };
  const window = await connect();
  expect(errorOf(await postTools(hub, home, token))).toEqual([409, "tab-replaced"]);
  const answer = ask("Work");
  window.answer(await window.next(), "done");
  expect(await answer).toBe("result: done");
  await window.close();
  await expect.poll(async () => (await postTools(hub, home, token)).status).toBe(200);
  const second = await connect();
  expect((await postTools(hub, { ...home, other_tabs: true }, token)).status).toBe(200);
  await offerTools(hub, { session_id: session, tools }, token);
  const third = await connect();
  expect((await second.closed)[0]).toBe("tab-replaced");
  const again = ask("Work");
  third.answer(await third.next(), "done again");
  expect(await again).toBe("result: done again");
});

test("a call goes from the model through the window and back", async () => {
  const model = callOnce("parent-window_work", { n: 3 });
  const { ask, connect } = await startTalk(model);
  const window = await connect();
  const answer = ask("Work");
  const call = await window.next();
  expect(call).toMatchObject({
    type: "tool_call",
    tool_name: "work",
    arguments: { n: 3 },
    tool_call_id: "call_parent-window_work_0",
  });
  expect(call.left).toBeGreaterThan(29_000);
  window.answer(call, { total: 7 });
  expect(await answer).toBe('result: {"total":7}');
  expect(namesIn(model.requests[0])).toEqual(["parent-window_work"]);
});

test("fifty parallel calls get their own answers, in any order", async () => {
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  const model = playModel(({ body }): ModelTurn => {
    const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
    if (results.length > 0) return { text: results.join() };
    return { calls: numbers.map((n) => ({ name: "parent-window_work", arguments: { n } })) };
  });
  // The model gives all of them the same id except for their index.
  const { ask, connect } = await startTalk(model);
  const window = await connect();
  const answer = ask("Work");
  const calls = [];
  for (const _ of numbers) calls.push(await window.next());
  for (const call of calls.toReversed()) window.answer(call, (call.arguments as { n: number }).n * 2);
  expect(await answer).toBe(numbers.map((n) => n * 2).join());
  expect(new Set(calls.map(({ request_id }) => request_id)).size).toBe(50);
});

test("answers to unknown calls are counted in the metrics", async () => {
  const { hub, ask, connect } = await startTalk(callOnce("parent-window_work"));
  const window = await connect();
  const answer = ask("Work");
  const call = await window.next();
  window.answer({ request_id: "00000000-0000-4000-8000-000000000000" }, "forged");
  window.answer(call, "true");
  window.answer(call, "again");
  expect(await answer).toBe("result: true");
  await expect.poll(() => hub.metric("pagewire_stray_answers_total")).toBe(2);
});

test("stopping the answer withdraws the call in the window", async () => {
  const { client, ask, connect } = await startTalk(callOnce("parent-window_work"));
  const window = await connect();
  const answer = ask("Work");
  const { request_id } = await window.next();
  await client.run("abort");
  expect(await answer).toBeNull();
  expect(await window.next()).toEqual({ type: "tool_cancel", request_id });
});

test("a second window takes over, and the calls that wait", async () => {
  const { ask, connect } = await startTalk(callOnce("parent-window_work"));
  const first = await connect();
  const answer = ask("Work");
  const call = await first.next();
  const second = await connect();
  expect((await first.closed)[0]).toBe("tab-replaced");
  const again = await second.next();
  expect(again.request_id).toBe(call.request_id);
  second.answer(again, "taken over");
  expect(await answer).toBe("result: taken over");
});

test("a window that is cut off and comes back answers the call that it had", async () => {
  const { ask, connect } = await startTalk(callOnce("parent-window_work"));
  const first = await connect();
  const answer = ask("Work");
  const { request_id } = await first.next();
  first.cut();
  await first.closed;
  const second = await connect();
  expect((await second.next()).request_id).toBe(request_id);
  second.answer({ request_id }, "back");
  expect(await answer).toBe("result: back");
});

test("the model gets the true outcome of a call whose window does not come back", async () => {
  const { ask, connect } = await startTalk(callOnce("parent-window_work"), { limits: { graceTime: 20 } });
  const window = await connect();
  const answer = ask("Work");
  await window.next();
  window.cut();
  expect(await answer).toMatch(/^result: \{"error":".*is not known\..*\(outcome-unknown\)"\}$/);
});

test("one principal's windows are bounded; one that lost its socket makes room for another", async () => {
  const hub = await startHub({ limits: { windowsPerPrincipal: 2 } });
  const ids = [await offerTools(hub, { tools }), await offerTools(hub, { tools })];
  const [first] = [await openWindow(hub, ids[0] ?? ""), await openWindow(hub, ids[1] ?? "")];
  expect(errorOf(await postTools(hub, { tools }))).toEqual([429, "windows-too-many"]);
  await first?.close();
  await expect.poll(async () => (await postTools(hub, { tools })).status).toBe(200);
  expect((await (await openWindow(hub, ids[0] ?? "")).closed)[0]).toBe("session-not-found");
});

test("a hub that stops lets a call be answered, then closes the window's socket; the next hub is sent the tools again", async () => {
  const { hub, ask, connect, session } = await startTalk(callOnce("parent-window_work"));
  const window = await connect();
  const answer = ask("Work");
  const call = await window.next();
  const drained = hub.drain();
  window.answer(call, "in time");
  expect(await answer).toBe("result: in time");
  await drained;
  expect(await window.closed).toEqual(["going-away", expect.any(String)]);
  const next = await startHub({ port: hub.port });
  expect((await (await openWindow(next, session)).closed)[0]).toBe("session-not-found");
  expect(await offerTools(next, { tools, session_id: session })).toBe(session);
  const again = await openWindow(next, session);
  expect(again.protocol).toBe("pagewire.window.1");
});

test("the rehearsal model calls the tools of the page that opened the window, asked by the user or by the app", async () => {
  const hub = await startHub();
  const parameters = { type: "object", properties: { days: { type: "number" } } };
  const sales = readingTool("get_sales_data", { description: "Get sales data for date range", parameters });
  const user = readingTool("get_user_info", { description: "Get current user information" });
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [sales, user], session_id: client.session });
  const window = await openWindow(hub, session, { onCall: (call) => window.answer(call, { name: "John Doe" }) });
  const names = () => window.came.map(({ tool_name, arguments: given }) => [tool_name, given]);
  expect(await client.run("send", "What were sales in the last 30 days?", { tools: "page" })).toContain("John Doe");
  expect(names()).toEqual([["get_sales_data", { days: 30 }]]);
  const from = "https://shop.example";
  expect(await client.run("send", "Get my user information", { tools: "page", from })).toContain("John Doe");
  expect(names().slice(1)).toEqual([["get_user_info", {}]]);
});
