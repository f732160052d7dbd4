import { expect, test } from "vitest";
import { createModel, nextEvent, prepare, show } from "./agent.test-helper.ts";

test("an element that is taken away stops its request; one that is moved does not", async () => {
  const { agent, model } = prepare();
  const sending = agent.send();
  const request = await model.next();
  const elsewhere = document.createElement("section");
  agent.after(elsewhere);
  elsewhere.append(agent);
  agent.remove();
  elsewhere.prepend(agent);
  agent.conversation = "of no use here";
  await Promise.resolve();
  request.end("Hi");
  expect(await sending).toBe("Hi");
  const stopped = agent.send();
  const second = await model.next();
  agent.remove();
  expect(await stopped).toBeNull();
  expect([second.signal.aborted, agent.loading, agent.error]).toEqual([true, false, null]);
  expect(agent.messages).toHaveLength(2);
  elsewhere.append(agent);
  const again = agent.send();
  await model.answer("Back");
  expect(await again).toBe("Back");
});

test("an element that is nowhere in the document has its state, and can be asked", async () => {
  show("");
  const model = createModel();
  const agent = document.createElement("ai-agent");
  Object.assign(agent, { provider: "openai", model: "m", fetch: model.fetch, prompt: "Hello" });
  agent.messages = [
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
  ];
  const sending = agent.send();
  const request = await model.next();
  request.end("Three");
  expect([await sending, request.body.messages.length, agent.connection]).toEqual(["Three", 3, "local"]);
});

test("a last answer is asked for again, and a message is replaced, from the element", async () => {
  const { agent, model } = prepare();
  const sending = agent.send();
  await model.answer("One");
  await sending;
  const again = agent.regenerate();
  await model.answer("Two");
  expect(await again).toBe("Two");
  const edited = agent.edit(agent.messages[0]?.id ?? "", "Good night");
  await model.answer("Three");
  expect(await edited).toBe("Three");
  expect(agent.messages.map(({ content }) => content)).toEqual(["Good night", "Three"]);
});

test("a tool call that needs it waits until the page settles it", async () => {
  const { agent, model } = prepare();
  const runs: unknown[] = [];
  agent.tools = [
    {
      name: "pay",
      description: "Pays.",
      parameters: { type: "object", properties: { sum: { type: "number" } } },
      needsApproval: true,
      handler: (args) => (runs.push(args), "paid"),
    },
  ];
  const sending = agent.send();
  const call = { index: 0, id: "c1", type: "function", function: { name: "pay", arguments: '{"sum":5}' } };
  const request = await model.next();
  const waits = nextEvent(agent, "ai-agent:tool-calls-changed", (calls) => calls[0]?.status === "waiting");
  request.say({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  request.say({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  request.say("[DONE]");
  const [waiting] = await waits;
  expect([runs, agent.toolCalls[0]?.id, waiting?.approval?.tool]).toEqual([[], "c1", "pay"]);
  expect(agent.settleToolCall("c1", true)).toBe(true);
  await model.answer("Done");
  expect([await sending, runs, agent.settleToolCall("c1", true)]).toEqual(["Done", [{ sum: 5 }], false]);
});
