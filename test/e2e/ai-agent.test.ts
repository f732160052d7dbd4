// `<ai-agent>` in a real page: with its core in the hub, and in the page with a vendor's API as its provider.
import type {} from "pagewire/ai-agent";
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { createHeldModel } from "./ai-agent.test-helper.ts";
import { startModelServer } from "./support/model-server.ts";
import type { ModelServer } from "./support/model-server.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { worldToken } from "./support/world.ts";

const model = createHeldModel();
let hub: Hub;
let rehearsal: HubProcess;
let vendors: ModelServer;
let pages: PageServer;
let browser: Browser;

const basket = `
pagewire.registerTool({ name: "get_basket", description: "Shows what is in the basket.", annotations: { readOnlyHint: true }, execute: () => "two teas" });
pagewire.registerTool({ name: "empty_basket", description: "Empties the basket.", execute: () => { window.isEmpty = true; return "empty"; } });
`;

const fewShot = `<ai-message kind="user">Hello</ai-message><ai-message kind="assistant">Bonjour</ai-message>`;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  hub = await createHub({
    port: 0,
    agentToken: () => worldToken,
    allowedOrigins: () => [pages.origin],
    ai: { provider: "openai", model: "held", fetch: model.fetch },
  });
  vendors = await startModelServer();
  rehearsal = await startHub({ args: ["--allow-origin", pages.origin] });
  const script = (url: string) =>
    `<!doctype html><title>Chat</title><script type="module" src="${url}/ai-agent.js"></script>`;
  const page = `<script src="${rehearsal.url}/pagewire.js" data-app="shop"></script><script>${basket}</script>`;
  served["/held"] = `${script(hub.url)}<ai-agent id="chat"></ai-agent>`;
  served["/chat"] = `${script(rehearsal.url)}<ai-agent id="chat"></ai-agent><button data-aitarget="chat">Ask</button>`;
  served["/shop"] = `${script(rehearsal.url)}${page}<ai-agent id="chat" tools="page"></ai-agent>`;
  const local = await bundleModule(`import "pagewire/ai-agent/auto";`);
  served["/local.js"] = local;
  // Only a classic script runs before the elements are parsed.
  served["/early.js"] = { ...local, body: local.body.replaceAll("import.meta", "({ url: location.href })") };
  served["/local"] =
    `<!doctype html><title>Local</title><script type="module" src="/local.js"></script><ai-agent id="chat"></ai-agent>`;
  served["/early"] =
    `<!doctype html><title>Early</title><script src="/early.js"></script><ai-agent id="chat">${fewShot}</ai-agent>`;
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
  await rehearsal.close();
  await vendors.close();
  await hub.close();
  await pages.close();
});

async function openChat(path: string): Promise<Tab> {
  const tab = await browser.open(pages.url(path));
  await tab.waitFor("customElements.get('ai-agent') && chat.connection !== 'connecting'");
  return tab;
}

const ask = (tab: Tab, prompt: string) =>
  tab.evaluate((text: string) => {
    const chat = document.querySelector("ai-agent");
    return chat && Object.assign(chat, { prompt: text }).send();
  }, prompt);
const contents = (tab: Tab) =>
  tab.evaluate<string[]>("chat.messages.map(({ role, content }) => role + ': ' + content)");

test("one script tag and one element, and the hub's model answers", async () => {
  const tab = await openChat("/chat");
  await tab.evaluate("chat.prompt = 'Hello there'");
  await tab.click("button");
  await tab.waitFor("chat.messages.length === 2 && !chat.loading");
  const [question, answer] = await contents(tab);
  expect([question, answer]).toEqual(["user: Hello there", expect.stringContaining("rehearsal model")]);
  expect(await tab.evaluate("chat.error")).toBeNull();
});

test("children that are parsed only after their element count, where it was defined before", async () => {
  const tab = await browser.open(pages.url("/early"));
  expect(tab.console.errors).toEqual([]);
  expect(await contents(tab)).toEqual(["user: Hello", "assistant: Bonjour"]);
});

test("the model calls the page's tools; one that may change something only with the page's consent", async () => {
  const tab = await openChat("/shop");
  await tab.waitFor("pagewire.state.status === 'connected'");
  expect(await ask(tab, "Show what is in the basket")).toContain("two teas");
  await tab.evaluate("chat.prompt = 'Empty the basket'; window.answer = chat.send(); 0");
  await tab.waitFor("chat.toolCalls[0]?.status === 'waiting'");
  expect(await tab.evaluate("Boolean(window.isEmpty)")).toBe(false);
  expect(await tab.evaluate("chat.settleToolCall(chat.toolCalls[0].id, true)")).toBe(true);
  await tab.evaluate("window.answer");
  expect(await tab.evaluate("window.isEmpty")).toBe(true);
});

test("an answer in progress continues after the page is reloaded", async () => {
  const tab = await openChat("/held");
  await tab.evaluate("chat.prompt = 'Hello'; chat.send(); 0");
  await model.say("One ");
  await tab.waitFor("chat.content === 'One '");
  await tab.reload();
  await tab.waitFor("customElements.get('ai-agent') && chat.connection === 'open' && chat.content === 'One '");
  expect(await tab.evaluate("[chat.loading, chat.streaming]")).toEqual([true, true]);
  await model.end("two");
  await tab.waitFor("!chat.loading");
  expect(await contents(tab)).toEqual(["user: Hello", "assistant: One two"]);
  expect(model.count).toBe(1);
});

test("a second tab with the conversation's id shows it, and both tabs receive its answers", async () => {
  const tab = await openChat("/held");
  const second = await openChat("/held");
  await second.evaluate(
    (id: string) => {
      const chat = document.querySelector("ai-agent");
      if (chat) chat.conversation = id;
    },
    await tab.evaluate<string>("chat.conversation"),
  );
  await second.waitFor("chat.connection === 'open'");
  await tab.evaluate("chat.prompt = 'Both'; chat.send(); 0");
  await model.end("Yes");
  for (const one of [tab, second]) {
    await one.waitFor("chat.messages.length === 2");
    expect(await contents(one)).toEqual(["user: Both", "assistant: Yes"]);
  }
});

test("a conversation survives a killed hub, and continues with the next one", async () => {
  const tab = await openChat("/chat");
  await ask(tab, "Hello first");
  const before = await contents(tab);
  const id = await tab.evaluate("chat.conversation");
  await rehearsal.kill();
  await tab.waitFor("chat.connection === 'waiting'");
  await rehearsal.restart();
  await tab.waitFor("chat.connection === 'open'");
  expect([await contents(tab), await tab.evaluate("chat.conversation")]).toEqual([before, id]);
  expect(await ask(tab, "Hello again")).toContain("rehearsal model");
  expect(await contents(tab)).toHaveLength(4);
});

test.each(["openai", "openai-responses", "azure-openai", "anthropic", "google"])(
  "in the page, %s answers and runs the page's handlers",
  async (provider) => {
    const tab = await openChat("/local");
    const answer = await tab.evaluate(
      (properties: object) => {
        const chat = document.querySelector("ai-agent");
        const parameters = { type: "object", properties: {} };
        const tool = {
          name: "get_basket",
          description: "What is in the basket.",
          parameters,
          handler: () => "two teas",
        };
        return chat && Object.assign(chat, properties, { prompt: "What is in the basket?", tools: [tool] }).send();
      },
      { provider, model: "any", baseUrl: vendors.origin },
    );
    expect(await tab.evaluate("chat.error")).toBeNull();
    expect(answer).toContain("two teas");
  },
);
