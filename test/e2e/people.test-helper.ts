// A hub for many people, and browsers whose tabs sign in to it through one worker per origin.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createHub, signAgentToken, signPageToken } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { connectMcp } from "./support/mcp-client.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, listTabs } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

export interface People {
  readonly hub: Hub;
  readonly pages: PageServer;
  browser(): Promise<Browser>;
  /** Opens the page, with this person signed in if one is named. */
  open(browser: Browser, person?: string): Promise<Tab>;
  /** Another token for a page of this person. */
  pageToken(person: string): Promise<string>;
  /** An agent of this person that calls by HTTP. */
  agent(person: string): Promise<CallByHttp>;
  /** An MCP client of this person's agent. */
  mcp(person: string): Promise<Client>;
  /** The list notifications that an MCP client of this person's agent receives from now on; the list grows. */
  news(person: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const secret = "a secret that is only for these tests, and long";

const agentToken = (person: string) => signAgentToken({ secret, subject: person, expiresIn: 600 });

export async function createPeople(): Promise<People> {
  // No test lasts as long as this grace time, so a tab that is gone was removed, not expired.
  const hub = await createHub({ port: 0, jwt: { secret }, limits: { graceTime: 600_000 } });
  const served: Record<string, Page> = {
    "/": '<!doctype html><title>Shop</title><script type="module" src="/shop.js"></script>',
    "/shop.js": await bundleModule(shop(hub.url)),
    "/pagewire-worker.js": {
      body: readFileSync(new URL("../../dist/browser/pagewire-worker.js", import.meta.url)),
      type: "text/javascript",
    },
  };
  const pages = await servePages(served);
  const browsers: Browser[] = [];
  const clients: Client[] = [];
  let ids = 0;

  const pageToken = (person: string) => signPageToken({ secret, subject: person, expiresIn: 600 + ids++ });

  return {
    hub,
    pages,
    pageToken,
    async browser() {
      const browser = await openChromium();
      browsers.push(browser);
      return browser;
    },
    async open(browser, person) {
      const tab = await browser.open(pages.url());
      await tab.waitFor("client.initialized");
      if (person !== undefined) await signIn(tab, person, await pageToken(person));
      return tab;
    },
    agent: async (person) => callerOf(hub.url, await agentToken(person), `${person}'s agent`),
    async mcp(person) {
      const client = await connectMcp(hub, await agentToken(person), { name: `${person}'s client` });
      clients.push(client);
      return client;
    },
    async news(person) {
      const client = new Client(
        { name: `${person}'s listener`, version: "1.0" },
        { versionNegotiation: { mode: { pin: "2026-07-28" } } },
      );
      const requestInit = { headers: { Authorization: `Bearer ${await agentToken(person)}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", hub.url), { requestInit }));
      clients.push(client);
      const heard: string[] = [];
      for (const list of ["tools", "prompts", "resources"] as const)
        client.setNotificationHandler(`notifications/${list}/list_changed`, () => void heard.push(list));
      await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
      return heard;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(browsers.map((browser) => browser.close()));
      await hub.close();
      await pages.close();
    },
  };
}

/** Signs a person in, and waits until the page is theirs and the hub has its tools. */
export async function signIn(tab: Tab, person: string, token: string): Promise<void> {
  await tab.evaluate("window.person = undefined");
  await tab.evaluate((name: string, given: string) => window.signIn(name, given), person, token);
  await tab.waitFor("person !== undefined && page.status === 'connected'");
  const id = await tab.evaluate<string>("client.getTabId()");
  const call = callerOf(await tab.evaluate<string>("hub"), await agentToken(person));
  await waitUntil(
    async () => (await listTabs(call)).some(({ tabId, tools }) => tabId === id && tools.length > 1),
    () => "The hub has no tools of this tab.",
  );
}

declare global {
  interface Window {
    signIn(person: string, token: string): void;
  }
}

/** The page's script: two tools that report who is signed in where, and count their runs. */
const shop = (hub: string): string => `
import { WorkerClient } from "pagewire/worker";

const client = new WorkerClient();
Object.assign(window, {
  client,
  hub: ${JSON.stringify(hub)},
  page: { status: "new" },
  runs: [],
  signIn(person, token) {
    client.setAuthToken(token);
    window.person = person;
  },
});
client.onConnectionStatus((_, state) => (window.page = state));
client.setAuthToken(null);

const schema = { type: "object", properties: { tag: { type: "string" } }, required: ["tag"] };
const said = ({ tag }) => ({ tag, person: window.person, tab: client.getTabId() });
await client.registerTool("whoami", "Says who is signed in.", schema, (input) => {
  runs.push(input.tag);
  return said(input);
});
await client.registerTool("hold", "Waits until it is let go.", schema, (input, { signal }) => {
  runs.push(input.tag);
  signal.addEventListener("abort", () => runs.push(input.tag + " aborted"));
  return new Promise((resolve) => (window["finish " + input.tag] = () => resolve(said(input))));
});
await client.init({ app: "shop", backendWsUrl: ${JSON.stringify(hub.replace("http", "ws"))} });
`;
