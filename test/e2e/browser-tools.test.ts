// Pages that use only the browser's own interface, frames in them, and an MCP client that calls their tools and forms
// through a real hub: with the browser's own model context, and with the hub's polyfill.
import { readFileSync } from "node:fs";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createBrowserWorld } from "./browser-world.test-helper.ts";
import type { BrowserWorld, Origins } from "./browser-world.test-helper.ts";
import { connectMcp } from "./support/mcp-client.ts";
import type { Page } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, listTabs, worldToken } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

interface Answer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

const register = (name: string, body: string, options = "") =>
  `document.modelContext.registerTool({ name: "${name}", description: "${name}", ${body} }${options});`;

const forms = `
<form id="send" toolname="send" tooldescription="Sends" toolautosubmit><input name="q" required></form>
<form id="order" toolname="order" tooldescription="Orders"><input name="q"><button>Go</button></form>
<form toolname="leave" tooldescription="Leads away" toolautosubmit action="/target"><input name="q"></form>
<script>
for (const id of ["send", "order"]) document.getElementById(id).addEventListener("submit", (event) => {
  event.preventDefault();
  event.respondWith(Promise.resolve({ got: event.target.q.value, byAgent: event.agentInvoked }));
});
document.modelContext.addEventListener("toolcancel", ({ toolName }) => { globalThis.cancelled = toolName; });
</script>`;

const tools = `<script>
${register("double", "inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, execute: ({ n }) => ({ n: n * 2 })")}
${register("slow", "execute: (_, { signal }) => new Promise((_, reject) => { globalThis.running = true; signal.addEventListener('abort', () => { globalThis.aborted = true; reject(signal.reason); }); })")}
</script>`;

const worker = readFileSync(new URL("../../dist/browser/pagewire-worker.js", import.meta.url));
const ofShop = ["double", "slow", "send", "order", "leave"];

function pagesOf(isNative: boolean, hub: string, origins: Origins): Record<string, Page> {
  const polyfill = isNative ? "" : `<script src="${hub}/webmcp-polyfill.js"></script>`;
  const page = (app: string, body: string, attributes = "") =>
    `<!doctype html><title>${app}</title>${polyfill}${body}<script src="${hub}/pagewire.js" data-app="${app}" ${attributes}></script>`;
  const frame = (body: string) => `<!doctype html>${polyfill}<script>${body}</script>`;
  const exposed = `, { exposedTo: ["${origins.app}"] }`;
  return {
    "/shop": page("shop", tools + forms),
    "/shop-by-worker": page("shop", tools + forms, "data-worker"),
    "/pagewire-worker.js": { body: worker, type: "text/javascript" },
    "/target": "<title>Target</title>",
    "/frames": page(
      "frames",
      `<script>${register("pay", "execute: () => 'the page'")}</script>
       <iframe id="child" src="/child"></iframe>
       <iframe id="paging" src="/paging"></iframe>
       <iframe id="stranger" allow="tools" src="${origins.stranger}/stranger"></iframe>
       <iframe id="without-permission" src="${origins.stranger}/second"></iframe>
       <iframe id="second" allow="tools" src="${origins.stranger}/second"></iframe>`,
      `data-from-origins="${origins.stranger}"`,
    ),
    "/child": frame(register("pay", "execute: () => 'the child'")),
    "/paging": page("paging", `<script>${register("inside", "execute: () => 'inside'")}</script>`),
    "/stranger": frame(
      register("pay", "execute: () => 'a stranger'", exposed) + register("secret", "execute: () => 'secret'"),
    ),
    "/second": frame(register("second", "execute: () => 'second'", exposed)),
    "/forbidden": { body: page("forbidden", ""), headers: { "permissions-policy": "tools=()" } },
    "/unkeyed": { body: page("unkeyed", ""), headers: { "origin-agent-cluster": "?0" } },
    "/insecure": page("insecure", ""),
  };
}

describe.each([true, false])("native: %s", (isNative) => {
  let world: BrowserWorld;
  let origins: Origins;
  let open: BrowserWorld["open"];
  let agent: Client;
  let callByHttp: CallByHttp;

  beforeAll(async () => {
    const limits = { graceTime: 200 };
    world = await createBrowserWorld({ isNative, limits, pagesOf: (...places) => pagesOf(isNative, ...places) });
    ({ origins, open } = world);
    agent = await connectMcp(world.hub, worldToken);
    callByHttp = callerOf(world.hub.url, worldToken);
  });

  afterAll(async () => {
    await agent?.close();
    await world?.close();
  });

  afterEach(async () => {
    await world.closeTabs();
    await listed([]);
  });

  const builtIn = ["call_tab_tool", "list_browser_tabs", "list_tab_tools"];
  const names = async () =>
    (await agent.listTools()).tools.map(({ name }) => name).filter((name) => !builtIn.includes(name));

  async function listed(expected: readonly string[]): Promise<void> {
    let last: readonly string[] = [];
    let offers = "";
    await waitUntil(
      async () => {
        if (JSON.stringify((last = (await names()).toSorted())) === JSON.stringify(expected.toSorted())) return true;
        offers = (await listTabs(callByHttp))
          .map(({ app, state, tools }) => `${app} (${state}): ${tools.join(", ")}`)
          .join("; ");
        return false;
      },
      () => `Listed are ${last.join(", ")}. Of the tabs: ${offers}.`,
    );
  }

  const call = (name: string, input: object = {}, signal = new AbortController().signal) =>
    agent.callTool({ name, arguments: { ...input } }, { signal }) as Promise<Answer>;

  /** The frame that a tool's metadata names. */
  const frameOf = async (wanted: string) =>
    (await agent.listTools()).tools.find(({ name }) => name === wanted)?._meta?.["pagewire/frame"];

  /** Closes a tab, and waits until its tools are gone. */
  async function leave(tab: Tab): Promise<void> {
    await tab.close();
    await listed([]);
  }

  test("an MCP client lists and calls a page's tools and forms, is notified of late ones, and can cancel", async () => {
    const tab = await open("/shop");
    await listed(ofShop);
    expect(await call("double", { n: 21 })).toMatchObject({ structuredContent: { n: 42 } });
    expect(await call("send", { q: "tea" })).toMatchObject({ structuredContent: { got: "tea", byAgent: true } });
    const told = new Promise<void>((resolve) =>
      agent.setNotificationHandler("notifications/tools/list_changed", () => resolve()),
    );
    await tab.evaluate(register("late", "execute: () => 'late'"));
    await told;
    await listed([...ofShop, "late"]);
    expect(await call("late")).toMatchObject({ content: [{ text: "late" }] });

    const cancelling = new AbortController();
    const slow = call("slow", {}, cancelling.signal);
    slow.catch(() => {});
    await tab.waitFor("globalThis.running");
    cancelling.abort();
    await tab.waitFor("globalThis.aborted");
  });

  test("a form that waits for its user answers the client when they send it, and hears when the client gives up", async () => {
    const tab = await open("/shop");
    await tab.activate();
    await listed(ofShop);
    const answer = call("order", { q: "one tea" });
    await tab.waitFor("document.querySelector('#order input').value === 'one tea'");
    await tab.click("#order button");
    expect(await answer).toMatchObject({ structuredContent: { got: "one tea", byAgent: true } });

    const cancelling = new AbortController();
    const waiting = call("order", { q: "another" }, cancelling.signal);
    waiting.catch(() => {});
    await tab.waitFor("document.querySelector('#order input').value === 'another'");
    cancelling.abort();
    await tab.waitFor("globalThis.cancelled === 'order'");
  });

  test("a form that navigates answers its caller before the page is gone", async () => {
    for (const path of ["/shop", "/shop", "/shop-by-worker"]) {
      const tab = await open(path);
      await listed(ofShop);
      const { content, isError = false } = await call("leave", { q: "tea" });
      expect({ text: content[0]?.text, isError }).toEqual({
        text: `The tool "leave" led to another page, which may have other tools. List them again.`,
        isError: false,
      });
      await tab.waitFor("location.pathname === '/target' && location.search === '?q=tea'");
      await leave(tab);
    }
  });

  test("a hidden tab is followed and called like any other", async () => {
    const tab = await open("/shop");
    await tab.hide();
    await listed(ofShop);
    await tab.evaluate(register("late", "execute: () => document.visibilityState"));
    await listed([...ofShop, "late"]);
    expect(await call("late")).toMatchObject({ content: [{ text: "hidden" }] });
  });

  test("frames' tools have distinct names, and go with their frames", async () => {
    const tab = await open("/frames");
    // Only a native model context reaches into frames of other origins.
    await listed(isNative ? ["pay", "pay_2", "pay_3", "second", "inside"] : ["pay", "pay_2", "inside"]);
    expect(await call("pay")).toMatchObject({ content: [{ text: "the page" }] });
    expect(await call("inside")).toMatchObject({ content: [{ text: "inside" }] });
    const { tools: all } = await agent.listTools();
    const fromFrames = all.filter(({ _meta }) => _meta?.["pagewire/frame"] !== undefined);
    expect(fromFrames).toHaveLength(isNative ? 3 : 1);
    for (const { name, description, annotations, _meta } of fromFrames) {
      const isStranger = _meta?.["pagewire/frame"] === origins.stranger;
      expect(await call(name)).toMatchObject({
        content: [{ text: name === "second" ? name : isStranger ? "a stranger" : "the child" }],
      });
      expect(annotations?.openWorldHint).toBe(isStranger ? true : undefined);
      expect(description).toContain(isStranger ? origins.stranger : `${origins.app}/child`);
    }

    // The first frame navigates, the second is removed, and the page in the third gives up its tools.
    const kept = fromFrames.find(({ _meta }) => _meta?.["pagewire/frame"] !== origins.stranger)?.name;
    await tab.evaluate("document.querySelector('#stranger').src += 'r'");
    await listed(isNative ? ["pay", `${kept}`, "second", "inside"] : ["pay", `${kept}`, "inside"]);
    await tab.evaluate("document.querySelector('#second').remove()");
    await listed(["pay", `${kept}`, "inside"]);
    await tab.evaluate("document.querySelector('#paging').contentWindow.pagewire.close()");
    await waitUntil(
      async () => (await frameOf("inside")) === `${origins.app}/paging`,
      () => "The page does not offer what the one in its frame gave up.",
    );
    await listed(["pay", `${kept}`, "inside"]);
  });

  test("a page that may not list its browser's tools logs the remedy once, and offers its own", async () => {
    for (const [path, origin, next] of [
      ["/forbidden", origins.app, "Permissions-Policy: tools=(self)"],
      ["/unkeyed", origins.unkeyed, "Origin-Agent-Cluster: ?0"],
    ] as const) {
      const tab = await open(path, origin);
      await tab.evaluate("pagewire.registerTool({ name: 'own', execute: () => '' })");
      await listed(["own"]);
      await tab.evaluate("for (let i = 0; i < 20; i++) window.dispatchEvent(new Event('focus'))");
      // The polyfill needs no permission.
      const said = () => tab.console.messages.filter(({ text }) => text.includes(next));
      if (isNative)
        await waitUntil(
          async () => said().length > 0,
          () => "Nothing was said.",
        );
      expect(said()).toHaveLength(isNative ? 1 : 0);
      await leave(tab);
    }
  });

  test("a page that is not secure has no model context of the browser's, and offers its own tools without a word", async () => {
    const tab = await open("/insecure", origins.insecure);
    expect(await tab.evaluate("'modelContext' in document")).toBe(false);
    await tab.evaluate("pagewire.registerTool({ name: 'own', execute: () => '' })");
    await listed(["own"]);
    expect(tab.console.errors).toEqual([]);
  });
});
