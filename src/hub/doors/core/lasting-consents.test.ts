import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AiNotSaved, AiToolCallState } from "../../../ai/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { createFailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import { openStore } from "../../store/index.ts";
import { offerTools, openWindow, parentTool, readingTool } from "../window/window.test-helper.ts";
import { startCore } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import { callOnce, inputSchema, playModel, serverTool } from "./model.test-helper.ts";
import type { ModelTurn } from "./model.test-helper.ts";

const always = { approved: true, scope: "always" } as const;
const never = { approved: false, scope: "always" } as const;

/** A conversation whose parent page has a tool that changes something and reports each run. */
async function talk(hub: TestHub, more: object = {}): Promise<CoreClient> {
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [parentTool("pay")], session_id: client.session, ...more });
  const window = await openWindow(hub, session, { onCall: (call) => window.answer(call, "paid") });
  return client;
}

async function startPaying(options: Parameters<typeof startHub>[0] = {}): Promise<TestHub> {
  const { fetch } = callOnce("parent-window_pay");
  const hub = await startHub({ ai: { provider: "openai", model: "m", fetch }, ...options });
  hub.allow("https://other.example");
  return hub;
}

const statusesOf = ({ values }: CoreClient) => (values["toolCalls"] as AiToolCallState[]).map(({ status }) => status);

/** Calls `pay`. If a question comes, it gets this decision; a question without a decision is an error. */
async function pay(client: CoreClient, decision?: object | boolean): Promise<unknown> {
  const answer = client.run("send", "Pay", { tools: "page" });
  const asked = client.until(() => statusesOf(client).includes("waiting")).then(() => "asked" as const);
  const first = await Promise.race([answer, asked]);
  if (first !== "asked") return first;
  if (decision === undefined) throw new Error("Somebody was asked.");
  const [call] = client.values["toolCalls"] as AiToolCallState[];
  await client.run("settleToolCall", call?.id, decision);
  return `asked, ${String(await answer)}`;
}

test("what was allowed for always runs unasked in later conversations, and what was refused for always never", async () => {
  const hub = await startPaying();
  expect(await pay(await talk(hub), always)).toBe("asked, result: paid");
  const client = await talk(hub);
  expect(await pay(client)).toBe("result: paid");
  expect(await pay(client)).toBe("result: paid");
  const wary = await startPaying();
  expect(await pay(await talk(wary), never)).toContain("did not allow");
  const refused = await talk(wary);
  expect(await pay(refused)).toMatch(/^result: \{"error":"The user has refused the tool .* for always\./);
  expect(statusesOf(refused)).toEqual(["refused"]);
});

test("it holds at once in the same conversation, in the same answer too", async () => {
  const model = playModel(({ body }): ModelTurn => {
    const results = body.messages.filter(({ role }) => role === "tool");
    return results.length === 2 ? { text: "both" } : { calls: [{ name: "parent-window_pay" }] };
  });
  const hub = await startHub({ ai: { provider: "openai", model: "m", fetch: model.fetch } });
  const client = await talk(hub);
  expect(await pay(client, always)).toBe("asked, both");
});

test("a decision for once or for the conversation is not kept beyond it", async () => {
  const hub = await startPaying();
  const client = await talk(hub);
  expect(await pay(client, true)).toMatch(/^asked/);
  expect(await pay(client, { approved: true, scope: "session" })).toMatch(/^asked/);
  expect(await pay(client)).toBe("result: paid");
  expect(await pay(await talk(hub), { approved: false, scope: "once" })).toMatch(/^asked/);
  expect((await askOwn(hub, "GET /api/consents", { token: hub.token })).body).toEqual({ consents: [] });
});

test("a permanently refused tool is refused without a question, whatever its page changes", async () => {
  const hub = await startPaying();
  await pay(await talk(hub), never);
  for (const changed of [
    readingTool("pay"),
    readingTool("pay", { description: "Pays!" }),
    parentTool("pay", { parameters: { type: "object" }, title: "Look" }),
  ])
    expect(await pay(await talk(hub, { tools: [changed] })), JSON.stringify(changed)).toContain("for always");
  expect(await pay(await talk(hub, { origin: "https://other.example" }), true)).toBe("asked, result: paid");
});

test("what was refused for always is refused as another tab's tool, too, by whichever name it is listed", async () => {
  let name = "parent-window_pay";
  const model = playModel(({ body }): ModelTurn => {
    const last = body.messages.at(-1);
    return last?.role === "tool" ? { text: `result: ${String(last.content)}` } : { calls: [{ name }] };
  });
  const hub = await startHub({ ai: { provider: "openai", model: "m", fetch: model.fetch } });
  hub.allow("https://bank.example");
  expect(await pay(await talk(hub), never)).toContain("did not allow");
  const tools = [{ name: "pay", inputSchema, annotations: { readOnlyHint: true } }];
  const tab = await connectPage(hub.url, { tools });
  for (name of ["other-tab_pay", "other-tab_shop__pay"]) {
    const client = await talk(hub, { tools: [], other_tabs: true });
    expect(await pay(client), name).toContain("for always");
    await connectPage(hub.url, { origin: "https://bank.example", app: "bank", tab: "tab-2", tools });
  }
  expect(tab.calls).toEqual([]);
});

test("a tool that changed, or is another origin's, is asked about again", async () => {
  const hub = await startPaying();
  await pay(await talk(hub), always);
  for (const more of [
    { tools: [parentTool("pay", { description: "Pays everything." })] },
    { tools: [parentTool("pay", { parameters: { type: "object" } })] },
    { tools: [parentTool("pay", { annotations: { destructiveHint: false } })] },
    { origin: "https://other.example" },
    { origin: null },
  ])
    expect(await pay(await talk(hub, more), false), JSON.stringify(more)).toMatch(/^asked/);
  expect(await pay(await talk(hub))).toBe("result: paid");
});

test("a decision counts for the tool that was shown, whatever is requested in the meantime", async () => {
  const hub = await startPaying();
  const client = await talk(hub);
  const answer = client.run("send", "Pay", { tools: "page" });
  await client.until(() => statusesOf(client).includes("waiting"));
  const other = { tools: [parentTool("pay", { description: "Pays everything." })] };
  await offerTools(hub, { ...other, session_id: client.session });
  await expect(client.run("edit", "no-message", "Pay", { tools: "page" })).rejects.toThrow();
  const [call] = client.values["toolCalls"] as AiToolCallState[];
  await client.run("settleToolCall", call?.id, always);
  expect(await answer).toBe("result: paid");
  expect(await pay(await talk(hub, other), false)).toMatch(/^asked/);
  expect(await pay(await talk(hub))).toBe("result: paid");
});

test("what is taken back is asked about again, in a conversation that is open, too", async () => {
  const hub = await startPaying();
  const client = await talk(hub);
  await pay(client, always);
  const { body } = await askOwn(hub, "GET /api/consents", { token: hub.token });
  const consents = body?.["consents"] as { key: string }[];
  expect(consents).toEqual([{ key: expect.any(String), tool: "parent-window_pay", origin: shop, approved: true }]);
  await askOwn(hub, `DELETE /api/consents/${consents[0]?.key}`, { token: hub.token });
  expect(await pay(client, false)).toMatch(/^asked/);
});

test("it survives the hub", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pagewire-consents-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const store = () => openStore({ database: join(directory, "hub.db") });
  const hub = await startPaying({ store });
  await pay(await talk(hub), always);
  await hub.close();
  const next = await startPaying({ store });
  expect(await pay(await talk(next))).toBe("result: paid");
});

test("where an app has spoken nothing is allowed beforehand, and what was refused for always stays refused", async () => {
  const hub = await startPaying();
  const client = await talk(hub);
  await pay(client, always);
  const asked = client.run("send", "Pay", { tools: "page", from: "https://other.example" });
  await client.until(() => statusesOf(client).includes("waiting"));
  const [call] = client.values["toolCalls"] as AiToolCallState[];
  await client.run("settleToolCall", call?.id, never);
  expect(await asked).toContain("did not allow");
  // Decided for that call only.
  expect(await pay(await talk(hub))).toBe("result: paid");
  const wary = await startPaying();
  const other = await talk(wary);
  await pay(other, never);
  expect(await other.run("send", "Pay", { tools: "page", from: "https://other.example" })).toContain("for always");
});

test("what a page decides is for its own conversation, and what its user's assistant may do is not for it", async () => {
  const { fetch } = callOnce("pay");
  const tools = [{ ...serverTool("pay"), needsApproval: true }];
  const hub = await startHub({ ai: { provider: "openai", model: "m", fetch, tools } });
  const settle = async (client: CoreClient, decision: object) => {
    const answer = client.run("send", "Pay", {});
    await client.until(() => statusesOf(client).includes("waiting"));
    const [call] = client.values["toolCalls"] as AiToolCallState[];
    await client.run("settleToolCall", call?.id, decision);
    return answer;
  };
  const page = await startCore(hub.url, { origin: shop });
  expect(await settle(page, always)).toBe("result: pay ran");
  expect(await page.run("send", "Pay", {})).toBe("result: pay ran");
  const program = await startCore(hub.url, { token: hub.token });
  expect(await settle(program, always)).toBe("result: pay ran");
  const another = await startCore(hub.url, { origin: shop });
  expect(await settle(another, { approved: false, scope: "once" })).toContain("did not allow");
});

test("a user is notified while a permanent decision is not saved; it takes effect anyway", async () => {
  const store = createFailingStore();
  const hub = await startPaying({ store: () => store });
  const client = await talk(hub);
  store.failure = "full";
  expect(await pay(client, always)).toBe("asked, result: paid");
  const toldOf = (values: Readonly<Record<string, unknown>>) => (values["notSaved"] as AiNotSaved | null)?.message;
  await client.until((values) => toldOf(values)?.includes("What you decided about parent-window_pay") === true);
  expect(toldOf(client.values)).toContain("the hub's disk is full");
  expect(await pay(await talk(hub))).toBe("result: paid");
  store.failure = undefined;
  await client.run("send", "Hello", {});
  await client.until(({ notSaved }) => notSaved === null);
  expect([...(await store.records("consents", "local")).values()]).toMatchObject([{ approved: true }]);
});
