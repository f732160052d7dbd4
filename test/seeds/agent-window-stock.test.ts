// Each end of the bridge opposite the other project's, at origins of different sites.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ask } from "../e2e/agent-window.test-helper.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { agentOrigin, createAgentWorld } from "./agent-window-world.ts";
import type { AgentWorld } from "./agent-window-world.ts";
import { allow, answered, openFrom } from "./assistant.ts";
import { stockParentPage } from "./stock-windows.ts";

let world: AgentWorld;

beforeAll(async () => {
  world = await createAgentWorld();
  world.served["/stock"] = stockParentPage(agentOrigin);
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) await tab.close();
});

afterAll(() => world.close());

/** Opens the other project's parent with two tools, and the real window from it. */
async function openBoth(): Promise<{ app: Tab; assistant: Tab }> {
  const app = await world.open("/stock");
  await app.evaluate(() => {
    const parameters = { type: "object", properties: { days: { type: "number" } }, required: ["days"] };
    const { bridge } = window as unknown as { bridge: Record<string, (...given: unknown[]) => void> };
    bridge["registerTool"]?.({ name: "get_sales_data", description: "Get sales data for date range", parameters });
    bridge["onToolCall"]?.("get_sales_data", async ({ days }: { days: number }) => ({ period: `Last ${days} days` }));
  });
  const assistant = await openFrom(app, () => app.click("#open"));
  await app.waitFor("bridge.isConnected");
  return { app, assistant };
}

test("a stock parent's tools are called by the real window's model", async () => {
  const { app, assistant } = await openBoth();
  await ask(assistant, "What were sales in the last 30 days?");
  await allow(assistant);
  await answered(assistant, "Last 30 days");
  expect(await app.evaluate("bridge.calls")).toBe(1);
});

test("an error that a stock parent's handler throws reaches the model", async () => {
  const { app, assistant } = await openBoth();
  await app.evaluate("bridge.onToolCall('get_sales_data', () => { throw new Error('The books are closed.'); })");
  await ask(assistant, "What were sales in the last 30 days?");
  await allow(assistant);
  await answered(assistant, "The books are closed.");
});

test("a stock parent writes into the real window's field, and sends it", async () => {
  const { app, assistant } = await openBoth();
  await app.evaluate("bridge.injectMessage('Hello there')");
  await assistant.waitFor("document.querySelector('[aria-label=\"Message\"]').value === 'Hello there'");
  await app.evaluate("bridge.injectMessage('Who are you?', { autoSend: true })");
  await answered(assistant, "rehearsal");
  expect(await assistant.evaluate("document.querySelector('article.app').textContent")).toContain("Who are you?");
});

test("a window that is reloaded during a stock parent's call gets the answer", async () => {
  const { app, assistant } = await openBoth();
  await app.evaluate(() => {
    const page = window as unknown as {
      bridge: { onToolCall(...given: unknown[]): void };
      finish: (value: unknown) => void;
    };
    page.bridge.onToolCall("get_sales_data", () => new Promise((resolve) => (page.finish = resolve)));
  });
  await ask(assistant, "What were sales in the last 30 days?");
  await allow(assistant);
  await app.waitFor("window.finish");
  await assistant.reload();
  await assistant.waitFor("document.querySelector('[aria-label=\"Message\"]')");
  await app.evaluate("finish({ period: 'Last 30 days' })");
  await answered(assistant, "Last 30 days");
  expect(await app.evaluate("bridge.calls")).toBe(1);
});
