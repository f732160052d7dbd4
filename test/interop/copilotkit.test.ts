// CopilotKit and AG-UI: a page's tools for agents that run elsewhere, and the hub as an MCP server of CopilotKit's runtime. The
// packages are those on npm, the model is scripted.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { agUiTools } from "../../src/ai/sdks/index.ts";
import type { JsonBody } from "../agents/model/model-format.ts";
import { openAiResponses } from "../agents/model/openai-responses.ts";
import { startScriptedModel } from "../agents/model/scripted-model.ts";
import type { ScriptedModel, Turn } from "../agents/model/scripted-model.ts";
import { bundleModule } from "../e2e/support/bundle.ts";
import { servePages } from "../e2e/support/page-server.ts";
import { countsOf, createWorld } from "../e2e/support/world.ts";
import type { World } from "../e2e/support/world.ts";
import { record, versionOf } from "./support/record.ts";
import { createShelf } from "./support/shelf.ts";

/** Installed here only, so no types are known. */
const load = (name: string): Promise<JsonBody> => import(/* @vite-ignore */ name);

const shelf = createShelf();
const question = { id: "q", role: "user", content: "How many pieces are on shelf A?" };
let model: ScriptedModel;
let world: World;
let runtime: { readonly url: string; close(): Promise<void> };

beforeAll(async () => {
  process.env["COPILOTKIT_TELEMETRY_DISABLED"] = "true";
  [model, world] = await Promise.all([startScriptedModel(openAiResponses), createWorld()]);
  runtime = await startRuntime();
});
afterAll(async () => {
  await runtime?.close();
  await world?.close();
  await model?.close();
});
beforeEach(() => shelf.asked.splice(0));

/** Its own agent, with the hub as an MCP server, as its documentation has it. */
async function startRuntime() {
  const { BuiltInAgent, CopilotRuntime } = await load("@copilotkit/runtime/v2");
  const { createCopilotNodeListener } = await load("@copilotkit/runtime/v2/node");
  const { createOpenAI } = await load("@ai-sdk/openai-6");
  const agent = new BuiltInAgent({
    model: createOpenAI({ apiKey: "any", baseURL: model.url })("gpt-5"),
    maxSteps: 5,
    mcpServers: [
      {
        type: "http",
        url: `${world.hub.url}/mcp`,
        options: { requestInit: { headers: { Authorization: `Bearer ${world.token}` } } },
      },
    ],
  });
  const copilot = new CopilotRuntime({ agents: { default: agent } });
  const server = createServer(createCopilotNodeListener({ runtime: copilot, basePath: "/api/copilotkit", cors: true }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/copilotkit`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const calls =
  (name: string, input: object = {}): Turn =>
  () => ({ call: { tool: { name }, input } });
const says =
  (text: string): Turn =>
  () => ({ text });

const turns = [calls("get_stock", { shelf: "A" }), calls("clear_shelf"), says("There are 42.")];

async function check(name: string, run: string, asked: unknown): Promise<void> {
  expect(asked).toEqual([{ shelf: "A" }]);
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

test("AG-UI: its client declares a page's tools, and sends their results to the agent", async () => {
  const { HttpAgent } = await load("@ag-ui/client");
  const { MessageSchema, ToolSchema } = await load("@ag-ui/core/schemas");
  const agent = new HttpAgent({ url: `${runtime.url}/agent/default/run`, initialMessages: [question] });
  const { tools, runAgent } = await agUiTools(shelf.toolbox);
  for (const tool of tools) expect(ToolSchema.parse(tool)).toEqual(tool);
  model.script(...turns);
  await runAgent(agent);
  for (const message of agent.messages) expect(MessageSchema.parse(message)).toEqual(message);
  expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "There are 42." });
  await check("@ag-ui/client", "agUiTools(toolbox): runAgent(agent) with its HttpAgent", shelf.asked);
});

test("AG-UI: a call whose run breaks before it is whole is not made, and says so", async ({ onTestFinished }) => {
  const { HttpAgent } = await load("@ag-ui/client");
  const events = [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "clear_shelf" },
    { type: "RUN_ERROR", message: "The model is gone." },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const server = await servePages({ "/agent": { body, type: "text/event-stream" } });
  onTestFinished(() => server.close());
  const agent = new HttpAgent({ url: server.url("/agent"), initialMessages: [question] });
  const { runAgent } = await agUiTools(shelf.toolbox);
  await runAgent(agent);
  const message = "The call was not made: the agent's run was cut.";
  expect(agent.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "c", error: message });
  await record(
    { partner: "@ag-ui/client", version: await versionOf("@ag-ui/client") },
    "a run that breaks within a call",
    "the tool did not run, and the call has that for its result",
  );
});

test("CopilotKit: its chat in React runs a page's tools as frontend tools", async ({ onTestFinished }) => {
  const styles = { "./index.css": "", "katex/dist/katex.min.css": "" };
  const script = await bundleModule(`import "../../interop/support/copilotkit-page.mjs";`, styles);
  const page = `<!doctype html><title>Chat</title><body><script type="module" src="/page.js"></script>`;
  const pages = await servePages({ "/": page, "/page.js": script });
  onTestFinished(() => pages.close());
  model.script(...turns);
  const tab = await world.browser.open(pages.url(`/?runtime=${encodeURIComponent(runtime.url)}`));
  await tab.type("textarea", question.content);
  await tab.press("Enter");
  await tab.waitFor(`document.body.innerText.includes("There are 42.")`);
  await check(
    "@copilotkit/react-core",
    "copilotKitTools(toolbox) as frontendTools, in its chat with React 19",
    await tab.evaluate("asked"),
  );
});

test("CopilotKit: its runtime takes the hub as an MCP server", async () => {
  const { HttpAgent } = await load("@ag-ui/client");
  const tab = await world.openShop();
  const agent = new HttpAgent({ url: `${runtime.url}/agent/default/run`, initialMessages: [question] });
  const { runAgent } = await agUiTools(shelf.toolbox);
  model.script(calls("echo", { tag: "copilotkit" }), says("Done."));
  await runAgent(agent);
  expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
  expect(model.requests.at(-1)?.results[0]?.text).toContain('{"tag":"copilotkit"}');
  expect(await countsOf(tab, "copilotkit")).toEqual({ ran: 1, aborted: 0 });
  await record(
    { partner: "@copilotkit/runtime", version: await versionOf("@copilotkit/runtime") },
    "the hub in mcpServers of its agent",
    "list, call in a tab",
  );
});
