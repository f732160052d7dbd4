import { expect, test } from "vitest";
import { signPageToken } from "../../guard/tokens.ts";
import { createFailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import { createMemoryStore } from "../../store/index.ts";
import { connectAgent } from "../../test-support/agent.test-helper.ts";
import { answerTo, beginCall, callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, openChannels, openPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { connectClient } from "../mcp/test-support/mcp-client.test-helper.ts";
import { documentedFields, listOf, read, secret, tokenOf } from "./read.test-helper.ts";

const lists = ["status", "tabs", "agents", "calls"] as const;

test("RA2: the answers have the fields that the reference lists", async () => {
  const hub = await startHub({ demo: { port: 0 } });
  await connectPage(hub.url);
  await callTool(hub, "work");
  const status = (await read(hub, "status")).body ?? {};
  expect(Object.keys(status)).toEqual(documentedFields("The hub: `GET /api/status`"));
  const [tab = {}] = await listOf(hub, "tabs");
  // These are of tabs that come through an extension.
  const throughExtension = { ...tab, browser: undefined, through: undefined };
  expect(Object.keys(throughExtension).toSorted()).toEqual([...documentedFields("Tabs: `GET /api/tabs`")].toSorted());
  const [agent = {}] = await listOf(hub, "agents");
  const optional = { version: undefined, ...agent };
  expect(Object.keys(optional).toSorted()).toEqual([...documentedFields("Agents: `GET /api/agents`")].toSorted());
});

test("the status counts what the principal has connected, and says what the hub is", async () => {
  const before = Date.now();
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  beginCall(hub, "work");
  await page.nextCall();
  const { body } = await read(hub, "status");
  expect(body).toMatchObject({
    mode: "local",
    principal: "local",
    provider: "rehearsal",
    isRehearsal: true,
    demo: null,
  });
  expect(body).toMatchObject({ tabs: 1, agents: 1, callsInFlight: 1, terminals: 0, browsers: 0, hasTerminals: false });
  expect(body).toMatchObject({ isStoreOk: true, isRecorded: true, rssBytes: expect.any(Number) });
  expect(Date.parse(String(body?.["startedAt"]))).toBeGreaterThanOrEqual(before);
  const budgets = body?.["budgets"] as readonly { name: string; used: number; max: number }[];
  expect(budgets).toContainEqual({ name: "tabsPerPrincipal", used: 1, max: expect.any(Number) });
  expect(budgets).toContainEqual({ name: "callsPerPrincipal", used: 1, max: expect.any(Number) });
  for (const { used, max } of budgets) expect(used).toBeLessThanOrEqual(max);
});

test("a hub whose store fails still has a status, and says so", async () => {
  const store = createFailingStore(createMemoryStore());
  const hub = await startHub({ store: () => store, audit: "none" });
  store.failure = "full";
  expect(await read(hub, "status")).toMatchObject({ status: 200, body: { isStoreOk: false, isRecorded: false } });
});

test("RA4: a tab comes with what it offers, how it is connected and since when", async () => {
  const hub = await startHub();
  const before = Date.now();
  await connectPage(hub.url, { tab: "one" });
  const open = await openChannels(hub.url);
  await open({ tab: "two", app: "till" }).greet();
  const [one, two] = await listOf(hub, "tabs");
  expect(one).toMatchObject({ app: "shop", origin: shop, title: "A shop", state: "connected", via: "socket" });
  expect(one?.["tools"]).toEqual([{ name: "work", inputSchema: { type: "object", properties: {} } }]);
  expect([one?.["resources"], one?.["resourceTemplates"], one?.["prompts"]]).toEqual([[], [], []]);
  expect(two).toMatchObject({ app: "till", via: "shared-socket", isActive: true });
  expect(Date.parse(String(one?.["since"]))).toBeGreaterThanOrEqual(before - 1000);
  expect(await listOf(hub, "tabs?search=till")).toMatchObject([{ tabId: two?.["tabId"] }]);
});

test("RA4: pages of tabs list each once, and end early where tabs offer much", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url);
  const inputSchema = { type: "object" as const, properties: {} };
  const big = (n: number) => ({ name: `work_${n}`, description: `${n} `.repeat(150_000), inputSchema });
  for (let n = 0; n < 9; n++) await open({ tab: `tab-${n}`, app: `app-${n}`, tools: [big(n)] }).greet();
  const seen: unknown[] = [];
  const sizes: number[] = [];
  for (let cursor = ""; cursor !== "null";) {
    const { body } = await read(hub, `tabs?limit=8${cursor === "" ? "" : `&cursor=${cursor}`}`);
    const tabs = body?.["tabs"] as readonly { app: string }[];
    seen.push(...tabs.map(({ app }) => app));
    sizes.push(tabs.length);
    cursor = String(body?.["nextCursor"]);
  }
  expect(seen).toHaveLength(9);
  expect(new Set(seen)).toEqual(new Set(Array.from({ length: 9 }, (_, n) => `app-${n}`)));
  expect(Math.max(...sizes)).toBeLessThan(8);
});

test("RA5: agents of every door are listed once, with their calls", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const before = Date.now();
  await callTool(hub, "work", { headers: { "User-Agent": "curl/8" } });
  await callTool(hub, "work", { headers: { "User-Agent": "curl/8" } });
  const socket = await connectAgent(hub.url, { token: hub.token, name: "robot" });
  await socket.call("work", { id: "1" });
  const older = await connectClient(hub, { name: "older", revision: "2025-11-25" });
  const newer = await connectClient(hub, { name: "newer", revision: "2026-07-28" });
  await Promise.all([older, newer].map((client) => client.callTool({ name: "work", arguments: {} })));
  const agents = await listOf(hub, "agents");
  const seen = agents.map(({ name, door, calls, principal }) => [name, door, calls, principal].join(" "));
  expect(seen).toHaveLength(4);
  expect(new Set(seen)).toEqual(
    new Set(["curl/8 http 2 local", "newer mcp 1 local", "older mcp 1 local", "robot socket 1 local"]),
  );
  for (const { since, lastSeen } of agents) {
    expect(Date.parse(String(since))).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(String(lastSeen))).toBeGreaterThanOrEqual(Date.parse(String(since)));
  }
  socket.socket.close();
  await expect.poll(async () => (await listOf(hub, "agents")).map(({ name }) => String(name))).not.toContain("robot");
});

test("RA1: a principal sees nothing of another, and tokens of pages open nothing", async () => {
  const hub = await startHub({ jwt: { secret } });
  const [ann, bob] = await Promise.all([tokenOf("ann"), tokenOf("bob")]);
  const pageToken = await signPageToken({ secret, subject: "ann" });
  await connectPage(hub.url, { token: pageToken, app: "secret-app" });
  expect((await callTool({ url: hub.url, token: ann }, "work")).status).toBe(200);
  await expect.poll(() => listOf(hub, "calls", ann)).toHaveLength(1);
  const [call] = await listOf(hub, "calls", ann);
  expect(Object.keys(call ?? {})).not.toEqual(expect.arrayContaining(["sequence"]));
  for (const what of ["tabs", "agents", "calls"]) {
    expect(await listOf(hub, what, ann)).toHaveLength(1);
    expect(await listOf(hub, what, bob)).toEqual([]);
  }
  expect((await read(hub, "status", bob)).body).toMatchObject({
    principal: "bob",
    tabs: 0,
    agents: 0,
    callsInFlight: 0,
  });
  expect((await read(hub, "status", bob)).body).not.toHaveProperty("rssBytes");
  expect((await read(hub, `calls/${String(call?.["id"])}`, ann)).status).toBe(200);
  expect(errorOf(await read(hub, `calls/${String(call?.["id"])}`, bob))).toEqual([404, "route-not-found"]);
  expect((await read(hub, `calls?before=${String(call?.["id"])}`, bob)).body).toMatchObject({
    calls: [],
    before: null,
  });
  for (const what of [...lists, "calls/stream", `calls/${String(call?.["id"])}`]) {
    expect(errorOf(await read(hub, what, pageToken))).toEqual([401, "token-invalid"]);
    expect(errorOf(await askOwn(hub, `GET /api/${what}`, { token: ann, origin: shop }))).toEqual([
      403,
      "origin-not-allowed",
    ]);
  }
});

test("the hub's own pages read it, and a request for the head gets no body", async () => {
  const hub = await startHub();
  const token = await signIn(hub, hub.token);
  for (const what of lists) expect((await askOwn(hub, `GET /api/${what}`, { token })).status).toBe(200);
  for (const what of [...lists, "calls/stream"]) {
    const { status, body, headers } = await askOwn(hub, `HEAD /api/${what}`, { token });
    expect([status, body, headers.get("cache-control")]).toEqual([200, undefined, expect.stringContaining("no-store")]);
  }
});

test("RA3: a filter that cannot be meant is refused", async () => {
  const hub = await startHub();
  const id = "0".repeat(32);
  const wrong = [
    "status?tab=x",
    "agents?limit=1",
    "calls/stream?tool=x",
    `calls/${id}?x=1`,
    "tabs?limit=0",
    "tabs?limit=501",
    "tabs?cursor=x",
    "calls/summary?tols=work",
    "calls?minMilliseconds=0",
    "calls?limit=1e3",
    "calls?limit=-1",
    "calls?limit=99999999999999999999",
    "calls?limit=1&limit=2",
    "calls?tols=work",
    "calls?tool=",
    "calls?__proto__=x",
    "calls?principal=bob",
    `calls?text=${"x".repeat(1025)}`,
    "calls?before=1",
    `calls?before=${id}`,
    "calls?since=yesterday",
    "calls?until=2026-13-45",
    "calls?since=2026-01-01%00",
    "calls?since=2026-01-01T12:00",
  ];
  for (const what of wrong) expect(errorOf(await read(hub, what)), what).toEqual([400, "request-malformed"]);
  for (const what of ["calls/", "calls/1", `calls/${id}`, "calls/..%2f..", "calls/stream/x"])
    expect(errorOf(await read(hub, what)), what).toEqual([404, "route-not-found"]);
});

test("RA10: a tab is disconnected with its calls, and nobody else's is", async () => {
  const hub = await startHub({ jwt: { secret } });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((name) => tokenOf(name)));
  const token = await signPageToken({ secret, subject: "ann", app: "shop" });
  const page = await connectPage(hub.url, { token, handle: byHand });
  const change = (asked: string, by: string | undefined) =>
    askOwn(hub, `POST /api/tabs/${asked}`, { token: by ?? "", origin: undefined });
  const answer = answerTo(beginCall(hub, "work", { headers: { Authorization: `Bearer ${ann}` } }));
  page.ack((await page.nextCall()).id);

  expect(errorOf(await change(`${page.tabId}/disconnect`, bob))).toEqual([404, "tab-not-found"]);
  expect(errorOf(await change(`${page.tabId}/close`, ann))).toEqual([404, "route-not-found"]);
  expect(errorOf(await change(`${page.tabId}/disconnect?now=1`, ann))).toEqual([400, "request-malformed"]);
  expect(errorOf(await change(`${page.tabId}/reconnect`, ann))).toEqual([404, "tab-not-found"]);
  expect(await listOf(hub, "tabs", ann)).toHaveLength(1);

  expect((await change(`${page.tabId}/disconnect`, ann)).status).toBe(204);
  expect(await page.closeName()).toBe("tab-disconnected");
  expect((await answer).text).toContain("outcome-unknown");
  const { body } = await read(hub, "tabs", ann);
  expect(body).toMatchObject({ tabs: [], disconnected: [{ tabId: page.tabId, app: "shop", origin: shop }] });
  expect((await read(hub, "tabs", bob)).body).toMatchObject({ tabs: [], disconnected: [] });
  expect(errorOf(await change(`${page.tabId}/reconnect`, bob))).toEqual([404, "tab-not-found"]);
});

test("RA11: a disconnected page stays away until it is loaded again or let back", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const change = (what: string) =>
    askOwn(hub, `POST /api/tabs/${page.tabId}/${what}`, { token: hub.token, origin: undefined });
  const retry = async (epochs: readonly string[]) => {
    const again = await openPage(hub.url);
    again.send({ ...helloOf({}), epochs });
    return again;
  };
  await change("disconnect");
  const refused = await retry(["epoch"]);
  const { frame } = await refused.next("refused");
  expect(frame).toMatchObject({ code: "tab-disconnected", message: expect.stringContaining(page.tabId) });
  expect(await refused.closeName()).toBe("tab-disconnected");

  // The next document of a tab has a memory of its own, after that of the one before it.
  await (await retry(["epoch", "next"])).next("welcome");
  await (await retry(["epoch"])).next("welcome");

  await change("disconnect");
  await (await retry(["epoch"])).next("refused");
  expect((await change("reconnect")).status).toBe(204);
  await (await retry(["epoch"])).next("welcome");
  expect((await read(hub, "tabs")).body).toMatchObject({ tabs: [{ tabId: page.tabId }], disconnected: [] });
});
