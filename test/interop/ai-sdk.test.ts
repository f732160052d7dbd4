// The Vercel AI SDK as it is on npm, in each of its living versions: its models in AiCore, AiCore in its chat, our tools in its loop.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AiCore } from "../../src/ai/index.ts";
import type { AiTool } from "../../src/ai/index.ts";
import { aiSdkTools, createChatTransport, fromAiSdk } from "../../src/ai/sdks/index.ts";
import type { JsonBody } from "../agents/model/model-format.ts";
import { openAiResponses } from "../agents/model/openai-responses.ts";
import { startScriptedModel } from "../agents/model/scripted-model.ts";
import type { ScriptedModel, Turn } from "../agents/model/scripted-model.ts";
import { record, versionOf } from "./support/record.ts";
import { createShelf } from "./support/shelf.ts";

let server: ScriptedModel;

beforeAll(async () => {
  server = await startScriptedModel(openAiResponses);
});
afterAll(() => server?.close());

const calls =
  (name: string, input: object = {}): Turn =>
  () => ({ call: { tool: { name }, input } });
const says =
  (text: string): Turn =>
  () => ({ text });

describe.each([5, 6, 7])("AI SDK %i", (major) => {
  let sdk: JsonBody;
  let model: JsonBody;
  let version: string;

  beforeAll(async () => {
    sdk = await import(/* @vite-ignore */ `ai-${major}`);
    const { createOpenAI } = (await import(/* @vite-ignore */ `@ai-sdk/openai-${major}`)) as JsonBody;
    model = createOpenAI({ apiKey: "any", baseURL: server.url })("gpt-5");
    version = await versionOf(`ai-${major}`);
  });

  const seen = (run: string, result: string) => record({ partner: "AI SDK", version }, run, result);

  function createCore(): { readonly core: AiCore; readonly ran: unknown[]; readonly tool: AiTool } {
    const ran: unknown[] = [];
    const core = new AiCore();
    core.provider = fromAiSdk(model);
    const handler = (input: unknown) => (ran.push(input), "42 pieces");
    const tool = { name: "get_stock", description: "Stock.", parameters: { type: "object" }, handler };
    return { core, ran, tool };
  }

  test("a model of the SDK answers in AiCore, calls a tool once, and gets its result", async () => {
    server.script(calls("get_stock", { shelf: "A" }), says("There are 42."));
    const { core, ran, tool } = createCore();
    expect(await core.send("How many?", { model: "any", tools: [tool] })).toBe("There are 42.");
    expect(core.error).toBeNull();
    expect(ran).toEqual([{ shelf: "A" }]);
    expect(server.requests.at(-1)?.results).toEqual([{ text: "42 pieces", images: 0 }]);
    expect(core.usage).toMatchObject({ promptTokens: expect.any(Number) });
    expect(await core.send("Whole?", { model: "any", stream: false })).toBe("ok");
    await seen("fromAiSdk(model): a call and its answer", "the tool ran once; the model got its result");
  });

  /** A chat of the SDK without React: what `useChat` is made of. */
  function createChat(core: AiCore, tool: AiTool) {
    const state = {
      ...{ status: "ready", error: undefined, messages: [] as JsonBody[] },
      pushMessage: (message: JsonBody) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index: number, message: JsonBody) => void state.messages.splice(index, 1, message),
      snapshot: <Value>(value: Value): Value => structuredClone(value),
    };
    class Chat extends (sdk.AbstractChat as new (options: object) => object) {}
    const transport = createChatTransport(core, { model: "any", tools: [tool] });
    const sendAutomaticallyWhen = sdk.lastAssistantMessageIsCompleteWithApprovalResponses;
    return new Chat({ id: "c", state, transport, ...(sendAutomaticallyWhen && { sendAutomaticallyWhen }) }) as JsonBody;
  }

  const partsOf = (chat: JsonBody) =>
    chat.lastMessage.parts.map(({ type, text, output, state }: JsonBody) => text ?? output ?? `${type} ${state ?? ""}`);

  test("its chat streams what AiCore answers, with the tool call and its output", async () => {
    server.script(calls("get_stock", { shelf: "A" }), says("There are 42."), says("Again."));
    const { core, tool } = createCore();
    const chat = createChat(core, tool);
    await chat.sendMessage({ text: "How many?" });
    expect(chat.error).toBeUndefined();
    expect(partsOf(chat).filter((part: string) => !part.startsWith("step"))).toEqual(["42 pieces", "There are 42."]);
    expect(chat.status).toBe("ready");
    await chat.regenerate();
    expect(partsOf(chat).at(-1)).toBe("Again.");
    await seen("createChatTransport: useChat's chat asks AiCore", "text, tool call and output as parts; regenerate");
  });

  test.skipIf(major < 6)("a tool that asks first is allowed in its chat, and runs once", async () => {
    server.script(calls("get_stock", { shelf: "A" }), says("There are 42."));
    const { core, ran, tool } = createCore();
    const chat = createChat(core, { ...tool, needsApproval: true });
    await chat.sendMessage({ text: "How many?" });
    const waiting = chat.lastMessage.parts.at(-1);
    expect([waiting.state, ran]).toEqual(["approval-requested", []]);
    await chat.addToolApprovalResponse({ id: waiting.approval.id, approved: true });
    await expect.poll(() => partsOf(chat).at(-1)).toBe("There are 42.");
    expect(ran).toEqual([{ shelf: "A" }]);
    await seen("an approval in useChat", "asked once, then the tool ran once");
  });

  test("a stopped chat stops AiCore", async () => {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    server.script(() => (isAsked(), new Promise(() => {})));
    const { core, tool } = createCore();
    const chat = createChat(core, tool);
    const sent = chat.sendMessage({ text: "How many?" });
    await asked;
    await chat.stop();
    await sent;
    expect(core.loading).toBe(false);
    await seen("stop() in useChat", "AiCore's answer is stopped");
  });

  describe("our tools in its loop", () => {
    const shelf = createShelf();
    beforeEach(() => shelf.asked.splice(0));

    async function run(...turns: Turn[]): Promise<string> {
      server.script(...turns);
      const tools = await aiSdkTools(shelf.toolbox);
      const { text } = await sdk.generateText({
        model,
        prompt: "Go",
        tools,
        stopWhen: sdk.stepCountIs?.(5) ?? sdk.isStepCount(5),
      });
      return text as string;
    }

    test("a call runs once, and its result, its picture or its failure reaches the model", async () => {
      expect(await run(calls("get_stock", { shelf: "A" }), says("42"))).toBe("42");
      expect([shelf.asked, server.requests.at(-1)?.results]).toEqual([
        [{ shelf: "A" }],
        [{ text: "42 pieces", images: 0 }],
      ]);
      await run(calls("take_picture"), says("Nice"));
      expect(server.requests.at(-1)?.results).toMatchObject([{ images: 1 }]);
      await run(calls("clear_shelf"), says("Locked"));
      expect(server.requests.at(-1)?.results[0]?.text).toContain("The shelf is locked.");
      await run(calls("get_stock", { shelf: "C" }), says("No"));
      expect(server.requests.at(-1)?.results[0]?.text).toContain("refused its input");
      await seen(
        "aiSdkTools(toolbox) in generateText",
        "results, pictures, failures and refused input reach the model",
      );
    });
  });
});
