import { expect, test, vi } from "vitest";
import type { Approve } from "../toolbox/index.ts";
import type { AiTool, AiToolCallState, AiToolDecision } from "./index.ts";
import { createConversation, nextEvent, settled } from "./model.test-helper.ts";
import type { ModelRequest } from "./model.test-helper.ts";

function pay(more: Partial<AiTool> = {}): AiTool {
  const parameters = { type: "object", properties: { amount: { type: "number" } } };
  return { name: "pay", description: "Pays.", parameters, needsApproval: true, handler: () => "paid", ...more };
}

function call(request: ModelRequest, amount = 5): void {
  request.finish({ toolCallDeltas: [{ index: 0, id: "c0", name: "pay", argumentsDelta: JSON.stringify({ amount }) }] });
}

const refused = '{"error":"The user did not allow the tool \\"pay\\" to run."}';

function createShop(more: Partial<AiTool> = {}, options: NonNullable<Parameters<typeof createConversation>[0]> = {}) {
  const shop = createConversation({ tools: [pay(more)], ...options });
  const { core, model, send } = shop;
  const waits = () =>
    nextEvent<AiToolCallState[]>(core, "tool-calls-changed", ([shown]) => shown?.status === "waiting");
  /** The model calls `pay`, the test decides, and the result is what the model receives. */
  const told = async (decide: () => unknown = () => {}, amount = 5) => {
    const answer = send("Pay.");
    call(await model.next(), amount);
    await decide();
    const request = await model.next();
    const { content } = request.body.messages.at(-1) ?? {};
    request.finish({ delta: "Done." });
    await answer;
    return content;
  };
  return { ...shop, waits, told };
}

test("a call that needs approval waits, and says with what it will run", async () => {
  const { core, model, send, waits } = createShop();
  const answer = send("Pay.");
  call(await model.next());
  const [waiting] = await waits();
  expect(waiting).toMatchObject({
    id: "c0",
    status: "waiting",
    approval: { tool: "pay", arguments: { amount: 5 }, agent: { name: "test-model" }, reason: expect.any(String) },
  });
  expect(core.settleToolCall("c0", true)).toBe(true);
  const request = await model.next();
  expect(request.body.messages.at(-1)?.content).toBe("paid");
  request.finish({ delta: "Done." });
  expect(await answer).toBe("Done.");
  expect(core.toolCalls).toEqual([
    { id: "c0", name: "pay", arguments: '{"amount":5}', status: "done", result: "paid" },
  ]);
});

test("a question has the tool's own description, and whether the tool says that it destroys something", async () => {
  const { core, waits, told } = createShop({
    description: `Pays.${"!".repeat(3000)}`,
    annotations: { destructiveHint: true },
  });
  const waiting = waits();
  await told(async () => {
    const [call] = await waiting;
    expect(call?.approval).toMatchObject({ description: `Pays.${"!".repeat(1995)}`, destructive: true });
    core.settleToolCall("c0", true);
  });
});

test.each<[unknown, string]>([
  [true, "paid"],
  [{ approved: true, scope: "once" }, "paid"],
  [false, refused],
  [{ approved: false, scope: "once" }, refused],
  ["yes", refused],
  [{ approved: "yes" }, refused],
  [null, refused],
])("settleToolCall with %j", async (decision, expected) => {
  const { core, waits, told } = createShop();
  const waiting = waits();
  const content = await told(async () => {
    await waiting;
    core.settleToolCall("c0", decision as AiToolDecision);
  });
  expect(content).toBe(expected);
  expect(core.toolCalls[0]?.status).toBe(expected === refused ? "refused" : "done");
});

test("settleToolCall is false where no such call waits", async () => {
  const { core, model, send, waits } = createShop();
  expect(core.settleToolCall("c0", true)).toBe(false);
  const answer = send("Pay.");
  call(await model.next());
  await waits();
  expect(core.settleToolCall("c1", true)).toBe(false);
  core.abort();
  expect(await answer).toBeNull();
  expect(core.settleToolCall("c0", true)).toBe(false);
  expect(core.toolCalls).toMatchObject([{ status: "failed" }]);
});

test("a call is settled once", async () => {
  const { core, waits, told } = createShop();
  const waiting = waits();
  await told(async () => {
    await waiting;
    expect(core.settleToolCall("c0", false)).toBe(true);
    expect(core.settleToolCall("c0", true)).toBe(false);
  });
});

test("the approve of the options is asked, and given the signal of the send", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "once" }));
  const { told } = createShop({}, { approve });
  expect(await told()).toBe("paid");
  expect(approve).toHaveBeenCalledExactlyOnceWith(
    {
      tool: "pay",
      description: "Pays.",
      arguments: { amount: 5 },
      agent: { name: "test-model" },
      reason: expect.any(String),
    },
    expect.any(AbortSignal),
  );
});

test("an approve that fails is a refusal", async () => {
  const { told } = createShop({}, { approve: () => Promise.reject(new Error("closed")) });
  expect(await told()).toBe(refused);
});

test("an approve that answers after the send was stopped runs nothing", async () => {
  const handler = vi.fn<() => void>();
  let decide: (decision: { approved: true; scope: "once" }) => void = () => {};
  const { core, model, send, waits } = createShop(
    { handler },
    { approve: () => new Promise((resolve) => (decide = resolve)) },
  );
  const answer = send("Pay.");
  call(await model.next());
  await waits();
  await settled();
  core.abort();
  decide({ approved: true, scope: "once" });
  await settled();
  expect(await answer).toBeNull();
  expect(handler).not.toHaveBeenCalled();
});

test.each(["abort", "settle"] as const)("approve is not asked where a listener has decided to %s", async (what) => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "once" }));
  const { core, model, send } = createShop({}, { approve });
  core.addEventListener("ai-agent:tool-calls-changed", () => {
    if (core.toolCalls[0]?.status !== "waiting") return;
    if (what === "abort") core.abort();
    else core.settleToolCall("c0", false);
  });
  const answer = send("Pay.");
  call(await model.next());
  if (what === "settle") (await model.next()).finish({ delta: "Done." });
  expect(await answer).toBe(what === "settle" ? "Done." : null);
  await settled();
  expect(approve).not.toHaveBeenCalled();
});

test("a tool that decides after the send was stopped does not ask", async () => {
  const decisions: ((isNeeded: boolean) => void)[] = [];
  const needsApproval = vi.fn<() => Promise<boolean>>(() => new Promise((resolve) => decisions.push(resolve)));
  const { core, model, send } = createShop({ needsApproval });
  const answer = send("Pay.");
  call(await model.next());
  await vi.waitFor(() => expect(needsApproval).toHaveBeenCalled());
  core.abort();
  expect(await answer).toBeNull();
  decisions[0]?.(true);
  await settled();
  expect(core.toolCalls).toMatchObject([{ status: "failed" }]);
  expect(core.settleToolCall("c0", true)).toBe(false);
});

test("a tool may need approval for some arguments only", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: false, scope: "once" }));
  const { told } = createShop(
    { needsApproval: ({ amount }: { amount: number }) => Promise.resolve(amount > 10) },
    { approve },
  );
  expect(await told(undefined, 5)).toBe("paid");
  expect(approve).not.toHaveBeenCalled();
  expect(await told(undefined, 50)).toBe(refused);
});

test.each(["session", "always"] as const)(
  "an approval for %s holds for the core and the tool as it is",
  async (scope) => {
    const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope }));
    const { core, told, options } = createShop({}, { approve });
    expect(await told()).toBe("paid");
    expect(await told()).toBe("paid");
    expect(approve).toHaveBeenCalledOnce();
    options.tools = [pay({ description: "Pays twice." })];
    await told();
    expect(approve).toHaveBeenCalledTimes(2);
    expect(core.error).toBeNull();
  },
);

test("a refusal for always holds, too; one for once does not", async () => {
  const decisions = [
    { approved: false, scope: "once" },
    { approved: false, scope: "always" },
  ] as const;
  let asked = 0;
  const { told } = createShop({}, { approve: () => Promise.resolve(decisions[asked++] ?? decisions[0]) });
  for (let turn = 0; turn < 4; turn++) expect(await told()).toBe(refused);
  expect(asked).toBe(2);
});

test("a refusal for always holds for the tool's name and origin, whatever else changes of it", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: false, scope: "always" }));
  const { told, options } = createShop({ origin: "https://shop.example" }, { approve });
  expect(await told()).toBe(refused);
  for (const more of [
    { description: "Pays!", needsApproval: false },
    { needsApproval: () => false },
    { needsApproval: "each-call" as const },
    { parameters: { type: "object" } },
  ]) {
    options.tools = [pay({ origin: "https://shop.example", ...more })];
    expect(await told(), JSON.stringify(more)).toBe(refused);
  }
  expect(approve).toHaveBeenCalledOnce();
  options.tools = [pay({ origin: "https://other.example" })];
  await told();
  expect(approve).toHaveBeenCalledTimes(2);
});

test("where an allowed tool says something else of itself, the question has both, with the words that differ", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "session" }));
  const { told, options } = createShop({ parameters: { type: "object" } }, { approve });
  await told();
  expect(approve.mock.lastCall?.[0]).not.toHaveProperty("changed");
  options.tools = [pay({ description: "Pays it twice.", parameters: { type: "object" } })];
  await told();
  const rest = { text: '.\n\n{\n  "type": "object"\n}' };
  expect(approve.mock.lastCall?.[0]).toMatchObject({
    reason: "The tool has changed since you allowed it. The tool asks for approval before it runs.",
    changed: {
      before: [{ text: `Pays${rest.text}` }],
      after: [{ text: "Pays" }, { text: " it twice", differs: true }, rest],
    },
  });
  options.tools = [pay({ description: "Pays it twice.", parameters: { type: "object" }, annotations: {} })];
  await told();
  expect(approve).toHaveBeenCalledTimes(3);
});

test.each([
  ["each-call" as const, undefined],
  [() => ({ textFrom: ["https://mail.example"], allowedAs: "Pays it." }), "Pays it."],
  [() => ({ allowedAs: "Pays it." }), "Pays it."],
  [() => ({ allowedAs: "" }), undefined],
])("what a tool said when it was allowed may come from who decides whether to ask: %s", async (needsApproval, was) => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "once" }));
  const { told } = createShop({ needsApproval }, { approve });
  await told();
  const { reason = "", changed } = approve.mock.lastCall?.[0] ?? {};
  expect(reason.includes("has changed since")).toBe(typeof needsApproval === "function");
  expect(changed?.before.map(({ text }) => text).join("")).toBe(was);
});

test("arguments that do not fit are refused before anyone is asked", async () => {
  const approve = vi.fn<Approve>();
  const { model, send } = createConversation({ tools: [pay()], approve });
  const answer = send("Pay.");
  (await model.next()).finish({
    toolCallDeltas: [{ index: 0, id: "c0", name: "pay", argumentsDelta: '{"amount":"x"}' }],
  });
  (await model.next()).finish({ delta: "Done." });
  await answer;
  expect(approve).not.toHaveBeenCalled();
});

test("with each-call every call is asked about, in spite of earlier decisions, and no decision is stored", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "always" }));
  const { told, options } = createShop({}, { approve });
  expect(await told()).toBe("paid");
  expect(await told()).toBe("paid");
  expect(approve).toHaveBeenCalledOnce();
  expect(approve.mock.lastCall?.[0]).not.toHaveProperty("once");
  const eachCall = "each-call" as const;
  for (const needsApproval of [eachCall, () => eachCall, async () => eachCall]) {
    options.tools = [pay({ needsApproval })];
    expect(await told()).toBe("paid");
    expect(await told()).toBe("paid");
    expect(approve.mock.lastCall?.[0]).toMatchObject({ once: true, reason: expect.stringContaining("Each call") });
  }
  expect(approve).toHaveBeenCalledTimes(7);
  options.tools = [pay({ description: "Pays anew.", needsApproval: "each-call" })];
  await told();
  options.tools = [pay({ description: "Pays anew." })];
  await told();
  expect(approve).toHaveBeenCalledTimes(9);
});

test("whoever is asked because of others' text is shown whose it is", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "always" }));
  const textFrom = ["https://mail.example", "http://localhost:5173", "unknown"];
  const { told } = createShop({ needsApproval: () => ({ textFrom }) }, { approve });
  for (let turn = 0; turn < 2; turn++) expect(await told()).toBe("paid");
  expect(approve).toHaveBeenCalledTimes(2);
  const reason = expect.stringMatching(
    /^Text from mail\.example, http:\/\/localhost:5173, an unknown page is in this conversation\. Each call/,
  );
  expect(approve.mock.lastCall?.[0]).toMatchObject({ once: true, textFrom, reason });
});

test("a refusal for always is not kept either", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: false, scope: "always" }));
  const { told } = createShop({ needsApproval: "each-call" }, { approve });
  expect(await told()).toBe(refused);
  expect(await told()).toBe(refused);
  expect(approve).toHaveBeenCalledTimes(2);
});

test("whoever is asked is shown the tool's title and origin, and consent holds for this origin", async () => {
  const approve = vi.fn<Approve>(() => Promise.resolve({ approved: true, scope: "always" }));
  const { told, options } = createShop({ title: "Pay now", origin: "https://shop.example" }, { approve });
  await told();
  await told();
  expect(approve).toHaveBeenCalledOnce();
  expect(approve.mock.lastCall?.[0]).toMatchObject({ title: "Pay now", origin: "https://shop.example" });
  for (const origin of ["https://other.example", undefined]) {
    options.tools = [pay(origin === undefined ? {} : { origin })];
    await told();
    expect(approve.mock.lastCall?.[0].origin).toBe(origin);
  }
  expect(approve).toHaveBeenCalledTimes(3);
});

test("a tool that throws instead of saying whether it needs approval is refused, in its words", async () => {
  const handler = vi.fn<() => void>();
  const needsApproval = () => Promise.reject(new Error("Not on Sundays."));
  const { core, told } = createShop({ needsApproval, handler });
  expect(await told()).toBe('{"error":"Not on Sundays."}');
  expect(core.toolCalls).toMatchObject([{ status: "refused" }]);
  expect(handler).not.toHaveBeenCalled();
});
