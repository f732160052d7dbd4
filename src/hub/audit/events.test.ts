import { expect, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { askTerminals, delegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { openView, mintShellCode, startShellHub } from "../doors/shell/shell.test-helper.ts";
import { connectClient } from "../doors/mcp/test-support/mcp-client.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { askOwn, exchange, signIn } from "../test-support/own.test-helper.ts";
import { byHand, connectPage } from "../test-support/page.test-helper.ts";
import { createAuditedStore } from "./test-support/audited.test-helper.ts";

const evil = "https://evil.example";

test("codes, sign-ins and sign-outs are records, and a code that is not good is one refusal", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store });
  const token = await signIn(hub, hub.token);
  await askOwn(hub, "POST /api/sign-out", { token });
  await exchange(hub, "no-code");
  await hub.close();
  expect(store.of("sign-in", "principal", "name", "outcome", "code", "decidedBy")).toEqual([
    ["local", "app", "code-made", undefined, "credential"],
    ["local", "app", "signed-in", undefined, "code"],
    ["local", "app", "signed-out", undefined, "user"],
    ["", undefined, "refused", "code-invalid", undefined],
  ]);
  expect(JSON.stringify(store.added)).not.toContain(token);
});

test("a sign-in for terminals names the page's origin, and that a page was refused is a record", async () => {
  const store = createAuditedStore();
  const hub = await startShellHub({ store: () => store });
  await openView(hub, { code: await mintShellCode(hub) });
  await openView(hub, { token: "pagewire-shell.x" });
  await hub.close();
  expect(store.of("sign-in", "name", "origin", "outcome")).toEqual([
    ["shell", undefined, "code-made"],
    ["shell", hub.url, "signed-in"],
  ]);
});

test("that terminals were switched on is a record, and their key, in use from then on, no other one", async () => {
  const store = createAuditedStore();
  const hub = await startShellHub({ store: () => store, whenLoaded: async () => {} });
  await askOwn(hub, "POST /api/shells", { token: hub.key, origin: undefined });
  hub.rotate(hub.token);
  await hub.close();
  expect(store.of("hub", "outcome", "details")[0]).toEqual(["started", expect.objectContaining({ terminals: false })]);
  expect(store.of("terminal", "principal", "outcome")).toEqual([["local", "switched-on"]]);
  expect(store.of("token", "outcome")).toEqual([]);
});

test("another token is a record, and so are other allowed origins, with which they are", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store });
  hub.rotate("another-token-of-this-test");
  hub.allow(evil);
  hub.disallow(evil);
  hub.disallow(evil);
  await hub.close();
  expect(store.of("token", "name", "outcome")).toEqual([["agent", "rotated"]]);
  expect(store.of("policy", "name", "outcome", "details")).toEqual([
    ["allowed-origins", "changed", { added: [evil], removed: [] }],
    ["allowed-origins", "changed", { added: [], removed: [evil] }],
  ]);
  expect(JSON.stringify(store.added)).not.toContain("another-token");
});

test("refused credentials are counted by their kind, however many there are", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store });
  for (let n = 0; n < 20; n++) await callTool({ url: hub.url, token: "wrong" }, "work");
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token: "wrong" }));
  await agent.verdict();
  await callTool(hub, "work", { headers: { Origin: evil } });
  await hub.close();
  expect(store.of("token", "outcome", "code", "details")).toEqual([
    ["refused", "token-invalid", { count: 1 }],
    ["refused", "origin-not-allowed", { count: 1 }],
    ["refused", "token-invalid", { count: 20 }],
  ]);
});

test("a terminal's beginning, its tabs and its end are records, and so is one too many", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store, limits: { terminalsPerPrincipal: 1 } });
  const { tabId } = await connectPage(hub.url);
  const terminal = await openTerminal(hub, tabId);
  await delegate(hub, terminal);
  await askTerminals(hub, "POST /api/terminals", { name: "more" });
  await askTerminals(hub, `DELETE /api/terminals/${terminal.id}`);
  await hub.close();
  expect(store.of("terminal", "principal", "name", "tab", "outcome", "code")).toEqual([
    ["local", terminal.id, undefined, "opened", undefined],
    ["local", terminal.id, tabId, "attached", undefined],
    ["local", undefined, undefined, "refused", "terminals-too-many"],
    ["local", terminal.id, undefined, "detached", undefined],
    ["local", terminal.id, undefined, "ended", undefined],
  ]);
  expect(JSON.stringify(store.added)).not.toContain(terminal.token);
});

test("what a page asks during a call is a record, with how it was answered and without the answer", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store });
  const page = await connectPage(hub.url, { handle: byHand });
  const method = "elicitation/create";
  const agent = await connectAgent(hub.url, { token: hub.token, asks: [method] });
  for (const [id, answer] of [
    ["1", '{"action":"accept","content":{"pin":"hunter2"}}'],
    ["2", '{"action":"decline"}'],
    ["3", undefined],
  ] as const) {
    const end = agent.call("work", { id });
    const { id: call } = await page.nextCall();
    page.ack(call);
    page.send({ type: "ask", id: call, ask: "a", method }, '{"message":"Sure?"}');
    const { frame } = await agent.next("ask");
    if (answer !== undefined) {
      agent.send({ type: "answer", id: frame.id, ask: frame.ask }, answer);
      await page.next("answer");
    }
    page.result(call, '{"content":[]}');
    await end;
  }
  await hub.close();
  expect(store.of("question", "agent", "door", "tab", "name", "outcome", "details")).toEqual(
    ["accept", "decline", "unanswered"].map((outcome) => ["tester", "socket", page.tabId, "work", outcome, { method }]),
  );
  expect(JSON.stringify(store.added)).not.toMatch(/hunter2|Sure/);
});

test("a page's question in rounds is recorded when it is asked, and the next call's record has the answer's kind", async () => {
  const store = createAuditedStore();
  const hub = await startHub({ store: () => store });
  const request = {
    method: "elicitation/create",
    params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
  };
  let round = 0;
  await connectPage(hub.url, {
    handle(call, page) {
      page.ack(call.id);
      if (round++ > 0) return page.result(call.id, '{"content":[]}');
      const asking = { resultType: "input_required", inputRequests: { q: request }, requestState: "s" };
      page.send({ type: "result", id: call.id, inputRequired: true }, JSON.stringify(asking));
    },
  });
  const client = await connectClient(hub, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
  await client.callTool({ name: "work", arguments: {} });
  await hub.close();
  expect(store.of("question", "name", "outcome", "details")).toEqual([
    ["work", "asked", { method: "elicitation/create" }],
  ]);
  expect(store.of("call", "outcome", "details")).toEqual([
    ["ok", { asks: true }],
    ["ok", { answers: ["accept"] }],
  ]);
});
