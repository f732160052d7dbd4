// A hub, a browser with or without a model context of its own, and servers of the same pages at three origins: the app's,
// a stranger's, and one that opts out of origin-keyed agent clusters, which a browser remembers for an origin.
import { createHub } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import { openChromium } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { connected, worldToken } from "./support/world.ts";

export interface Origins {
  readonly app: string;
  readonly stranger: string;
  readonly unkeyed: string;
  /** The app's origin where it is not a secure context. */
  readonly insecure: string;
}

export interface BrowserWorld {
  readonly hub: Hub;
  readonly origins: Origins;
  /** Opens a page and waits until it is connected. */
  open(path: string, origin?: string): Promise<Tab>;
  closeTabs(): Promise<void>;
  close(): Promise<void>;
}

/** Whether every reachable document of the page answers when it is asked for its tools. */
const answers = `Promise.race([
  new Promise((resolve) => setTimeout(resolve, 5000, false)),
  Promise.allSettled(
    [window, ...document.querySelectorAll("iframe")].map(async (at) =>
      (at.contentWindow ?? at).document.modelContext?.getTools(),
    ),
  ).then(() => true),
])`;

export interface BrowserWorldOptions {
  /** Whether the browser has a model context of its own. */
  readonly isNative: boolean;
  readonly limits?: HubOptions["limits"];
  /** The pages at every origin, by path. */
  pagesOf(hub: string, origins: Origins): Readonly<Record<string, Page>>;
}

export async function createBrowserWorld({
  isNative,
  limits = {},
  pagesOf,
}: BrowserWorldOptions): Promise<BrowserWorld> {
  const served: Record<string, Page> = {};
  const servers = await Promise.all([servePages(served), servePages(served), servePages(served)]);
  const [pages, strangers, unkeyed] = servers;
  const origins = {
    app: pages.origin,
    stranger: strangers.originFor("localhost"),
    unkeyed: unkeyed.origin,
    insecure: pages.originFor("app.test"),
  };
  const allowed = Object.values(origins);
  const hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => allowed, limits });
  Object.assign(served, pagesOf(hub.url, origins));
  const browser = await openChromium({ features: { enable: isNative ? ["WebMCP"] : [] } });

  async function open(path: string, origin = origins.app): Promise<Tab> {
    const tab = await browser.open(origin + path);
    await connected(tab);
    if (await tab.evaluate(answers)) return tab;
    // On a busy machine Chromium 156 loses the model context of one in fifty frames of the page's origin, also without
    // Pagewire: that document's registrations and requests are never answered.
    await tab.close();
    return open(path, origin);
  }

  return {
    hub,
    origins,
    open,
    closeTabs: () => browser.closeTabs(),
    async close() {
      await browser.close();
      await hub.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
