import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawSession } from "./test-support/raw-mcp.test-helper.ts";

afterEach(() => void vi.useRealTimers());

const work = { name: "work", arguments: {} };

/** The session's answer to a ping: undefined while the session exists. */
async function refusalOf(session: RawSession, headers: Readonly<Record<string, string>> = {}) {
  const ping = { jsonrpc: "2.0", id: 9, method: "ping" };
  const { status, messages } = await session.send(ping, headers).whole();
  return status === 200 ? undefined : { status, code: messages[0]?.error?.code };
}

const notFound = { status: 404, code: -32001 };

test("M35: a session ends when its client deletes it, with its streams and its calls", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const session = await openSession(hub);
  const stream = session.listen();
  await once(stream.request, "response");
  const running = session.request("tools/call", { ...work, _meta: { progressToken: 1 } }, 1);
  const call = await page.nextCall();
  call.progress(1);
  await running.next();
  const quiet = session.request("tools/call", work, 2);
  const quietCall = await page.nextCall();
  const { status } = await sendRaw(hub, { method: "DELETE", headers: session.headers }).whole();
  expect(status).toBe(200);
  expect(await stream.next()).toBeUndefined();
  await Promise.all([call.cancelled, quietCall.cancelled, running.whole(), quiet.whole()]);
  expect(await refusalOf(session)).toEqual(notFound);
  expect((await sendRaw(hub, { method: "DELETE", headers: session.headers }).whole()).status).toBe(404);
  expect((await session.listen().whole()).status).toBe(404);
});

test("M35: a session that is unused for mcpSessionTime ends; an open stream or call is a use", async () => {
  const hub = await startHub({ limits: { mcpSessionTime: 30_000 } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const page = await connectMcpPage(hub);
  const [idle, listening, calling] = [await openSession(hub), await openSession(hub), await openSession(hub)];
  const stream = listening.listen();
  await once(stream.request, "response");
  const running = calling.request("tools/call", work);
  const call = await page.nextCall();
  vi.advanceTimersByTime(30_000);
  expect(await refusalOf(idle)).toEqual(notFound);
  expect(await refusalOf(listening)).toBeUndefined();
  call.say("done");
  expect((await running.whole()).messages[0]?.result).toMatchObject({ content: [{ text: "done" }] });
  expect(await refusalOf(calling)).toBeUndefined();
});

test("M35: past the limit mcpSessions, the session that was not used for longest makes room for a new one", async () => {
  const hub = await startHub({ limits: { mcpSessions: 2 } });
  const [first, second] = [await openSession(hub), await openSession(hub)];
  expect(await refusalOf(first)).toBeUndefined();
  const third = await openSession(hub);
  expect(await refusalOf(second)).toEqual(notFound);
  for (const session of [first, third]) expect(await refusalOf(session)).toBeUndefined();
});

test("M35: past the limit mcpSessionsPerPrincipal, a principal's own session makes room, and no other's", async () => {
  const secret = "s".repeat(40);
  const hub = await startHub({ jwt: { secret }, limits: { mcpSessionsPerPrincipal: 1 } });
  const as = async (subject: string) => ({ url: hub.url, token: await signAgentToken({ secret, subject }) });
  const [ann, bob] = [await as("ann"), await as("bob")];
  const [anns, first, second] = [await openSession(ann), await openSession(bob), await openSession(bob)];
  expect(await refusalOf(first)).toEqual(notFound);
  for (const session of [anns, second]) expect(await refusalOf(session)).toBeUndefined();
});

test("M35: a session in which a call runs makes no room while another is idle", async () => {
  const hub = await startHub({ limits: { mcpSessions: 2 } });
  const page = await connectMcpPage(hub);
  const calling = await openSession(hub);
  const running = calling.request("tools/call", work);
  const call = await page.nextCall();
  const idle = await openSession(hub);
  expect(await refusalOf(idle)).toBeUndefined();
  const third = await openSession(hub);
  expect(await refusalOf(idle)).toEqual(notFound);
  call.say("done");
  expect((await running.whole()).messages[0]?.result).toMatchObject({ content: [{ text: "done" }] });
  for (const session of [calling, third]) expect(await refusalOf(session)).toBeUndefined();
});

test("M35: what is no beginning of a session is refused, and begins none", async () => {
  const hub = await startHub();
  const agents: number[] = [];
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  for (const body of [{}, ping, initialize, [initialize], { ...initialize, id: null }, 1, []]) {
    const { status, headers } = await sendRaw(hub, { body }).whole();
    expect([status, headers["mcp-session-id"]], JSON.stringify(body)).toEqual([400, undefined]);
    agents.push(await hub.metric("pagewire_agents"));
  }
  expect(new Set(agents).size).toBe(1);
});

test("M36: a session is found only under its own id and at its own address", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const other = await connectMcpPage(hub, { tab: "2" });
  const [ofAll, ofTab] = [await openSession(hub), await openSession(hub, { path: `/mcp/tabs/${page.tabId}` })];
  const at = async (session: RawSession, path: string) => {
    const body = { jsonrpc: "2.0", id: 9, method: "ping" };
    return (await sendRaw(hub, { path, headers: session.headers, body }).whole()).status;
  };
  expect(await at(ofAll, "/mcp")).toBe(200);
  expect(await at(ofTab, `/mcp/tabs/${page.tabId}`)).toBe(200);
  expect(await at(ofAll, `/mcp/tabs/${page.tabId}`)).toBe(404);
  expect(await at(ofTab, "/mcp")).toBe(404);
  expect(await at(ofTab, `/mcp/tabs/${other.tabId}`)).toBe(404);
  for (const id of ["x", ofAll.id.toUpperCase(), `${ofAll.id} `.trim().slice(1)]) {
    expect(await refusalOf(ofAll, { "Mcp-Session-Id": id }), id).toEqual(notFound);
  }
});

test("M36: the id of a session is no credential: without a token, or with a wrong one, it is 401 and nothing runs", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.say("done") });
  const session = await openSession(hub);
  const call = { jsonrpc: "2.0", id: 9, method: "tools/call", params: work };
  const requests = [{ body: call }, { method: "GET" }, { method: "DELETE" }];
  for (const Authorization of ["", "Bearer wrong", `Bearer ${session.id}`]) {
    for (const request of requests) {
      const { status, text } = await sendRaw(hub, {
        ...request,
        headers: { ...session.headers, Authorization },
      }).whole();
      expect([status, text.includes("done")], `${request.method} ${Authorization}`).toEqual([401, false]);
    }
  }
  expect(page.calls).toEqual([]);
  expect((await session.send(call).whole()).messages[0]?.result).toMatchObject({ content: [{ text: "done" }] });
  expect(page.calls).toHaveLength(1);
});

test("M36: another principal never finds a session, whatever it sends", async () => {
  const secret = "a-secret-of-at-least-32-characters";
  const jwt = await startHub({ jwt: { secret } });
  const hubOf = async (subject: string): Promise<TestHub> => ({
    ...jwt,
    token: await signAgentToken({ secret, subject }),
  });
  const [ann, bob] = [await hubOf("ann"), await hubOf("bob")];
  const session = await openSession(ann);
  const ping = { jsonrpc: "2.0", id: 9, method: "ping" };
  expect((await sendRaw(bob, { headers: session.headers, body: ping }).whole()).status).toBe(404);
  expect((await sendRaw(bob, { method: "GET", headers: session.headers }).whole()).status).toBe(404);
  expect((await sendRaw(bob, { method: "DELETE", headers: session.headers }).whole()).status).toBe(404);
  expect(await refusalOf(session)).toBeUndefined();
  // A new token of the same principal works like the old one.
  expect((await sendRaw(await hubOf("ann"), { headers: session.headers, body: ping }).whole()).status).toBe(200);
});

test("M37: when the hub's token changes, every open stream, call and session of the old one ends", async () => {
  const hub = await startHub({ limits: { cutTime: 10 } });
  const page = await connectMcpPage(hub);
  const session = await openSession(hub);
  const streams = [
    session.listen(),
    sendRaw(hub, modern("subscriptions/listen", { notifications: { toolsListChanged: true } })),
  ];
  await Promise.all(streams.map(({ request }) => once(request, "response")));
  const calls = [session.request("tools/call", work), sendRaw(hub, modern("tools/call", work))];
  await Promise.all([page.nextCall(), page.nextCall()]);
  const ends = [...streams, ...calls].map((exchange) => exchange.whole());
  const old = { Authorization: `Bearer ${hub.token}` };
  hub.rotate("another-token-of-this-test");
  for (const { status, reason } of (await Promise.allSettled(ends)) as { status: string; reason?: Error }[])
    expect([status, reason?.message]).toEqual(["rejected", expect.stringMatching(/aborted|hang up/)]);
  expect(await refusalOf(session, old)).toMatchObject({ status: 401 });
  expect(await refusalOf(session)).toEqual(notFound);
  expect((await (await connectClient(hub)).listTools()).tools).toHaveLength(4);
});

test("M37: a standing stream ends when the token that opened it does", async () => {
  const secret = "a-secret-of-at-least-32-characters";
  const jwt = await startHub({ jwt: { secret } });
  const hub = { ...jwt, token: await signAgentToken({ secret, subject: "ann", expiresIn: 4 }) };
  await connectMcpPage(jwt, { token: await signPageToken({ secret, subject: "ann" }) });
  const session = await openSession(hub);
  const streams = [
    session.listen(),
    sendRaw(hub, modern("subscriptions/listen", { notifications: { toolsListChanged: true } })),
  ];
  await Promise.all(streams.map(({ request }) => once(request, "response")));
  for (const stream of streams) await expect(stream.whole()).rejects.toThrow();
});

test("M38: each revision is agreed to; to one that the hub does not know it answers with the newest that has sessions", async () => {
  const hub = await startHub();
  const asked = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1999-01-01", "x"];
  const agreed = [];
  for (const protocolVersion of asked) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const { messages } = await sendRaw(hub, { body: { jsonrpc: "2.0", id: 1, method: "initialize", params } }).whole();
    agreed.push(messages[0]?.result?.["protocolVersion"]);
  }
  expect(agreed).toEqual([...asked.slice(0, 4), "2025-11-25", "2025-11-25", "2025-11-25"]);
});

test("M38: a session's requests may leave their revision out, or name another that has sessions; all others are refused", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: (call) => call.say("done") });
  for (const method of ["ping", "tools/call"]) {
    for (const [version, status] of [
      ["", 200],
      ["2025-11-25", 200],
      ["2025-06-18", 200],
      ["1999-01-01", 400],
      ["x", 400],
    ] as const) {
      const session = await openSession(hub);
      const body = { jsonrpc: "2.0", id: 9, method, params: method === "ping" ? {} : work };
      const answer = await session.send(body, { "MCP-Protocol-Version": version }).whole();
      expect([answer.status, "result" in (answer.messages.at(-1) ?? {})], `${method} ${version}`).toEqual([
        status,
        status === 200,
      ]);
    }
  }
});

test("M38: several messages in one are taken in sessions of the revisions that had that, and nowhere else", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: (call) => call.say("done") });
  const batch = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: work }));
  for (const version of ["2025-03-26", "2024-11-05"]) {
    const { messages } = await (await openSession(hub, { version })).send(batch).whole();
    expect(messages.map(({ id }) => id)).toEqual([1, 2]);
  }
  for (const version of ["2025-11-25", "2025-06-18"]) {
    const { status, messages } = await (await openSession(hub, { version })).send(batch).whole();
    expect([status, messages[0]?.error?.code]).toEqual([400, -32600]);
  }
  expect((await sendRaw(hub, { ...modern("tools/list", {}), body: batch }).whole()).status).toBe(400);
});

test("M38: a request of 2026-07-28 that names another revision in its header, or none, is refused", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  for (const version of ["", "2025-11-25", "2027-01-01"]) {
    const headers = { "MCP-Protocol-Version": version };
    const { status, error } = await askOnce({ hub, revision: "2026-07-28", headers }, "tools/call", work);
    expect([status, error?.code], version).toEqual([400, -32020]);
  }
  for (const header of ["Mcp-Method", "Mcp-Name"]) {
    for (const value of ["", "other"]) {
      const { status, error } = await askOnce(
        { hub, revision: "2026-07-28", headers: { [header]: value } },
        "tools/call",
        work,
      );
      expect([status, error?.code], header).toEqual([400, -32020]);
    }
  }
  expect(page.calls).toEqual([]);
});
