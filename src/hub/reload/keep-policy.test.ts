import { expect, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { createAuditedStore } from "../audit/test-support/audited.test-helper.ts";
import { startCore } from "../doors/core/core.test-helper.ts";
import { callOnce } from "../doors/core/model.test-helper.ts";
import { readOnly, settle, startTalking, talk } from "../doors/core/talk.test-helper.ts";
import { delegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { connectClient, revisions } from "../doors/mcp/test-support/mcp-client.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { HubOptions } from "../options/options.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";

/** Options of a hub with these rules, which can be replaced, and with a readable audit. */
function withRules(...rules: readonly object[]) {
  let text = JSON.stringify({ rules });
  const listeners = new Set<() => void>();
  const store = createAuditedStore();
  const options: Omit<Partial<HubOptions>, "ai"> = {
    policy: () => (text === "" ? undefined : parsePolicy(text)),
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    store: () => store,
    limits: { twinPause: 0 },
  };
  const write = (next: string) => {
    text = next;
    for (const listener of listeners) listener();
  };
  return { options, store, write };
}

const inputSchema = { type: "object" } as const;
const work = { name: "work", inputSchema, ...readOnly };
const denyWork = { name: "no-work", tool: "work", decision: "deny" };
const askWork = { name: "ask-first", tool: "work", decision: "ask" };

test("PO7: one rule holds at every door that has calls: HTTP, sockets, MCP of all revisions, terminals and the hub's own model", async () => {
  const { options, store } = withRules(denyWork);
  const hub = await startTalking(callOnce("work"), options);
  const page = await connectPage(hub.url, { tools: [work] });
  const { status, text } = await callTool(hub, "work");
  expect([status, JSON.parse(text)]).toMatchObject([403, { error: { code: "policy-denied" }, ran: "no" }]);
  const agent = await connectAgent(hub.url, { token: hub.token });
  expect(await agent.call("work", { id: "1" })).toMatchObject({
    frame: { outcome: "rejected", code: "policy-denied" },
  });
  for (const revision of revisions) {
    const client = await connectClient(hub, { revision });
    expect(await client.callTool({ name: "work", arguments: {} })).toMatchObject({
      isError: true,
      _meta: { "pagewire/code": "policy-denied", "pagewire/ran": "no" },
    });
  }
  const terminal = await openTerminal(hub, page.tabId);
  expect((await delegate(hub, terminal)).json).toMatchObject({ code: "policy-denied", outcome: "rejected", ran: "no" });
  const core = await startCore(hub.url, { token: hub.token });
  expect(await core.run("send", "x", { tools: "page" })).toContain("policy does not let you use");
  await hub.close();
  expect(page.calls).toEqual([]);
  const records = store.of("call", "door", "outcome", "code", "decidedBy", "details");
  expect(records).toEqual(
    ["http", "socket", "mcp", "mcp", "delegate", "model"].map((door) => [
      door,
      "rejected",
      "policy-denied",
      "policy",
      { rule: "no-work" },
    ]),
  );
});

test("PO7: it holds in the agent's window, too, for the tools of the page that opened it", async () => {
  const { options, store } = withRules({ ...denyWork, door: "window", origin: shop });
  const hub = await startTalking(callOnce("parent-window_work"), options);
  const { client, window } = await talk(hub);
  expect(await client.run("send", "x", { tools: "page" })).toContain('policy does not let you use \\"work\\"');
  await hub.close();
  expect(window.came).toEqual([]);
  expect(store.of("call", "door", "code", "ran", "decidedBy", "details")).toEqual([
    ["window", "policy-denied", "no", "policy", { rule: "no-work" }],
  ]);
});

test.each(revisions)(
  "a client of %s that can ask its user does so, and the audit says who allowed it",
  async (revision) => {
    const { options, store } = withRules(askWork);
    const hub = await startHub(options);
    const page = await connectPage(hub.url, { tools: [work] });
    const client = await connectClient(hub, { revision, capabilities: { elicitation: { form: {} } } });
    let content = { allow: false };
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content };
    });
    const call = () => client.callTool({ name: "work", arguments: {} });
    expect(await call()).toMatchObject({ isError: true, _meta: { "pagewire/code": "policy-declined" } });
    content = { allow: true };
    expect(await call()).toMatchObject({ content: [{ text: "done" }] });
    const mute = await connectClient(hub, { revision });
    expect(await mute.callTool({ name: "work", arguments: {} })).toMatchObject({
      isError: true,
      _meta: { "pagewire/code": "policy-unasked" },
    });
    await hub.close();
    expect(asked).toHaveLength(2);
    expect(page.calls).toHaveLength(1);
    expect(store.of("call", "code", "decidedBy", "details")).toEqual([
      ["policy-declined", "user", { rule: "ask-first" }],
      [undefined, "user", { rule: "ask-first" }],
      ["policy-unasked", "policy", { rule: "ask-first" }],
    ]);
  },
);

test("the hub's own model asks its user about each call, also of a tool that only reads, and nothing is decided for always", async () => {
  const { options, store } = withRules(askWork);
  const hub = await startTalking(callOnce("parent-window_work"), options);
  const { client, window } = await talk(hub);
  for (const _ of [1, 2]) {
    const { answer, asked } = await settle(client, {}, { approved: true, scope: "always" });
    expect([answer, asked]).toMatchObject(["result: work ran", [{ approval: { once: true } }]]);
  }
  const { answer } = await settle(client, {}, false);
  expect(answer).not.toBe("result: work ran");
  await hub.close();
  expect(window.came).toHaveLength(2);
  expect(store.of("call", "outcome", "decidedBy")).toEqual([
    ["ok", "user"],
    ["ok", "user"],
    ["rejected", "user"],
  ]);
});

test("of a tab's tool it asks so, too", async () => {
  const { options } = withRules(askWork);
  const hub = await startTalking(callOnce("work"), options);
  const page = await connectPage(hub.url, { tools: [work] });
  const client = await startCore(hub.url, { token: hub.token });
  const { answer, asked } = await settle(client, {}, true);
  expect([answer, asked.length, page.calls.length]).toEqual(["result: done", 1, 1]);
});

test("PO10: another policy holds at once, one that cannot be used leaves the one before it, and both are in the audit", async () => {
  const { options, store, write } = withRules(denyWork);
  const hub = await startHub(options);
  await connectPage(hub.url, { tools: [work] });
  const readiness = async () => (await fetch(`${hub.url}/readyz`)).text();
  const statusOf = async () => (await callTool(hub, "work")).status;
  expect([await statusOf(), await readiness()]).toEqual([403, "ready\n"]);
  write('{\n"rules": [{}]}');
  write('{\n"rules": [{}]}');
  expect(await statusOf()).toBe(403);
  expect(await readiness()).toBe("ready\nthe policy file cannot be used: the policy before it holds\n");
  expect(hub.records.filter(({ event }) => event === "policy-refused")).toMatchObject([
    { level: "error", message: expect.stringMatching(/^line 2, column 11: .*The policy before it holds\.$/) },
  ]);
  write('{"rules":[]}');
  expect([await statusOf(), await readiness()]).toEqual([200, "ready\n"]);
  write("");
  expect(await statusOf()).toBe(200);
  await hub.close();
  expect(store.of("policy", "name", "outcome", "details")).toMatchObject([
    ["policy.json", "refused", { problem: expect.stringContaining("line 2") }],
    ["policy.json", "changed", { rules: 0, digest: expect.any(String) }],
    ["policy.json", "changed", { rules: 0 }],
  ]);
});

test("PO10: a hub whose policy cannot be used when it starts does not start", async () => {
  await expect(startHub({ policy: () => parsePolicy("{") })).rejects.toThrow("line 1, column 2");
});
