// Everything that a run breaks: a hub, six tabs, and the networks between them.
import { createFaultProxy } from "pagewire/testing";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { freePort } from "../../support/free-port.ts";
import type { Page } from "../../e2e/support/page-server.ts";
import { waitUntil } from "../../e2e/support/wait.ts";
import { callerOf, listTabs } from "../../e2e/support/world.ts";
import type { CallByHttp } from "../../e2e/support/world.ts";
import type { Run } from "../history.ts";
import { appsOfTabs } from "../plan.ts";
import { startChaosHub } from "./chaos-hub.ts";
import type { ChaosHub, ChaosHubOptions } from "./chaos-hub.ts";
import { createChaosTab } from "./chaos-tabs.ts";
import type { ChaosTab } from "./chaos-tabs.ts";
import type { Networks } from "./network.ts";
import { serveTruth, truthPage } from "./truth-page.ts";

export interface ChaosWorld {
  readonly hub: ChaosHub;
  readonly token: string;
  readonly tabs: readonly ChaosTab[];
  readonly networks: Networks;
  /** The hub's address for callers. */
  readonly url: string;
  /** Waits until all tabs are back and a call works in each; returns the problems. */
  problems(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ChaosWorldOptions {
  /** The hub's options in addition to those of every run. */
  readonly hub: Pick<ChaosHubOptions, "args" | "env">;
  readonly onRun: (run: Run) => void;
}

/** Each tab has one of three routes to the hub. */
const ways = 3;

export async function createChaosWorld({ hub: started, onRun }: ChaosWorldOptions): Promise<ChaosWorld> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const target = { host: "127.0.0.1", port: await freePort() };
    const proxies = await Promise.all(Array.from({ length: ways + 1 }, () => createFaultProxy({ target })));
    closing.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
    const [callers, ...pages] = proxies;
    if (!callers) throw new Error("There is no way for callers.");
    const served: Record<string, Page> = {};
    const server = await serveTruth(served, onRun);
    closing.push(() => server.close());
    const names = proxies.flatMap(({ port }) => ["--public-host", `127.0.0.1:${port}`]);
    const hub = await startChaosHub({
      port: target.port,
      args: ["--allow-origin", server.origin, ...names, ...started.args],
      env: started.env,
    });
    closing.push(() => hub.process.close());
    const browser = await launchChromium();
    closing.push(() => browser.close());
    const tabs = appsOfTabs.map((app, index) => {
      const network = pages[index % ways] ?? callers;
      const path = `/tab-${index}`;
      served[path] = truthPage(app, `http://127.0.0.1:${network.port}`);
      return createChaosTab({ browser, url: server.url(path), elsewhere: server.otherSite("/elsewhere"), network });
    });
    for (const tab of tabs) await tab.open();
    const token = await hub.process.token();
    const call = callerOf(hub.process.url, token, "chaos-driver");
    await back(tabs, call);
    return {
      hub,
      token,
      tabs,
      networks: { pages, callers },
      url: `http://127.0.0.1:${callers.port}`,
      problems: () => problemsOf(tabs, { hub, call }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until each tab is connected and has its tools. */
async function back(tabs: readonly ChaosTab[], call: CallByHttp): Promise<void> {
  const missing = async () => {
    const listed = await listTabs(call);
    return tabs.filter(
      ({ tabId }) => !listed.some((one) => one.tabId === tabId && one.state === "connected" && one.tools.length > 0),
    );
  };
  await waitUntil(
    async () => (await missing()).length === 0,
    () => "Not all tabs are back at the hub.",
  );
}

async function problemsOf(
  tabs: readonly ChaosTab[],
  { hub, call }: { hub: ChaosHub; call: CallByHttp },
): Promise<readonly string[]> {
  const ended = hub.problem();
  if (ended !== undefined) return [ended];
  try {
    await back(tabs, call);
  } catch (error) {
    return [String(error)];
  }
  const answers = await Promise.all(
    tabs.map(async ({ tabId = "" }, index) => {
      const tag = `end-${index}`;
      const answer = await call(`${appsOfTabs[index]}_write`, { tag, work: 0, tabId });
      return answer.outcome === "ok" ? [] : [`A call of tab ${tabId} ends with ${JSON.stringify(answer)}.`];
    }),
  );
  return answers.flat();
}
