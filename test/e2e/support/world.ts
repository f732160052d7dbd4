// A hub, a browser and an app's pages together, as most end-to-end tests need them.
import { createHub } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import { openChromium } from "./chromium.ts";
import type { Browser } from "./chromium.ts";
import { servePages } from "./page-server.ts";
import type { Page, PageServer } from "./page-server.ts";
import { shopPage } from "./shop.ts";
import type { Tab } from "./tab.ts";
import { waitUntil } from "./wait.ts";

/** The outcome of a call by HTTP. */
export interface HttpOutcome {
  readonly status: number;
  readonly outcome: string;
  readonly ran: string;
  readonly replay?: boolean;
  readonly result?: {
    readonly structuredContent?: unknown;
    readonly content: readonly { readonly text?: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

export interface CallOptions {
  readonly key?: string;
  readonly tab?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Calls one tool with `POST /api/call/<tool>`. */
export type CallByHttp = (tool: string, input: object, options?: CallOptions) => Promise<HttpOutcome>;

export interface World {
  readonly hub: Hub;
  readonly token: string;
  readonly browser: Browser;
  readonly pages: PageServer;
  /** Opens the shop and waits until it is connected and the hub has its tools. */
  openShop(path?: string): Promise<Tab>;
  readonly call: CallByHttp;
  close(): Promise<void>;
}

/** The agents' token of hubs that tests create in their own process. */
export const worldToken = "the-token-of-this-world";

export interface WorldOptions {
  readonly port?: number;
  readonly limits?: HubOptions["limits"];
  readonly audit?: HubOptions["audit"];
  /** The hub's address for the shop's pages, if it is not the hub's own. */
  readonly hubAddress?: (hub: Hub) => string | Promise<string>;
  readonly publicHosts?: readonly string[];
  readonly morePages?: (hub: string) => Record<string, Page>;
}

export async function createWorld({
  port = 0,
  limits = {},
  audit,
  hubAddress,
  publicHosts = [],
  morePages,
}: WorldOptions = {}): Promise<World> {
  const served: Record<string, Page> = {};
  const pages = await servePages(served);
  const hub = await createHub({
    port,
    agentToken: () => worldToken,
    allowedOrigins: () => [pages.origin],
    limits,
    publicHosts,
    ...(audit !== undefined && { audit }),
  });
  const address = hubAddress ? await hubAddress(hub) : hub.url;
  Object.assign(served, {
    "/": shopPage(address),
    "/again": shopPage(address),
    "/elsewhere": "<title>Elsewhere</title>",
    "/file.bin": { body: "bytes", type: "application/octet-stream", headers: { "content-disposition": "attachment" } },
    ...morePages?.(address),
  });
  const browser = await openChromium();
  const call = callerOf(hub.url, worldToken);
  return {
    hub,
    token: worldToken,
    browser,
    pages,
    async openShop(path = "/") {
      const tab = await browser.open(pages.url(path));
      await connected(tab);
      await offered(tab, call);
      return tab;
    },
    call,
    async close() {
      await browser.close();
      await hub.close();
      await pages.close();
    },
  };
}

/** Calls a hub by HTTP. */
export function callerOf(url: string, token: string, agent = "test"): CallByHttp {
  return async (tool, input, { key, tab, timeout, signal } = {}) => {
    const response = await fetch(`${url}/api/call/${tool}`, {
      method: "POST",
      body: JSON.stringify(input),
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "user-agent": agent,
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...(tab === undefined ? {} : { "pagewire-tab": tab }),
        ...(timeout === undefined ? {} : { "pagewire-timeout": String(timeout) }),
      },
    });
    return { status: response.status, ...((await response.json()) as Omit<HttpOutcome, "status">) };
  };
}

export async function connected(tab: Tab): Promise<void> {
  await tab.waitFor("globalThis.pagewire?.state.status === 'connected'");
}

/** Waits until the hub has the tab's tools, which follow its hello. While it connects, the tab has no id. */
export async function offered(tab: Tab, call: CallByHttp): Promise<void> {
  let seen: unknown;
  await waitUntil(
    async () => {
      const [id, tabs] = [await tabIdOf(tab), await listTabs(call)];
      seen = { id, tabs };
      return tabs.some(({ tabId, tools }) => tabId === id && tools.length > 0);
    },
    () => `The hub has no tools of this tab: ${JSON.stringify(seen)}`,
  );
}

/** How often the tool with this tag ran, and how often its signal was aborted, over all documents of the origin. */
export async function countsOf(tab: Tab, tag: string): Promise<{ readonly ran: number; readonly aborted: number }> {
  return tab.evaluate(
    (name: string) => ({
      ran: Number(localStorage.getItem(`ran:${name}`) ?? 0),
      aborted: Number(localStorage.getItem(`aborted:${name}`) ?? 0),
    }),
    tag,
  );
}

/** Waits until a tool with this tag runs. */
export async function started(tab: Tab, tag: string): Promise<void> {
  await tab.waitFor((name: string) => localStorage.getItem(`ran:${name}`) !== null, { values: [tag] });
}

/** The tab's id for agents. */
export async function tabIdOf(tab: Tab): Promise<string> {
  return tab.evaluate("pagewire.state.tabId");
}

interface ListedTab {
  readonly tabId: string;
  readonly app: string;
  readonly isActive: boolean;
  readonly tools: readonly string[];
  readonly state: string;
}

/** The open tabs, as agents see them. */
export async function listTabs(call: CallByHttp): Promise<readonly ListedTab[]> {
  const { result } = await call("list_browser_tabs", {});
  const { tabs = [] } = (result?.structuredContent ?? {}) as { readonly tabs?: readonly ListedTab[] };
  return tabs;
}
