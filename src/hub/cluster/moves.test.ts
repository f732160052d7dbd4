// Pages that change what they are, and where: as other hubs see it.
import { expect, onTestFinished, test, vi } from "vitest";
import type { TestAgent } from "../test-support/agent.test-helper.ts";
import { byHand, connectPage, helloOf, offerOf, openPage, plainResult } from "../test-support/page.test-helper.ts";
import type { TestPage, TestPageOptions } from "../test-support/page.test-helper.ts";
import { agentAt, listOf, startHubs, startSharingHubs } from "./hubs.test-helper.ts";

const patience = { timeout: 10_000, interval: 20 };

/** A page with a memory of its own, whose hello says which calls it still runs. */
async function arrive(
  url: string,
  running: readonly string[],
  options: TestPageOptions & { readonly epochs?: readonly string[] } = {},
): Promise<TestPage> {
  const page = await openPage(url, { handle: byHand, ...options });
  page.send({ ...helloOf(options), running, ...(options.epochs && { epochs: options.epochs }) });
  await page.next("welcome");
  page.send({ type: "offer" }, offerOf(options.tools));
  await page.settled();
  return page;
}

/** Waits until agents of several hubs are shown the same that fulfils this. */
async function sameAt(
  agents: readonly TestAgent[],
  check: (list: Awaited<ReturnType<typeof listOf>>) => void,
): Promise<void> {
  await vi.waitFor(async () => {
    const lists = [];
    for (const agent of agents) lists.push(await listOf(agent));
    for (const list of lists) expect(list).toEqual(lists[0]);
    if (lists[0]) check(lists[0]);
  }, patience);
}

test("MH30: titles, focus, offers, suspension and the end of a tab are the same on every hub", async () => {
  const { a, b, c } = await startHubs({ limits: { graceTime: 200 } });
  const agents = [await agentAt(a), await agentAt(b), await agentAt(c)];
  const one = await connectPage(b.url, { tab: "one", tools: ["first"] });
  const two = await connectPage(c.url, { tab: "two", tools: ["second"] });
  await sameAt(agents, ({ tabs, tools }) => {
    expect(tabs.map(({ tabId }) => tabId).sort()).toEqual([one.tabId, two.tabId].sort());
    expect(tools).toEqual(expect.arrayContaining(["first", "second"]));
    expect(tabs.find(({ isActive }) => isActive)?.tabId).toBe(two.tabId);
  });
  one.send({ type: "tab", title: "Renamed", focused: true });
  await sameAt(agents, ({ tabs }) =>
    expect(tabs.find(({ isActive }) => isActive)).toMatchObject({ tabId: one.tabId, title: "Renamed" }),
  );
  const inputSchema = { type: "object" };
  one.send(
    { type: "offer-change" },
    JSON.stringify({ add: { tools: [{ name: "added", inputSchema }] }, remove: { tools: ["first"] } }),
  );
  await sameAt(agents, ({ tools }) => {
    expect(tools).toContain("added");
    expect(tools).not.toContain("first");
  });
  one.send({ type: "suspended", reason: "frozen" });
  await sameAt(agents, ({ tabs }) => expect(tabs.map(({ state }) => state).sort()).toEqual(["connected", "suspended"]));
  one.send({ type: "resumed" });
  await sameAt(agents, ({ tabs }) => expect(tabs.map(({ state }) => state)).toEqual(["connected", "connected"]));
  one.send({ type: "bye", final: true });
  await sameAt(agents, ({ tabs }) => expect(tabs.map(({ tabId }) => tabId)).toEqual([two.tabId]));
});

test("MH30: a hub that begins to follow late is shown all of a tab that has changed since it came", async () => {
  const { a, b } = await startHubs();
  const page = await connectPage(b.url, { tools: ["first"] });
  const inputSchema = { type: "object" };
  for (let count = 0; count < 40; count++) {
    const add = { tools: [{ name: `tool-${count}`, inputSchema }] };
    page.send({ type: "offer-change" }, JSON.stringify({ add, remove: { tools: [`tool-${count - 1}`] } }));
  }
  page.send({ type: "tab", title: "Later" });
  page.send({ type: "suspended", reason: "frozen" });
  await page.settled();
  const [atA, atB] = [await listOf(await agentAt(a)), await listOf(await agentAt(b))];
  expect(atA).toEqual(atB);
  expect(atA.tabs).toMatchObject([{ title: "Later", state: "suspended", tools: ["first", "tool-39"] }]);
});

test("MH30: an agent at another hub gets the update of a resource that it read", async () => {
  const { a, b } = await startHubs();
  const page = await openPage(b.url, { handle: byHand });
  page.send(helloOf({}));
  await page.next("welcome");
  page.send({ type: "offer" }, JSON.stringify({ resources: [{ uri: "shop://cart", name: "cart" }] }));
  await page.settled();
  const headers = {
    Authorization: `Bearer ${a.token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const ask = async (session: string | undefined, body: object) =>
    fetch(`${a.url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        ...(session === undefined ? {} : { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const clientInfo = { name: "t", version: "1" };
  const begun = await ask(undefined, {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  const session = begun.headers.get("Mcp-Session-Id") ?? "";
  await begun.text();
  await (await ask(session, { method: "notifications/initialized" })).text();
  const listed = await (await ask(session, { id: 2, method: "resources/list" })).text();
  const uri = /"uri":"([^"]+)"/.exec(listed)?.[1];
  await (await ask(session, { id: 3, method: "resources/subscribe", params: { uri } })).text();
  const stream = await fetch(`${a.url}/mcp`, {
    headers: {
      ...headers,
      Accept: "text/event-stream",
      "Mcp-Session-Id": session,
      "MCP-Protocol-Version": "2025-06-18",
    },
  });
  page.send({ type: "updated", uri: "shop://cart" });
  const reader = stream.body?.getReader();
  onTestFinished(() => reader?.cancel());
  let text = "";
  while (!text.includes("notifications/resources/updated"))
    text += new TextDecoder().decode((await reader?.read())?.value);
  expect(text).toContain(uri);
});

test("MH32: a tab that its user disconnects at one hub stays away from all", async () => {
  const { a, b, c } = await startHubs({ limits: { graceTime: 200 } });
  const page = await connectPage(b.url);
  const agent = await agentAt(a);
  await listOf(agent);
  const headers = { Authorization: `Bearer ${a.token}` };
  const response = await fetch(`${a.url}/api/tabs/${page.tabId}/disconnect`, { method: "POST", headers });
  expect(response.status).toBe(204);
  expect(await page.closeName()).toBe("tab-disconnected");
  await vi.waitFor(async () => {
    const again = await openPage(c.url);
    again.send(helloOf({}));
    expect(await again.verdict()).toBe("tab-disconnected");
  }, patience);
  expect((await listOf(agent)).tabs).toEqual([]);
});

test("MH33: a page that moves to another hub during a call goes on with it, and the call is done once", async () => {
  const { a, b, c } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await agentAt(a);
  const end = agent.call("work", { id: "1" });
  const { id } = await page.nextCall();
  page.ack(id);
  await agent.next("ack");
  page.socket.terminate();
  const moved = await arrive(c.url, [id]);
  const { frame } = await moved.next("call");
  expect(frame).toMatchObject({ id, resume: true });
  moved.result(id, plainResult);
  expect(await end).toMatchObject({ frame: { type: "result" }, payload: plainResult });
});

test("MH33: a page that moved keeps its calls of three hubs, and no hub aborts those of another", async () => {
  const { a, b, c } = await startHubs({ limits: { cutTime: 300 } });
  const page = await connectPage(b.url, { handle: byHand });
  const agents = [await agentAt(a), await agentAt(b), await agentAt(c)];
  const leaving = await agentAt(a);
  await sameAt(agents, ({ tabs }) => expect(tabs).toHaveLength(1));
  const ends = agents.map((agent) => agent.call("work", { id: "1" }));
  const ids = [(await page.nextCall()).id, (await page.nextCall()).id, (await page.nextCall()).id];
  const cutOff = expect(leaving.call("work", { id: "1" })).rejects.toThrow("The hub closed");
  const left = (await page.nextCall()).id;
  for (const id of [...ids, left]) page.ack(id);
  await leaving.next("ack");
  for (const agent of agents) await agent.next("ack");
  page.socket.terminate();
  const moved = await arrive(c.url, [...ids, left]);
  const resumed = [];
  for (const _ of [...ids, left]) resumed.push(await moved.next("call"));
  expect(resumed.map(({ frame }) => frame.id).sort()).toEqual([...ids, left].sort());
  // A hub waits from now on until it aborts this call: calls that were to be aborted at the page's arrival are by then.
  leaving.socket.terminate();
  await cutOff;
  await moved.next("cancel");
  const cancels = moved.received.filter(({ frame }) => frame.type === "cancel");
  expect(cancels.map(({ frame }) => frame)).toMatchObject([{ id: left }]);
  for (const id of ids) moved.result(id, plainResult);
  for (const end of ends) expect((await end).payload).toBe(plainResult);
});

test("MH33: a page that comes back without its memory ends its calls as unknown, on every hub", async () => {
  const { a, b, c } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await agentAt(a);
  const end = agent.call("work", { id: "1" });
  page.ack((await page.nextCall()).id);
  await agent.next("ack");
  page.socket.terminate();
  await arrive(c.url, [], { epochs: ["another"] });
  expect((await end).frame).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
});

test("MH34: of two connections of one tab at two hubs the newer counts, and the older is closed", async () => {
  const { a, b, c } = await startHubs();
  const older = await connectPage(b.url, { handle: byHand });
  const newer = await connectPage(c.url);
  // Nobody followed them until now.
  const agent = await agentAt(a);
  expect(await older.closeName()).toBe("tab-replaced");
  await agent.call("work", { id: "1" });
  expect([older.calls.length, newer.calls.length]).toEqual([0, 1]);
  expect((await listOf(agent)).tabs).toMatchObject([{ state: "connected" }]);
});

test("MH20: with a database, a key that was used at one hub has the same outcome at every other", async () => {
  const { a, b, c } = await startSharingHubs();
  const page = await connectPage(b.url);
  const [atA, atB, atC] = [await agentAt(a), await agentAt(b), await agentAt(c)];
  await sameAt([atA, atB, atC], ({ tabs }) => expect(tabs).toHaveLength(1));
  const call = { key: "k", arguments: '{"n":1}' };
  const first = await atA.call("work", { id: "1", ...call });
  expect(first.payload).toBe(plainResult);
  for (const agent of [atA, atB, atC]) {
    const again = await agent.call("work", { id: "2", ...call });
    expect([again.frame, again.payload]).toMatchObject([{ type: "result", replay: true }, plainResult]);
  }
  const other = await atC.call("work", { id: "3", key: "k", arguments: '{"n":2}' });
  expect(other.frame).toMatchObject({ code: "key-conflict", ran: "no" });
  expect(page.calls).toHaveLength(1);
});

test("MH20: a key that runs at one hub and comes to another waits for the outcome of the one run", async () => {
  const { a, b, c } = await startSharingHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const [atA, atC] = [await agentAt(a), await agentAt(c)];
  await sameAt([atA, atC], ({ tabs }) => expect(tabs).toHaveLength(1));
  const first = atA.call("work", { id: "1", key: "k" });
  const { id } = await page.nextCall();
  page.ack(id);
  await atA.next("ack");
  const second = atC.call("work", { id: "2", key: "k" });
  const other = atC.call("work", { id: "3", key: "other" });
  page.result((await page.nextCall()).id, plainResult);
  await other;
  page.result(id, plainResult);
  expect((await first).payload).toBe(plainResult);
  expect(await second).toMatchObject({ frame: { replay: true }, payload: plainResult });
  const third = await (await agentAt(b)).call("work", { id: "3", key: "k" });
  expect([third.frame, third.payload]).toMatchObject([{ replay: true }, plainResult]);
  expect(page.calls).toHaveLength(2);
});

test("MH20: a key whose call did not run at another hub begins", async () => {
  const { a, b, c } = await startSharingHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const [atA, atC] = [await agentAt(a), await agentAt(c)];
  await sameAt([atA, atC], ({ tabs }) => expect(tabs).toHaveLength(1));
  const refused = atA.call("work", { id: "1", key: "refused" });
  const first = await page.nextCall();
  const again = atC.call("work", { id: "2", key: "refused" });
  page.send({ type: "failure", id: first.id, outcome: "rejected", ran: "no", code: "input-invalid", message: "no" });
  expect((await refused).frame).toMatchObject({ ran: "no" });
  page.result((await page.nextCall()).id, plainResult);
  expect((await again).payload).toBe(plainResult);
});
