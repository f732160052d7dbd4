import { expect, test } from "vitest";
import { parsePolicy } from "../policy/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";
import type { TestCall } from "./board.test-helper.ts";

const elicits = { asks: ["elicitation/create"] } as const;

function under(rules: readonly object[], limits: Parameters<typeof createBoard>[0] = {}) {
  return createBoard(limits, undefined, { policy: parsePolicy(JSON.stringify({ rules })) });
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

async function questionOf(call: TestCall): Promise<JsonObject> {
  await soon();
  const [, ask, method, parameters] = call.heard.find((said) => (said as unknown[])[0] === "ask") as string[];
  expect([ask, method]).toEqual(["pagewire/allow", "elicitation/create"]);
  return JSON.parse(parameters ?? "") as JsonObject;
}

const answer = (call: TestCall, action: string, content?: object) =>
  call.handle.answer("pagewire/allow", { payload: JSON.stringify({ action, content }) });

const allow = (call: TestCall) => answer(call, "accept", { allow: true });

const denied = { outcome: "rejected", ran: "no", code: "policy-denied" };

test("PO2: a call that a rule denies is rejected and does not run, by any of its names", async () => {
  const { page, agent, ended } = under([{ tool: "pay", decision: "deny" }]);
  const shop = page({ tools: [tool("pay"), tool("look")] });
  page({ origin: "https://bank.example", app: "bank", tools: [tool("pay", { description: "Another." })] });
  const { call } = agent();
  const through = { name: "call_tab_tool", arguments: JSON.stringify({ tabId: shop.tabId, name: "pay" }) };
  const calls = [
    call("shop__pay"),
    call("bank__pay"),
    call("pay", { tab: shop.tabId }),
    call("call_tab_tool", through),
  ];
  await soon();
  expect(calls.map(({ end }) => end)).toEqual([denied, denied, denied, denied]);
  expect(shop.calls).toEqual([]);
  call("look");
  expect(shop.calls).toHaveLength(1);
  expect(ended).toHaveLength(4);
});

test("PO2: resources, prompts and the hub's own tools are calls, too", async () => {
  const { page, agent } = under([{ agent: "agent", decision: "deny" }]);
  const shop = page();
  const uri = "shop://orders";
  shop.say(
    { type: "offer" },
    JSON.stringify({ tools: [], resources: [{ uri, name: "Orders" }], prompts: [{ name: "p" }] }),
  );
  const { call } = agent();
  const calls = [
    call(uri, { method: "resources/read" }),
    call("p", { method: "prompts/get" }),
    call("list_browser_tabs"),
    call("list_tab_tools"),
  ];
  await soon();
  expect(calls.map(({ end }) => end)).toEqual([denied, denied, denied, denied]);
  const other = agent({ identity: "other" }).call("list_browser_tabs");
  await soon();
  expect(other.end).toMatchObject({ outcome: "ok" });
});

test("PO2: a denied call may be repeated under its key once the policy allows it, and one that ran is answered again", async () => {
  const { page, agent } = under([{ tool: "pay", rate: "1/day", decision: "allow" }]);
  const shop = page({ tools: [tool("pay")] });
  const { call } = agent();
  call("pay", { key: "one" });
  shop.ack();
  shop.answer("{}");
  const [again, second] = [call("pay", { key: "one" }), call("pay", { key: "two" })];
  await soon();
  expect(again.end).toMatchObject({ outcome: "ok", replay: true });
  expect(second.end).toEqual({ outcome: "rejected", ran: "no", code: "policy-rate" });
  expect(shop.calls).toHaveLength(1);
});

test("PO2: a waiting call does not move to a page that its rule denies", async () => {
  const { page, agent } = under([{ origin: "https://bank.example", decision: "deny" }], { graceTime: 1000 });
  const shop = page({ tools: [tool("pay")] });
  shop.lose("cut");
  const waiting = agent().call("pay");
  const bank = page({ origin: "https://bank.example", app: "bank", tools: [tool("pay")] });
  shop.lose("gone");
  shop.session.receive({ type: "bye", final: true }, "");
  await soon();
  expect(bank.calls).toEqual([]);
  expect(waiting.end?.["outcome"]).not.toBe("ok");
});

test("PO3: the caller's user allows it", async () => {
  const { page, agent } = under([{ tool: "pay", decision: "ask" }]);
  const shop = page({ tools: [tool("pay", { title: "Pay" })] });
  const call = agent(elicits).call("pay", { arguments: '{"amount":3}' });
  const { message, requestedSchema } = await questionOf(call);
  expect(message).toBe(
    'agent wants to use pay of https://shop.example, which calls it "Pay". The hub\'s policy asks you first. Arguments: {"amount":3}',
  );
  expect(requestedSchema).toMatchObject({ properties: { allow: { type: "boolean" } }, required: ["allow"] });
  expect(shop.calls).toEqual([]);
  allow(call);
  shop.ack();
  shop.answer("{}");
  expect(call.end).toMatchObject({ outcome: "ok", ran: "yes" });
  expect(shop.calls).toHaveLength(1);
});

test.each([
  ["declines", "policy-declined", (call: TestCall) => answer(call, "decline")],
  ["cancels", "policy-declined", (call: TestCall) => answer(call, "cancel")],
  ["sends the form without a word", "policy-declined", (call: TestCall) => answer(call, "accept", {})],
  ["says no", "policy-declined", (call: TestCall) => answer(call, "accept", { allow: false })],
  ["says yes in another form", "policy-declined", (call: TestCall) => answer(call, "accept", { allow: "true" })],
  [
    "cannot be asked",
    "policy-unasked",
    (call: TestCall) => call.handle.answer("pagewire/allow", { code: "ask-unsupported", message: "No." }),
  ],
  ["answers nonsense", "policy-unasked", (call: TestCall) => call.handle.answer("pagewire/allow", { payload: "x" })],
] as const)("PO3: where the user %s, the call does not run: %s", async (_, code, decide) => {
  const { page, agent } = under([{ decision: "ask" }]);
  const shop = page({ tools: [tool("pay")] });
  const call = agent(elicits).call("pay");
  await questionOf(call);
  decide(call);
  allow(call);
  await soon();
  expect(call.end).toEqual({ outcome: "rejected", ran: "no", code });
  expect(shop.calls).toEqual([]);
});

test("PO3: a call whose user cannot be asked is refused with that reason", async () => {
  const { page, agent } = under([{ name: "careful", decision: "ask" }]);
  page({ tools: [tool("pay")] });
  const [mute, other] = [agent().call("pay"), agent({ asks: ["roots/list"] }).call("list_browser_tabs")];
  await soon();
  const end = { outcome: "rejected", ran: "no", code: "policy-unasked" };
  expect([mute.end, other.end]).toEqual([end, end]);
  expect(mute.outcomes[0]?.message).toContain('(rule "careful"), and nobody can be asked');
});

test("PO3: a user who does not answer in time, a caller that cancels, and a hub that stops end the wait, and nothing runs", async () => {
  const { page, agent, clock, switchboard } = under([{ decision: "ask" }]);
  const shop = page({ tools: [tool("pay")] });
  const { call } = agent(elicits);
  const late = call("pay", { left: 1000 });
  const cancelled = call("pay", { arguments: '{"n":2}' });
  const stopped = call("pay", { arguments: '{"n":3}' });
  await questionOf(late);
  cancelled.handle.cancel();
  await clock.advance(1000);
  switchboard.close();
  await soon();
  expect([late, cancelled, stopped].map(({ end }) => end)).toEqual([
    { outcome: "deadline-exceeded", ran: "no", code: "deadline-exceeded" },
    { outcome: "cancelled", ran: "no", code: "cancelled" },
    { outcome: "rejected", ran: "no", code: "going-away" },
  ]);
  allow(late);
  expect(shop.calls).toEqual([]);
});

test("PO3: only the tool that the user was shown is allowed: one that changed in the meantime does not run", async () => {
  const { page, agent } = under([{ decision: "ask" }]);
  const shop = page({ tools: [tool("pay")] });
  const call = agent(elicits).call("pay");
  await questionOf(call);
  shop.offer(tool("pay", { description: "Pays everything." }));
  allow(call);
  await soon();
  expect(call.end).toEqual({ outcome: "rejected", ran: "no", code: "policy-unasked" });
  expect(shop.calls).toEqual([]);
});

test("PO3: two calls under one key, each allowed, run once; their waits count as calls in flight", async () => {
  const { page, agent } = under([{ decision: "ask" }], { callsPerAgent: 2 });
  const shop = page({ tools: [tool("pay")] });
  const { call } = agent(elicits);
  const [one, other, third] = [call("pay", { key: "k" }), call("pay", { key: "k" }), call("pay", { key: "l" })];
  await questionOf(one);
  expect(third.end).toMatchObject({ code: "calls-too-many" });
  allow(one);
  allow(other);
  shop.ack();
  shop.answer("{}");
  await soon();
  expect(shop.calls).toHaveLength(1);
  expect([one.end?.["outcome"], other.end?.["outcome"]]).toEqual(["ok", "ok"]);
});

test("PO3: no text of a page's can hide in a question", async () => {
  const { page, agent } = under([{ decision: "ask" }]);
  page({ tools: [tool("pay", { title: 'Read" of https://bank.example' })] });
  const call = agent(elicits).call("pay", { arguments: `{"text":"\u202E${"x".repeat(5000)}"}` });
  const { message } = await questionOf(call);
  expect(message).toContain('of https://shop.example, which calls it "Read\\" of https://bank.example".');
  expect(message).toContain('{"text":"⟨U+202E⟩xxx');
  expect((message as string).length).toBeLessThan(1500);
});

test("PO3: if the caller cannot ask, only a page that declares that it can gets the call to ask about", async () => {
  const { page, agent } = under([{ decision: "ask" }]);
  const shop = page({ tools: [tool("pay")], approves: true });
  const bank = page({ origin: "https://bank.example", app: "bank", tools: [tool("send")] });
  const { call } = agent();
  const [asked, unasked] = [call("pay"), call("send")];
  expect(shop.calls).toMatchObject([{ name: "pay", approve: true }]);
  shop.ack();
  shop.answer("{}");
  await soon();
  expect([asked.end, unasked.end]).toMatchObject([{ outcome: "ok" }, { code: "policy-unasked" }]);
  expect(bank.calls).toEqual([]);
  const elicited = agent({ ...elicits, identity: "other" }).call("pay");
  await questionOf(elicited);
  allow(elicited);
  expect(shop.calls[1]).toMatchObject({ name: "pay" });
  expect(shop.calls[1]).not.toMatchObject({ approve: true });
});

test("PO3: a page that comes back and can no longer ask does not get the call that it was to ask about", async () => {
  const { page, agent } = under([{ decision: "ask" }], { graceTime: 1000 });
  const shop = page({ tabId: "tab-1", tools: [tool("pay")], approves: true });
  shop.lose("cut");
  const call = agent().call("pay");
  const older = page({ tabId: "tab-1", tools: [tool("pay")] });
  await soon();
  expect(call.end).toEqual({ outcome: "rejected", ran: "no", code: "policy-unasked" });
  expect([...shop.calls, ...older.calls]).toEqual([]);
});

test("B11: no page asks its caller in the words of the hub's policy", () => {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const call = board.agent(elicits).call("buy");
  page.ack();
  page.say({ type: "ask", id: "call-1", ask: "pagewire/allow", method: "elicitation/create" }, '{"message":"Allow?"}');
  expect(call.heard).toEqual([["acked", "tab-1"]]);
});
