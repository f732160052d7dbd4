import { expect, test } from "vitest";
import type { SentRequest } from "./agent.test-helper.ts";
import { nextEvent, record } from "./agent.test-helper.ts";
import type { AiTool } from "./index.ts";
import { createServer, showRemote } from "./remote-server.test-helper.ts";

const parameters = { type: "object", properties: { sum: { type: "number" } } };
const look: AiTool = { name: "look", description: "Looks.", parameters, handler: () => ({ found: 2 }) };
const fail: AiTool = {
  name: "fail",
  description: "Fails.",
  parameters,
  handler: () => Promise.reject(new Error("broken")),
};
const pay: AiTool = { name: "pay", description: "Pays.", parameters, needsApproval: true, handler: () => "paid" };

function call(request: SentRequest, ...names: string[]): void {
  const calls = names.map((name, index) => ({
    index,
    id: `call-${name}`,
    type: "function",
    function: { name, arguments: '{"sum":5}' },
  }));
  request.say({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
  request.say({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  request.say("[DONE]");
}

test("the server's tool calls are reported like those in the page", async () => {
  const server = createServer({ tools: [look, fail] });
  const agent = showRemote();
  const heard = record(agent, "ai-agent:tool-call-requested", "ai-agent:tool-call-completed");
  const sending = agent.send();
  call(await server.model.next(), "look", "fail");
  await server.model.answer("Done");
  expect(await sending).toBe("Done");
  const toolCall = (name: string) => ({ id: `call-${name}`, name, arguments: '{"sum":5}' });
  expect(heard).toHaveLength(4);
  expect(heard).toEqual(
    expect.arrayContaining([
      ["tool-call-requested", { toolCall: toolCall("look") }],
      ["tool-call-requested", { toolCall: toolCall("fail") }],
      ["tool-call-completed", { toolCall: toolCall("look"), result: '{"found":2}' }],
      ["tool-call-completed", { toolCall: toolCall("fail"), error: expect.stringContaining("broken") }],
    ]),
  );
});

test("a call on the server that needs it waits for the page's settleToolCall", async () => {
  const server = createServer({ tools: [pay] });
  const agent = showRemote();
  const sending = agent.send();
  const waits = nextEvent(agent, "ai-agent:tool-calls-changed", (calls) => calls[0]?.status === "waiting");
  call(await server.model.next(), "pay");
  expect((await waits)[0]?.approval).toMatchObject({ tool: "pay", arguments: { sum: 5 } });
  expect([agent.settleToolCall("other", true), agent.settleToolCall("call-pay", true)]).toEqual([false, true]);
  const request = await server.model.next();
  request.end("Done");
  expect([await sending, request.body.messages.at(-1).content]).toEqual(["Done", "paid"]);
});

test.each([
  { decision: { approved: true, scope: "once" } as const, status: "done" },
  { decision: { approved: false, scope: "once" } as const, status: "refused" },
])("or the element's `approve` is asked, once: $status", async ({ decision, status }) => {
  const server = createServer({ tools: [pay] });
  const agent = showRemote();
  const asked: string[] = [];
  agent.approve = async ({ tool }) => (asked.push(tool), decision);
  const statuses: unknown[] = [];
  agent.addEventListener("ai-agent:tool-calls-changed", ({ detail }) => statuses.push(detail[0]?.status));
  const sending = agent.send();
  call(await server.model.next(), "pay");
  await server.model.answer("Done");
  expect(await sending).toBe("Done");
  expect(asked).toEqual(["pay"]);
  expect(statuses).toContain(status);
});

test("an `approve` that throws says no, and one that is not asynchronous is heard", async () => {
  const server = createServer({ tools: [pay] });
  const agent = showRemote();
  const answers = [
    () => {
      throw new Error("broken");
    },
    () => ({ approved: true, scope: "once" }),
  ];
  const statuses: unknown[] = [];
  agent.addEventListener("ai-agent:tool-calls-changed", ({ detail }) => statuses.push(detail[0]?.status));
  for (const approve of answers) {
    Object.assign(agent, { approve });
    const sending = agent.send();
    call(await server.model.next(), "pay");
    await server.model.answer("Done");
    expect(await sending).toBe("Done");
  }
  expect(statuses.filter((status) => status === "refused" || status === "done")).toEqual(["refused", "done"]);
});

test("the question to the user is withdrawn when the answer is stopped", async () => {
  const server = createServer({ tools: [pay] });
  const agent = showRemote();
  const isAsked = new Promise<AbortSignal>((resolve) => {
    agent.approve = (_, signal) => {
      resolve(signal);
      return new Promise(() => {});
    };
  });
  const sending = agent.send();
  call(await server.model.next(), "pay");
  const signal = await isAsked;
  const gone = new Promise((resolve) => signal.addEventListener("abort", resolve));
  agent.abort();
  await gone;
  expect(await sending).toBeNull();
});
