// `useChat` in a real browser, over the transport of ours, with a real hub: its core, its key and its model.
import { createHub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "../e2e/support/bundle.ts";
import { launchChromium } from "../e2e/support/chromium.ts";
import type { Browser } from "../e2e/support/chromium.ts";
import { startModelServer } from "../e2e/support/model-server.ts";
import type { ModelServer } from "../e2e/support/model-server.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { Page, PageServer } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { worldToken } from "../e2e/support/world.ts";
import { record, versionOf } from "./support/record.ts";

let model: ModelServer;
let hub: Awaited<ReturnType<typeof createHub>>;
let pages: PageServer;
let browser: Browser;

/** A page with one tool, which says of itself that it only reads, or nothing. */
const pageOf = (annotations: object) => `<!doctype html><title>Chat</title>
<script src="${hub.url}/pagewire.js" data-app="weather"></script>
<script>
  globalThis.ran = [];
  pagewire.registerTool({
    name: "get_weather",
    description: "The weather at a place.",
    inputSchema: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
    annotations: ${JSON.stringify(annotations)},
    execute: ({ location }) => (ran.push(location), "sunny in " + location),
  });
</script>
<script type="module" src="${hub.url}/ai-agent.js"></script>
<ai-agent tools="page"></ai-agent><main></main>
<script type="module" src="/page.js"></script>`;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  [model, pages, browser] = await Promise.all([startModelServer(), servePages(served), launchChromium()]);
  hub = await createHub({
    port: 0,
    agentToken: () => worldToken,
    allowedOrigins: () => [pages.origin],
    ai: { provider: "openai", model: "gpt-5", apiKey: "the-hubs-key", baseUrl: model.origin },
  });
  served["/page.js"] = await bundleModule(`import "../../interop/support/use-chat-page.mjs";`);
  served["/reads"] = pageOf({ readOnlyHint: true });
  served["/asks"] = pageOf({});
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  await pages?.close();
  await model?.close();
});

async function ask(path: string): Promise<Tab> {
  const tab = await browser.open(pages.url(path));
  await tab.waitFor("globalThis.chat && pagewire.state.status === 'connected'");
  await tab.evaluate("void chat.sendMessage({ text: 'How is the weather?' })");
  return tab;
}

const shown = (tab: Tab) =>
  tab.waitFor<string[]>(`(() => {
    const texts = [...document.querySelectorAll("p")].map(({ textContent }) => textContent).filter(Boolean);
    return texts.at(-1)?.startsWith("It says") && chat.error === undefined && texts;
  })()`);
const answered = ["How is the weather?", "sunny in Tokyo", "It says sunny in Tokyo."];

async function check(tab: Tab, run: string, result: string): Promise<void> {
  expect(await shown(tab)).toEqual(answered);
  expect(await tab.evaluate("ran")).toEqual(["Tokyo"]);
  const roles = await tab.evaluate("document.querySelector('ai-agent').messages.map(({ role }) => role)");
  expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
  for (const { headers } of model.heard) expect(headers.authorization).toBe("Bearer the-hubs-key");
  expect(tab.console.errors).toEqual([]);
  await record({ partner: "@ai-sdk/react", version: await versionOf("@ai-sdk/react") }, run, result);
}

test("the hub's model answers, and calls a tool of the page once", async () => {
  const tab = await ask("/reads");
  await check(
    tab,
    "useChat over createChatTransport(<ai-agent>) and a hub, with React 19",
    "the page's tool ran once; its result and the answer of the hub's model are shown",
  );
  const before = model.heard.length;
  await tab.evaluate("chat.regenerate()");
  expect(await shown(tab)).toEqual(answered);
  expect(model.heard.length).toBeGreaterThan(before);
});

test("a tool that may change something runs once the user has allowed it in useChat", async () => {
  const tab = await ask("/asks");
  await tab.waitFor("document.querySelector('button') !== null");
  expect(await tab.evaluate("ran")).toEqual([]);
  await tab.click("button");
  await check(
    tab,
    "an approval in useChat, of a hub's question",
    "asked once, then the page's tool ran once, and the answer is shown",
  );
});
