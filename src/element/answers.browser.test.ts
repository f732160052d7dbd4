import { expect, onTestFinished, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator, pageToolboxes } from "../toolbox/index.ts";
import { nextEvent, prepare } from "./agent.test-helper.ts";

test('`tools="page"` gives the model what the page offers', async () => {
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator });
  pageToolboxes.add(toolbox);
  onTestFinished(() => void pageToolboxes.delete(toolbox));
  toolbox.registerTool({
    name: "get_basket",
    description: "What is in the basket.",
    annotations: { readOnlyHint: true },
    execute: () => "two teas",
  });
  const { agent, model } = prepare(`<ai-agent provider="openai" model="m" tools="page"></ai-agent>`);
  const sending = agent.send();
  const request = await model.next();
  expect(request.body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(["get_basket"]);
  const call = { index: 0, id: "c1", type: "function", function: { name: "get_basket", arguments: "{}" } };
  request.say({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  request.say({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  request.say("[DONE]");
  const second = await model.next();
  expect(second.body.messages.at(-1).content).toContain("two teas");
  second.end("Two teas.");
  expect(await sending).toBe("Two teas.");
});

test("thoughts and the parts of a structured answer are there as they come", async () => {
  const { agent, model } = prepare();
  agent.responseSchema = { type: "object", properties: { rating: { type: "integer" } } };
  const sending = agent.send();
  const request = await model.next();
  const thought = nextEvent(agent, "ai-agent:reasoning-changed");
  request.say({ choices: [{ index: 0, delta: { reasoning_content: "Good tea." } }] });
  expect([await thought, agent.reasoning]).toEqual(["Good tea.", "Good tea."]);
  const part = nextEvent(agent, "ai-agent:object-changed", (object) => object !== null && "rating" in Object(object));
  request.say({ choices: [{ index: 0, delta: { content: '{"rating": 5, "summa' } }] });
  expect(await part).toMatchObject({ rating: 5 });
  request.end('ry": "Fine"}');
  expect([JSON.parse((await sending) ?? ""), agent.object]).toEqual([
    { rating: 5, summary: "Fine" },
    { rating: 5, summary: "Fine" },
  ]);
});
