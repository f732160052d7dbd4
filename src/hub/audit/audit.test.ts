import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { delegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { connectClient, revisions } from "../doors/mcp/test-support/mcp-client.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { createAuditedStore } from "./test-support/audited.test-helper.ts";

const key = "audit-key-of-this-test";

/** A hub with a readable audit; close the hub to get all of it. */
async function startAudited(options: Parameters<typeof startHub>[0] = {}) {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store, audit: { key }, ...options });
  return { hub, store };
}

const digestOf = (text: string) => createHmac("sha256", key).update(text).digest("hex");

test("a call's record says who called what, where, through which door, with what outcome, and digests of the rest", async () => {
  const { hub, store } = await startAudited();
  const { tabId: tab } = await connectPage(hub.url);
  const given = '{"city":"Köln"}';
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const headers = { "User-Agent": "curl/8", "Idempotency-Key": "key-1", traceparent };
  const { status } = await callTool(hub, "work", { body: given, headers });
  expect(status).toBe(200);
  await hub.close();
  const [record] = store.added.filter(({ kind }) => kind === "call");
  expect(record).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    kind: "call",
    call: expect.stringMatching(/^\w+\.\w+$/),
    principal: "local",
    agent: "curl/8",
    door: "http",
    tab,
    origin: shop,
    app: "shop",
    name: "work",
    definition: expect.stringMatching(/^[0-9a-f]{64}$/),
    argumentsDigest: digestOf(given),
    argumentsBytes: Buffer.byteLength(given),
    resultDigest: digestOf(plainResult),
    resultBytes: plainResult.length,
    outcome: "ok",
    ran: "yes",
    milliseconds: expect.any(Number),
    decidedBy: "not-asked",
    key: digestOf("key-1"),
    trace,
    steps: { sent: expect.any(Number), acked: expect.any(Number), ended: expect.any(Number) },
  });
  expect(JSON.stringify(store.added)).not.toMatch(/Köln|key-1|agents-token/);
});

test("a refused call has a record, too, and so has one that repeats another, one under another name, and one that was cancelled", async () => {
  const { hub, store } = await startAudited();
  const { tabId } = await connectPage(hub.url);
  await callTool(hub, "none");
  const headers = { "Idempotency-Key": "k" };
  for (const _ of [1, 2]) await callTool(hub, "work", { headers });
  await callTool(hub, "call_tab_tool", { body: JSON.stringify({ tabId, name: "work" }) });
  await callTool(hub, "list_browser_tabs");
  const page = await connectPage(hub.url, { tab: "tab-2", app: "slow", tools: ["slow"], handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const end = agent.call("slow", { id: "1" });
  page.ack((await page.nextCall()).id);
  agent.send({ type: "cancel", id: "1" });
  await end;
  await hub.close();
  expect(store.of("call", "name", "outcome", "code", "ran", "tab", "details")).toEqual([
    ["none", "rejected", "tool-not-found", "no", undefined, undefined],
    ["work", "ok", undefined, "yes", tabId, undefined],
    ["work", "ok", undefined, "yes", undefined, { replay: true }],
    ["work", "ok", undefined, "yes", tabId, { listed: "call_tab_tool" }],
    ["list_browser_tabs", "ok", undefined, "yes", undefined, undefined],
    ["slow", "cancelled", "cancelled", "maybe", page.tabId, undefined],
  ]);
});

test("the digest of a definition is that of the page's own, under whichever name and form it is listed", async () => {
  const { hub, store } = await startAudited();
  const { tabId } = await connectPage(hub.url);
  await connectPage(hub.url, { tab: "tab-2" });
  await callTool(hub, "work");
  await callTool(hub, "work", { headers: { "Pagewire-Tab": tabId } });
  await callTool(hub, "call_tab_tool", { body: JSON.stringify({ tabId, name: "work" }) });
  await hub.close();
  expect(new Set(store.added.flatMap(({ definition = [] }) => definition)).size).toBe(1);
});

/** More than the recorder writes at once. */
const manyCalls = 300;

async function callOften(call: (n: number) => Promise<unknown>): Promise<void> {
  const atOnce = 50;
  for (let n = 0; n < manyCalls; n += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, more) => call(n + more)));
}

type Begin = (hub: TestHub, tab: string) => Promise<(n: number) => Promise<unknown>>;

const doors: readonly (readonly [door: string, agent: string, begin: Begin])[] = [
  ["http", "caller", async (hub) => () => callTool(hub, "work", { headers: { "User-Agent": "caller" } })],
  [
    "socket",
    "tester",
    async (hub) => {
      const agent = await connectAgent(hub.url, { token: hub.token });
      return (n) => agent.call("work", { id: String(n) });
    },
  ],
  ...revisions.map((revision): (typeof doors)[number] => [
    "mcp",
    revision,
    async (hub) => {
      const client = await connectClient(hub, { revision, name: revision });
      return () => client.callTool({ name: "work", arguments: {} });
    },
  ]),
  [
    "delegate",
    "caller",
    async (hub, tab) => {
      const terminal = await openTerminal(hub, tab);
      return () => delegate(hub, terminal, { headers: { "User-Agent": "caller" } });
    },
  ],
];

test.each(doors)("hundreds of calls through the door %s (%s) are as many records", async (door, agent, begin) => {
  const { hub, store } = await startAudited({ limits: { twinPause: 0 } });
  const { tabId } = await connectPage(hub.url);
  await callOften(await begin(hub, tabId));
  await hub.close();
  const records = store.of("call", "door", "agent", "outcome");
  expect(records).toHaveLength(manyCalls);
  expect(new Set(records.map(String))).toEqual(new Set([`${door},${agent},ok`]));
});

test("the first record of a hub says that it has started and how, the last that it has stopped, after all calls", async () => {
  const { hub, store } = await startAudited();
  const page = await connectPage(hub.url, { handle: byHand });
  const calling = callTool(hub, "work");
  await page.nextCall();
  await Promise.all([hub.close(), calling]);
  expect(store.of("hub", "outcome")).toEqual([["started"], ["stopped"]]);
  expect(store.added[0]?.details).toMatchObject({ version: expect.any(String), mode: "local", allowedOrigins: [shop] });
  expect(store.added.map(({ kind }) => kind)).toEqual(["hub", "call", "hub"]);
  expect(store.added[1]).toMatchObject({ outcome: "outcome-unknown" });
  const again = await startHub({ store: () => store });
  await again.close();
  expect(store.of("gap", "name")).toEqual([]);
});

test("if an earlier run did not record its stop, a gap is recorded with its time span", async () => {
  const store = createAuditedStore();
  const at = "2026-01-01T00:00:00.000Z";
  await store.addAudit([{ at, kind: "call", principal: "local" }]);
  const hub = await startHub({ store: () => store });
  await hub.close();
  const [, gap, started] = store.added;
  expect([gap, started]).toMatchObject([
    { kind: "gap", name: "killed", details: { from: at, until: started?.at } },
    { kind: "hub", outcome: "started" },
  ]);
});

test("contents are kept of the tools that were named, cut and masked, and of no tool for terminals", async () => {
  const secret = {
    name: "secret",
    inputSchema: { type: "object" },
    _meta: { "pagewire/audience": "terminal" },
  } as const;
  const body = '{"note":"n","password":"hunter2"}';
  for (const [contents, expected] of [
    [["other"], undefined],
    [["work"], { arguments: '{"note":"n","password":"***"}', result: `${plainResult.slice(0, 40)}…` }],
    ["all", { arguments: '{"note":"n","password":"***"}', result: `${plainResult.slice(0, 40)}…` }],
  ] as const) {
    const limits = { auditContentsBytes: 40 };
    const { hub, store } = await startAudited({ audit: { key, contents }, limits });
    const { tabId } = await connectPage(hub.url, { tools: ["work", secret] });
    await callTool(hub, "work", { body });
    await callTool(hub, "secret", { body });
    const terminal = await openTerminal(hub, tabId);
    const { status } = await delegate(hub, terminal, { fields: { action: "secret", password: "hunter2" } });
    await hub.close();
    expect(status).toBe(200);
    expect(store.of("call", "name", "details")).toEqual([
      ["work", expected],
      ["secret", undefined],
      ["secret", undefined],
    ]);
    expect(JSON.stringify(store.added)).not.toContain("hunter2");
  }
});

test("a hub whose owner wants no audit keeps none", async () => {
  const { hub, store } = await startAudited({ audit: "none" });
  await connectPage(hub.url);
  expect((await callTool(hub, "work")).status).toBe(200);
  hub.rotate("another-token-of-this-test");
  await hub.close();
  expect(store.added).toEqual([]);
});
