// A page's tools in the loops of others: the packages are those on npm, the model is scripted.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { langChainTools, mastraTools, openaiTools } from "../../src/ai/sdks/index.ts";
import type { JsonBody } from "../agents/model/model-format.ts";
import { openAiChat } from "../agents/model/openai-chat.ts";
import { openAiResponses } from "../agents/model/openai-responses.ts";
import { startScriptedModel } from "../agents/model/scripted-model.ts";
import type { ScriptedModel } from "../agents/model/scripted-model.ts";
import { record, versionOf } from "./support/record.ts";
import { createShelf } from "./support/shelf.ts";

const shelf = createShelf();
const question = "How many pieces are on shelf A?";
let responses: ScriptedModel;
let chat: ScriptedModel;

beforeAll(async () => {
  [responses, chat] = await Promise.all([startScriptedModel(openAiResponses), startScriptedModel(openAiChat)]);
});
afterAll(async () => {
  await responses?.close();
  await chat?.close();
});
beforeEach(() => shelf.asked.splice(0));

/** Installed here only, so no types are known. */
const load = (name: string): Promise<JsonBody> => import(/* @vite-ignore */ name);

const isCall = ({ type }: JsonBody) => type === "function_call";

function script(model: ScriptedModel): void {
  model.script(
    () => ({ call: { tool: { name: "get_stock" }, input: { shelf: "A" } } }),
    () => ({ call: { tool: { name: "clear_shelf" }, input: {} } }),
    () => ({ text: "There are 42." }),
  );
}

async function check(model: ScriptedModel, name: string, run: string): Promise<void> {
  expect(shelf.asked).toEqual([{ shelf: "A" }]);
  const texts = model.requests.at(-1)?.results.map(({ text }) => text) ?? [];
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain("42 pieces");
  expect(texts[1]).toContain("The shelf is locked.");
  await record(
    { partner: name, version: await versionOf(name) },
    run,
    "the tool ran once; result and failure reached the model",
  );
}

test("openai: a loop over Responses, and one over Chat Completions", async () => {
  const { default: OpenAI } = await load("openai");
  const { tools, responsesTools, run } = await openaiTools(shelf.toolbox);

  script(responses);
  const client = new OpenAI({ apiKey: "any", baseURL: responses.url });
  const input: JsonBody[] = [{ role: "user", content: question }];
  let answer: JsonBody;
  do {
    answer = await client.responses.create({ model: "gpt-5", input, tools: responsesTools });
    input.push(...answer.output);
    for (const call of answer.output.filter(isCall)) input.push(await run(call));
  } while (answer.output.some(isCall));
  expect(answer.output_text).toBe("There are 42.");
  await check(responses, "openai", "openaiTools(toolbox) over Responses");

  shelf.asked.splice(0);
  script(chat);
  const other = new OpenAI({ apiKey: "any", baseURL: chat.url });
  const messages: JsonBody[] = [{ role: "user", content: question }];
  for (;;) {
    const { choices } = await other.chat.completions.create({ model: "gpt-5", messages, tools });
    const { message } = choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) break;
    for (const call of message.tool_calls) messages.push(await run(call));
  }
  expect(messages.at(-1).content).toBe("There are 42.");
  await check(chat, "openai", "openaiTools(toolbox) over Chat Completions");
});

test("LangChain: an agent made of our tools", async () => {
  const { createAgent } = await load("langchain");
  const { ChatOpenAI } = await load("@langchain/openai");
  const { tool } = await load("@langchain/core/tools");
  script(chat);
  const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "any", configuration: { baseURL: chat.url } });
  const agent = createAgent({ model, tools: await langChainTools(shelf.toolbox, tool) });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] });
  expect(messages.at(-1).content).toBe("There are 42.");
  await check(chat, "langchain", "langChainTools(toolbox, tool) in createAgent");
});

test("Mastra: an agent made of our tools", async () => {
  const { Agent } = await load("@mastra/core/agent");
  const { createTool } = await load("@mastra/core/tools");
  const { createOpenAI } = await load("@ai-sdk/openai-6");
  script(responses);
  const model = createOpenAI({ apiKey: "any", baseURL: responses.url })("gpt-5");
  const tools = await mastraTools(shelf.toolbox, createTool);
  const agent = new Agent({ id: "stock", name: "stock", instructions: "Help.", model, tools });
  const { text } = await agent.generate(question);
  expect(text).toBe("There are 42.");
  await check(responses, "@mastra/core", "mastraTools(toolbox, createTool) in an Agent");
});
