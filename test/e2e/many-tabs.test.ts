// Many tabs of one app, and of several, each with its own socket or all through one worker: agents see no difference.
import { readFileSync } from "node:fs";
import type { Client } from "@modelcontextprotocol/client";
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { connectMcp } from "./support/mcp-client.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import type { OpenOptions } from "./support/tabs.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, connected, offered, tabIdOf } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

const worker = readFileSync(new URL("../../dist/browser/pagewire-worker.js", import.meta.url));
const token = "the-token-of-these-tests";

let hub: Hub;
let browser: Browser;
let pages: PageServer;
let call: CallByHttp;
let agent: Client;
const origins: string[] = [];

beforeAll(async () => {
  hub = await createHub({
    port: 0,
    agentToken: () => token,
    allowedOrigins: () => origins,
    limits: { graceTime: 500 },
  });
  pages = await servePages({
    "/socket": page("false"),
    "/worker": page("auto"),
    "/pagewire-worker.js": { body: worker, type: "text/javascript" },
  });
  origins.push(pages.origin, pages.originFor("other.test"));
  browser = await openChromium();
  call = callerOf(hub.url, token);
  agent = await connectMcp(hub, token);
});

afterEach(async () => {
  for (const tab of await browser.tabs()) await tab.close();
  await waitUntil(
    async () => (await tabs()).length === 0,
    () => "A tab is still listed.",
  );
});

afterAll(async () => {
  await agent.close();
  await browser.close();
  await hub.close();
  await pages.close();
});

/** A page with the tool `where`, and others that its address asks for; its script tag decides how it connects. */
const page = (way: string): string => `<!doctype html><title>Shop</title>
<script src="${hub.url}/pagewire.js" data-app="shop" ${way === "auto" ? 'data-worker="auto"' : ""}></script>
<script>
document.title = new URLSearchParams(location.search).get("title") ?? "Shop";
window.runs = 0;
const offer = (name, properties = {}) => pagewire.registerTool({
  name, description: name, inputSchema: { type: "object", properties },
  execute: (input) => { runs++; return { tabId: pagewire.state.tabId, input }; },
});
offer("where");
for (const name of new URLSearchParams(location.search).getAll("tool")) offer(name);
const version = new URLSearchParams(location.search).get("version");
if (version) offer("order", version === "1" ? { grams: { type: "number" } } : { kilos: { type: "number" } });
</script>`;

interface ListedTab {
  readonly tabId: string;
  readonly title: string;
  readonly url: string;
  readonly isActive: boolean;
  readonly tools: readonly string[];
}

async function tabs(): Promise<readonly ListedTab[]> {
  const { result } = await call("list_browser_tabs", {});
  const listed = result?.structuredContent as { readonly tabs: readonly ListedTab[] } | undefined;
  return listed?.tabs ?? [];
}

/** The tools that an MCP client lists, without the built-in ones. */
const tools = async () => (await agent.listTools()).tools.slice(3);
const toolNames = async () => (await tools()).map(({ name }) => name);

async function open(path: string, options?: OpenOptions, origin = pages.origin): Promise<Tab> {
  const tab = await browser.open(origin + path, options);
  await connected(tab);
  await offered(tab, call);
  return tab;
}

async function focus(tab: Tab): Promise<void> {
  await tab.activate();
  await tab.waitFor("document.hasFocus()");
  const tabId = await tabIdOf(tab);
  await expect.poll(async () => (await tabs()).find((listed) => listed.isActive)?.tabId).toBe(tabId);
}

/** The tab that answered. */
async function answeredBy(tool: string, input: object = {}): Promise<string> {
  const { outcome, error, result } = await call(tool, input);
  if (outcome !== "ok") return error?.code ?? outcome;
  const said = result?.structuredContent as { readonly tabId: string } | undefined;
  return said?.tabId ?? "nobody";
}

describe.each([
  { path: "/socket", kind: "socket" },
  { path: "/worker", kind: "shared-worker" },
])("tabs by $kind", ({ path, kind }) => {
  test("a call goes to the tab that it names, else to the only one with the tool, else to the focused, else to the one focused last, else to the first", async () => {
    const first = await open(`${path}?title=Dashboard`, { background: true });
    const second = await open(`${path}?tool=only_here`, { background: true });
    expect(await first.evaluate("pagewire.state.via.kind")).toBe(kind);
    const [one, two] = [await tabIdOf(first), await tabIdOf(second)];
    expect(await answeredBy("where")).toBe(one);
    await focus(second);
    expect(await answeredBy("where")).toBe(two);
    await focus(first);
    expect(await answeredBy("where")).toBe(one);
    expect(await answeredBy("only_here")).toBe(two);
    expect(await answeredBy("where", { tabId: two })).toBe(two);
    await first.hide();
    expect(await answeredBy("where")).toBe(one);
    await first.close();
    expect(await answeredBy("where")).toBe(two);
  });

  test("a missing tab is an error that lists the existing ones", async () => {
    const ids = await Promise.all([
      open(`${path}?title=Dashboard`).then(tabIdOf),
      open(`${path}?title=Orders`).then(tabIdOf),
    ]);
    const { error } = await call("where", { tabId: "abc-123" });
    expect(error?.code).toBe("tab-not-found");
    expect(error?.message).toContain(`${ids[0]} (Dashboard)`);
    expect(error?.message).toContain(`${ids[1]} (Orders)`);
  });

  test("the list of tabs follows titles, addresses and focus through navigation without a reload", async () => {
    const [tab, other] = [await open(`${path}?title=Dashboard`), await open(`${path}?title=Orders`)];
    await focus(tab);
    const [one, two] = [await tabIdOf(tab), await tabIdOf(other)];
    const now = async () => (await tabs()).toSorted((left) => (left.tabId === one ? -1 : 1));
    const listed = (tabId: string, title: string, more: { readonly isActive: boolean; readonly at?: string }) => ({
      tabId,
      title,
      isActive: more.isActive,
      url: pages.origin + (more.at ?? path),
      app: "shop",
      origin: pages.origin,
      state: "connected",
      tools: ["where"],
      lastSeen: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
    });
    expect(await now()).toEqual([
      listed(one, "Dashboard", { isActive: true }),
      listed(two, "Orders", { isActive: false }),
    ]);
    await tab.evaluate("history.pushState(null, '', '/sales?secret=1'); document.title = 'Sales'");
    await expect
      .poll(now)
      .toEqual([listed(one, "Sales", { isActive: true, at: "/sales" }), listed(two, "Orders", { isActive: false })]);
    await other.evaluate("history.replaceState(null, '', '/orders')");
    await focus(other);
    await expect
      .poll(now)
      .toEqual([
        listed(one, "Sales", { isActive: false, at: "/sales" }),
        listed(two, "Orders", { isActive: true, at: "/orders" }),
      ]);
  });

  test("a tool of many tabs is one tool, gone with the last of them, and nothing else goes", async () => {
    const [first, second] = [await open(`${path}?tool=buy`), await open(`${path}?tool=buy`)];
    const third = await open(path);
    expect(await toolNames()).toEqual(["buy", "where"]);
    await first.close();
    await expect.poll(async () => (await tabs()).length).toBe(2);
    expect(await toolNames()).toEqual(["buy", "where"]);
    expect(await answeredBy("buy")).toBe(await tabIdOf(second));
    await second.close();
    await expect.poll(toolNames).toEqual(["where"]);
    expect(await answeredBy("where")).toBe(await tabIdOf(third));
    expect(await answeredBy("buy")).toBe("tool-not-found");
  });

  test("two concurrent versions of an app are distinguished, and each is called in its own tab", async () => {
    const [old, next] = [await open(`${path}?version=1`), await open(`${path}?version=2`)];
    const both = (await tools()).filter(({ name }) => name !== "where");
    expect(both.map(({ name }) => /^shop__order__\w+$/.test(name))).toEqual([true, true]);
    const ofOld = both.find(({ inputSchema }) => "grams" in (inputSchema.properties ?? {}));
    const ofNext = both.find(({ inputSchema }) => "kilos" in (inputSchema.properties ?? {}));
    expect(await answeredBy(ofOld?.name ?? "", { grams: 1 })).toBe(await tabIdOf(old));
    expect(await answeredBy(ofNext?.name ?? "", { kilos: 1 })).toBe(await tabIdOf(next));
    expect(await answeredBy("order", { grams: 1 })).toBe("tool-ambiguous");
    expect([await old.evaluate("runs"), await next.evaluate("runs")]).toEqual([1, 1]);
    await old.close();
    await expect.poll(toolNames).toEqual(["order", "where"]);
  });

  test("a page can neither shadow nor remove a built-in tool, nor a tool of another origin", async () => {
    const mine = await open(path);
    const stranger = await open(path, {}, pages.originFor("other.test"));
    const refusal =
      "try { pagewire.registerTool({ name: 'list_browser_tabs', execute() {} }) } catch (error) { error.code }";
    expect(await stranger.evaluate(refusal)).toBe("name-taken");
    const names = await toolNames();
    expect(names).toHaveLength(2);
    expect(await answeredBy("where")).toBe("tool-ambiguous");
    const ids = [await tabIdOf(mine), await tabIdOf(stranger)];
    expect((await Promise.all(names.map((name) => answeredBy(name)))).toSorted()).toEqual(ids.toSorted());
    await stranger.evaluate("pagewire.close()");
    await expect.poll(toolNames).toEqual(["where"]);
    expect(await answeredBy("where")).toBe(ids[0]);
    expect((await agent.listTools()).tools.slice(0, 3).map(({ name }) => name)).toEqual([
      "list_browser_tabs",
      "list_tab_tools",
      "call_tab_tool",
    ]);
  });

  test("a duplicated tab and one that a page opened are called once each, and take nothing along when they close", async () => {
    const tab = await open(path);
    const copies = [
      await tab.duplicate(),
      await tab.popup(() => tab.evaluateAsUser("void window.open(location.href)")),
    ];
    for (const copy of copies) {
      await connected(copy);
      await offered(copy, call);
    }
    const all = [tab, ...copies];
    const ids = await Promise.all(all.map(tabIdOf));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(await answeredBy("where", { tabId: id })).toBe(id);
    expect(await Promise.all(all.map((one) => one.evaluate("runs")))).toEqual([1, 1, 1]);
    for (const copy of copies) await copy.close();
    await expect.poll(async () => (await tabs()).map(({ tabId }) => tabId)).toEqual([ids[0]]);
    expect(await toolNames()).toEqual(["where"]);
    expect(await answeredBy("where")).toBe(ids[0]);
  });

  test("a call without arguments reaches the tab", async () => {
    const tab = await open(path);
    const { structuredContent } = await agent.callTool({ name: "where" });
    expect(structuredContent).toEqual({ tabId: await tabIdOf(tab), input: {} });
  });
});
