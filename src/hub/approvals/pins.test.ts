import { expect, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { createAuditedStore } from "../audit/test-support/audited.test-helper.ts";
import { callOnce, namesIn } from "../doors/core/model.test-helper.ts";
import { startTalking, talk } from "../doors/core/talk.test-helper.ts";
import { connectClient } from "../doors/mcp/test-support/mcp-client.test-helper.ts";
import { offerTools, readingTool } from "../doors/window/window.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import { connectPage, offerOf } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";

const tool = (name: string, description = "As it was.") =>
  ({ name, description, inputSchema: { type: "object" } }) as const;

/** Makes a page offer these, and waits until the hub has the offer. */
async function offer(page: TestPage, ...tools: readonly ReturnType<typeof tool>[]): Promise<void> {
  page.send({ type: "offer" }, offerOf(tools));
  await page.settled();
}

/** The names of pages' tools that an agent sees. */
async function listed(hub: TestHub): Promise<readonly string[]> {
  const client = await connectClient(hub);
  const { tools } = await client.listTools();
  return tools.flatMap(({ name, _meta }) => (_meta?.["anthropic/alwaysLoad"] ? [] : [name]));
}

const ask = (hub: TestHub, asked: string, body?: object) =>
  askOwn(hub, asked, { token: hub.token, origin: undefined, ...(body && { body: JSON.stringify(body) }) });

async function waitingIn(hub: TestHub): Promise<readonly unknown[]> {
  const { body } = await ask(hub, "GET /api/pins");
  const { waiting } = body as { readonly waiting: readonly { readonly name: string; readonly before?: string }[] };
  return waiting.map(({ name, before }) => [name, before !== undefined]);
}

/** A hub with pinning, whose page has made its first offer. */
async function startPinned(store = createAuditedStore()) {
  const hub = await startHub({ pin: true, store: () => store });
  const page = await connectPage(hub.url, { tools: [tool("pay"), tool("look")] });
  await expect.poll(() => listed(hub)).toEqual(["look", "pay"]);
  return { hub, page, store };
}

test("a tool that changed, and one that is new, are neither listed nor callable until a person has accepted them", async () => {
  const { hub, page, store } = await startPinned();
  await offer(page, tool("pay", "Pays everything."), tool("look"), tool("send"));
  expect(await listed(hub)).toEqual(["look"]);
  for (const name of ["pay", "send"]) {
    expect((await callTool(hub, name)).status).toBe(404);
    expect((await callTool(hub, name, { headers: { "Pagewire-Tab": page.tabId } })).status).toBe(404);
    const through = { body: JSON.stringify({ tabId: page.tabId, name }) };
    expect((await callTool(hub, "call_tab_tool", through)).status).toBe(404);
  }
  expect(page.calls).toEqual([]);
  expect(await waitingIn(hub)).toEqual([
    ["pay", true],
    ["send", false],
  ]);
  const { status, body } = await ask(hub, "POST /api/pins/accept", { origin: shop, name: "pay" });
  expect([status, body]).toMatchObject([200, { accepted: [{ name: "pay", origin: shop, app: "shop", via: "tab" }] }]);
  expect(await listed(hub)).toEqual(["look", "pay"]);
  expect((await callTool(hub, "pay")).status).toBe(200);
  await ask(hub, "POST /api/pins/accept", { origin: shop });
  expect(await listed(hub)).toEqual(["look", "pay", "send"]);
  await hub.close();
  const records = store.of("policy", "name", "outcome", "origin", "details");
  expect(records).toEqual(
    (
      [
        ["pinned", "pay"],
        ["pinned", "look"],
        ["waits", "pay"],
        ["waits", "send"],
        ["accepted", "pay"],
        ["accepted", "send"],
      ] as const
    ).map(([outcome, name]) => ["pin", outcome, shop, { tool: name }]),
  );
});

test("connected agents are notified of changed tools, and a returning page is shown as it was pinned", async () => {
  const { hub, page } = await startPinned();
  const agent = await connectAgent(hub.url, { token: hub.token });
  await offer(page, tool("pay", "Pays everything."), tool("look"));
  await agent.next("changed");
  page.link.close({ code: 1000, reason: "" });
  await connectPage(hub.url, { tools: [tool("pay"), tool("look")] });
  await expect.poll(() => listed(hub)).toEqual(["look", "pay"]);
  expect(await waitingIn(hub)).toEqual([]);
});

test("what was seen first outlives the hub, and where it cannot be read no tool is shown", async () => {
  const { hub, store } = await startPinned();
  await hub.close();
  const again = await startHub({ pin: true, store: () => store });
  await connectPage(again.url, { tools: [tool("pay", "Pays everything."), tool("look")] });
  await expect.poll(() => listed(again)).toEqual(["look"]);
  await again.close();
  const broken = { ...store, records: () => Promise.reject(new Error("No disk.")) };
  const blind = await startHub({ pin: true, store: () => broken });
  await connectPage(blind.url, { tools: [tool("pay"), tool("look")] });
  expect(await listed(blind)).toEqual([]);
});

test("a policy pins some origins and leaves the others, and another policy holds at once", async () => {
  let pin: readonly string[] = [shop];
  const listeners = new Set<() => void>();
  const other = "https://mail.example";
  const hub = await startHub({
    policy: () => parsePolicy(JSON.stringify({ rules: [], pin })),
    allowedOrigins: () => [shop, other],
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const page = await connectPage(hub.url, { tools: [tool("pay")] });
  const mail = await connectPage(hub.url, { origin: other, app: "mail", tab: "tab-2", tools: [tool("read")] });
  await expect.poll(() => listed(hub)).toEqual(["pay", "read"]);
  await offer(page, tool("pay", "Changed."));
  await offer(mail, tool("read", "Changed."));
  expect(await listed(hub)).toEqual(["read"]);
  pin = [];
  for (const listener of listeners) listener();
  expect(await listed(hub)).toEqual(["pay", "read"]);
});

test("what an app offers through an agent's window is pinned for itself", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model, { pin: true });
  await connectPage(hub.url, { tools: [tool("work")] });
  const { client } = await talk(hub);
  const asked = async () => {
    await client.run("send", "x", { tools: "page" });
    return namesIn(model.requests.at(-1));
  };
  await expect.poll(asked).toEqual(["parent-window_work"]);
  const changed = readingTool("work", { description: "Does everything." });
  await offerTools(hub, { tools: [changed], session_id: client.session });
  expect(await asked()).toEqual([]);
  await ask(hub, "POST /api/pins/accept", { origin: shop });
  expect(await asked()).toEqual(["parent-window_work"]);
});

test("what was removed is forgotten, and the next offer is the first", async () => {
  const { hub, page } = await startPinned();
  await offer(page, tool("pay", "Pays everything."), tool("look"));
  expect(await listed(hub)).toEqual(["look"]);
  await ask(hub, "POST /api/pins/remove", { origin: shop });
  await expect.poll(() => listed(hub)).toEqual(["look", "pay"]);
});

test("what is no choice, and a choice of nothing, are refused by name", async () => {
  const { hub } = await startPinned();
  for (const body of [{}, { origin: "shop" }, { origin: shop, name: 7 }])
    expect(errorOf(await ask(hub, "POST /api/pins/accept", body))).toEqual([400, "request-malformed"]);
  expect(errorOf(await ask(hub, "POST /api/pins/accept", { origin: shop }))).toEqual([404, "route-not-found"]);
  expect(errorOf(await ask(hub, "POST /api/pins/remove", { origin: shop, name: "x" }))).toEqual([
    404,
    "route-not-found",
  ]);
  expect(errorOf(await ask(hub, "POST /api/pins/keep", { origin: shop }))).toEqual([404, "route-not-found"]);
});

test("of more tools than are kept none is shown", async () => {
  const hub = await startHub({ pin: true, limits: { pinsPerPrincipal: 2 } });
  await connectPage(hub.url, { tools: ["a", "b", "c"].map((name) => tool(name)) });
  await expect.poll(() => listed(hub)).toEqual(["a", "b"]);
});

test("no more is accepted than is kept, and the refusal names the limits and what to do", async () => {
  const hub = await startHub({ pin: true, limits: { pinsPerPrincipal: 2 } });
  const page = await connectPage(hub.url, { tools: [tool("a"), tool("b"), tool("c")] });
  await expect.poll(() => listed(hub)).toEqual(["a", "b"]);
  const { status, body } = await ask(hub, "POST /api/pins/accept", { origin: shop });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("pinsPerPrincipal")]);
  expect(await listed(hub)).toEqual(["a", "b"]);
  await offer(page, tool("a", "Changed."), tool("b"), tool("c"));
  await ask(hub, "POST /api/pins/accept", { origin: shop, name: "a" });
  expect(await listed(hub)).toEqual(["a", "b"]);
});

test("tools that are pinned, and those that wait, take no more memory than their limit", async () => {
  const hub = await startHub({ pin: true, limits: { pinBytesPerPrincipal: 3000 } });
  const large = (name: string) => tool(name, "x".repeat(1000));
  const page = await connectPage(hub.url, { tools: ["a", "b", "c"].map(large) });
  await expect.poll(() => listed(hub)).toEqual(["a", "b"]);
  for (const round of ["d", "e", "f"]) await offer(page, large("a"), large("b"), large(round), large(`${round}2`));
  expect(await waitingIn(hub)).toHaveLength(2);
});
