// Mallory has valid tokens of her own, and wants Alice's tabs, calls, sessions, keys and terminals, or to be Alice.
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import type { CallEnd } from "../../../src/hub/test-support/agent.test-helper.ts";
import { delegate, openTerminal, askTerminals } from "../../../src/hub/doors/delegate/delegate.test-helper.ts";
import { modern, openSession, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { errorOf } from "../../../src/hub/test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, openPage, plainResult } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage, TestPageOptions } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { besiegeHub } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

type Door = Awaited<ReturnType<BesiegedHub["door"]>>;

let besieged: BesiegedHub;
let url: string;
/** The endpoints of Alice's and Mallory's agents. */
let alice: Door;
let mallory: Door;

beforeEach(async () => {
  besieged = await besiegeHub();
  url = besieged.hub.url;
  [alice, mallory] = [await besieged.door("alice"), await besieged.door("mallory")];
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

async function pageOf(person: string, options: TestPageOptions = {}): Promise<TestPage> {
  return connectPage(url, { token: await besieged.pageToken(person), ...options });
}

const codeOf = ({ frame }: CallEnd) => ("code" in frame ? frame.code : frame.type);
const codeIn = (text: string) => (JSON.parse(text) as { error?: { code?: string } }).error?.code;

test("H22, DL36: another tenant's tab, session, terminal, stream and key open nothing, by any door", async () => {
  const page = await pageOf("alice");
  const tab = page.tabId;
  const session = await openSession(alice);
  const terminal = await openTerminal(alice, tab);
  const key = { "Idempotency-Key": "one-key" };
  expect((await callTool(alice, "work", { headers: key })).status).toBe(200);
  const [before, tally] = [
    page.calls.length,
    startTally("tenants", "a valid token with another tenant's tab, session, terminal, stream or key", "not there"),
  ];
  const byHttp = async (tool: string, call: Parameters<typeof callTool>[2]) =>
    codeIn((await callTool(mallory, tool, call)).text);
  tally.add("a tab in a header", await byHttp("work", { headers: { "Pagewire-Tab": tab } }), "tab-not-found");
  tally.add("a key that was used", await byHttp("work", { headers: key }), "tool-not-found");
  const aimed = JSON.stringify({ tabId: tab, name: "work", arguments: {} });
  tally.add("a tab for a tool of the hub", await byHttp("call_tab_tool", { body: aimed }), "tab-not-found");
  tally.add("the list of tabs", (await callTool(mallory, "list_browser_tabs")).text.includes(tab), false);
  const agent = await connectAgent(url, { token: mallory.token });
  tally.add("a tab in a frame", codeOf(await agent.call("work", { id: "1", tab })), "tab-not-found");
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "work", arguments: {} } };
    const sent = sendRaw(mallory, { method, headers: session.headers, ...(method === "POST" ? { body } : {}) });
    tally.add(`a session, ${method}`, (await sent.whole()).status, 404);
  }
  const ofTab = await sendRaw(mallory, modern("tools/list", {}, { path: `/mcp/tabs/${tab}` })).whole();
  tally.add("a tab's own door", [ofTab.text.includes("work"), ofTab.text.includes("error")], [false, true]);
  for (const asked of [`POST /api/terminals/${terminal.id}/attach`, `DELETE /api/terminals/${terminal.id}`])
    tally.add(asked, errorOf(await askTerminals(mallory, asked, { tab })), [404, "terminal-not-found"]);
  const own = await openTerminal(mallory);
  tally.add(
    "its tab for an own terminal",
    errorOf(await askTerminals(mallory, `POST /api/terminals/${own.id}/attach`, { tab })),
    [404, "tab-not-found"],
  );
  for (const browser_id of [terminal.id, tab])
    tally.add("a terminal as the own", (await delegate(mallory, own, { fields: { browser_id } })).status, 403);
  await page.settled();
  expect(page.calls).toHaveLength(before);
  expect((await session.request("tools/list").whole()).status).toBe(200);
  expect((await delegate(alice, terminal)).status).toBe(200);
  tally.close();
});

test("H22: a call is answered by its own page alone, and cancelled by its own caller alone, whatever others send", async () => {
  const [page, hostile] = [
    await pageOf("alice", { tab: "same", handle: byHand }),
    await pageOf("mallory", { tab: "same" }),
  ];
  const [agent, stranger] = [
    await connectAgent(url, { token: alice.token, session: "same" }),
    await connectAgent(url, { token: mallory.token, session: "same" }),
  ];
  const tally = startTally(
    "tenants",
    "frames for another tenant's call: ack, progress, log, question, result, failure, cancel",
    "heard by nobody",
  );
  const forged = (id: string): readonly { readonly type: string; readonly [field: string]: unknown }[] => [
    { type: "ack", id },
    { type: "progress", id, progress: 1, message: "stolen" },
    { type: "log", id, level: "error", logger: "stolen" },
    { type: "ask", id, ask: "stolen", method: "elicitation/create" },
    { type: "result", id },
    { type: "failure", id, outcome: "rejected", ran: "no", code: "stolen", message: "stolen" },
  ];
  for (let round = 0; round < 20; round++) {
    const end = agent.call("work", { id: "1" });
    const { id } = await page.nextCall();
    const frames = forged(id);
    for (const frame of frames) hostile.send(frame, '"stolen"');
    for (const wrong of ["1", id]) stranger.send({ type: "cancel", id: wrong });
    await Promise.all([hostile.settled(), stranger.settled()]);
    page.ack(id);
    page.result(id, plainResult);
    const outcome = (await end).payload === plainResult ? "heard by nobody" : "forged";
    for (const { type } of [...frames, { type: "cancel" }, { type: "cancel" }]) tally.add(type, outcome);
  }
  expect(JSON.stringify(agent.received)).not.toContain("stolen");
  expect(page.received.some(({ frame }) => frame.type === "cancel")).toBe(false);
  expect(page.tabId).not.toBe(hostile.tabId);
  tally.close();
});

/** Claims to be Alice, in every field that a server might trust. */
const claims = {
  principal: "alice",
  subject: "alice",
  sub: "alice",
  user: "alice",
  userId: "alice",
  tenant: "alice",
  credential: "alice",
  scope: "admin operator.admin",
  scopes: ["admin"],
  role: "admin",
  roles: ["admin"],
  isAdmin: true,
  admitted: { principal: "alice" },
  budgets: { callRatePerPrincipal: 1e9 },
  aud: ["pagewire:terminal", "pagewire:agent", "pagewire:page"],
};

const headers = {
  "X-User": "alice",
  "X-User-Id": "alice",
  "X-Forwarded-User": "alice",
  "X-Forwarded-For": "127.0.0.1",
  "X-Forwarded-Host": "evil.example",
  "X-Forwarded-Proto": "https",
  "Remote-User": "alice",
  "X-Remote-User": "alice",
  "X-Auth-Request-User": "alice",
  "X-Principal": "alice",
  "Pagewire-Principal": "alice",
  "X-Original-Url": "/metrics",
  "X-HTTP-Method-Override": "DELETE",
  Cookie: "principal=alice; user=alice; role=admin",
};

test("H22: whom a frame, a request or a header says that its sender is, and what it may do, is passed over", async () => {
  const page = await pageOf("alice", { tools: ["secrets"] });
  const tally = startTally(
    "tenants",
    "another principal, scope, role or user in a frame, a request, a header or a cookie",
    "passed over",
  );
  const expectOwn = (name: string, code: unknown) => tally.add(name, code === "tool-not-found" ? "passed over" : code);
  for (const [name, value] of Object.entries({ ...claims, all: claims })) {
    const claim = name === "all" ? claims : { [name]: value };
    const hostile = await openPage(url);
    hostile.send({ ...helloOf({ tab: "hostile", token: await besieged.pageToken("mallory") }), ...claim });
    expect(await hostile.verdict()).toBe("welcome");
    for (const type of ["tab", "resumed", "heartbeat"]) hostile.send({ type, ...claim });
    const agent = await openAgent(url);
    agent.send({ ...agentHelloOf({ token: mallory.token }), ...claim });
    expect(await agent.verdict()).toBe("welcome");
    agent.send({ type: "watch", on: true, ...claim });
    agent.send({ type: "list", id: "list", what: "tabs", ...claim });
    tally.add(`${name}, list`, (await agent.next("listing")).payload.includes(page.tabId) ? "believed" : "passed over");
    expectOwn(`${name}, call`, codeOf(await agent.call("secrets", { id: "1", ...claim })));
    expectOwn(`${name}, arguments`, codeIn((await callTool(mallory, "secrets", { body: JSON.stringify(claim) })).text));
    const query = new URLSearchParams(Object.entries(claim).map(([field, one]) => [field, JSON.stringify(one)]));
    expectOwn(`${name}, query`, codeIn((await callTool(mallory, `secrets?${query}`)).text));
    const params = { name: "secrets", arguments: {}, ...claim };
    const byMcp = await sendRaw(mallory, modern("tools/call", params, { meta: claim })).whole();
    tally.add(
      `${name}, MCP`,
      byMcp.text.includes('"result":{"content":[{"type":"text","text":"done"') ? "believed" : "passed over",
    );
    for (const peer of [hostile, agent]) peer.socket.terminate();
  }
  for (const [name, value] of Object.entries(headers))
    expectOwn(name, codeIn((await callTool(mallory, "secrets", { headers: { [name]: value } })).text));
  expectOwn("all headers", codeIn((await callTool(mallory, "secrets", { headers })).text));
  await page.settled();
  expect(page.calls).toEqual([]);
  expect((await callTool(alice, "secrets")).status).toBe(200);
  tally.close();
});

test("H22: a second hello, with another's token or by another's page, changes nothing of who a socket is", async () => {
  const page = await pageOf("alice", { tools: ["secrets"] });
  const hostile = await pageOf("mallory", { tab: "2", tools: ["own"] });
  hostile.send(helloOf({ token: await besieged.pageToken("alice") }));
  const agent = await connectAgent(url, { token: mallory.token });
  agent.send(agentHelloOf({ token: alice.token }));
  await hostile.settled();
  const tally = startTally(
    "tenants",
    "a second hello on a socket that is known, with another's stolen token",
    "passed over",
  );
  tally.add("an agent's", codeOf(await agent.call("secrets", { id: "1" })), "tool-not-found");
  tally.add("a page's", (await callTool(alice, "own")).status, 404);
  expect((await agent.call("own", { id: "2" })).frame.type).toBe("result");
  expect([page.calls.length, hostile.calls.length]).toEqual([0, 1]);
  tally.close();
});
