// An app and the hub's window, each at an origin of its own: the hub's is the address in the seed.
import { createHub } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import { launchChromium } from "../e2e/support/chromium.ts";
import type { Browser } from "../e2e/support/chromium.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { Page, PageServer } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { worldToken } from "../e2e/support/world.ts";
import { startTlsFront } from "./tls-front.ts";

const agentHost = "seahorse-agent.agent.seahorse.dnotitia.com";

export const agentOrigin = `https://${agentHost}`;

export interface AgentWorld {
  readonly hub: Hub;
  readonly browser: Browser;
  readonly app: PageServer;
  /** The responses of the app's server, by path. */
  readonly served: Record<string, Page>;
  /** Opens a page of the app. */
  open(path: string): Promise<Tab>;
  close(): Promise<void>;
}

export async function createAgentWorld(options: Pick<HubOptions, "ai" | "limits"> = {}): Promise<AgentWorld> {
  const served: Record<string, Page> = {};
  const app = await servePages(served);
  const hub = await createHub({
    port: 0,
    agentToken: () => worldToken,
    allowedOrigins: () => [app.origin],
    publicHosts: [agentHost],
    ...options,
  });
  const front = await startTlsFront(hub.port, agentHost);
  const browser = await launchChromium({
    args: ["--ignore-certificate-errors"],
    hostRules: `MAP ${agentHost} 127.0.0.1:${front.port}, MAP *.test 127.0.0.1`,
  });
  await signIn(hub, browser);
  return {
    hub,
    browser,
    app,
    served,
    open: (path) => browser.open(app.url(path)),
    async close() {
      await browser.close();
      await front.close();
      await hub.close();
      await app.close();
    },
  };
}

/** Signs the browser in to the hub's own pages, with a link such as `pagewire open` prints. */
async function signIn(hub: Hub, browser: Browser): Promise<void> {
  const headers = { authorization: `Bearer ${worldToken}`, "content-type": "application/json" };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers, body: "{}" });
  const { code } = (await response.json()) as { code: string };
  const home = await browser.open(`${agentOrigin}/#code=${code}`);
  await home.waitFor("Object.values(localStorage).some((value) => value.includes('pagewire-app.'))");
  await home.close();
}
