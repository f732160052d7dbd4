// The target of the suite: the real command, a real browser with the fixture in its tabs, and a proxy before the hub.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { startHub } from "../../e2e/support/hub-process.ts";
import type { HubProcess } from "../../e2e/support/hub-process.ts";
import { servePages } from "../../e2e/support/page-server.ts";
import type { Page } from "../../e2e/support/page-server.ts";
import type { Tab } from "../../e2e/support/tab.ts";
import { waitUntil } from "../../e2e/support/wait.ts";
import { callerOf, listTabs } from "../../e2e/support/world.ts";
import type { Revision } from "./requirements.ts";
import { remarksOf, runSuite } from "./run-suite.ts";
import type { SuiteRun } from "./run-suite.ts";
import { startRequestProxy } from "../../support/request-proxy.ts";

const fixture = fileURLToPath(new URL("../fixture", import.meta.url));
const resultsFolder = fileURLToPath(new URL("../../../.cache/conformance", import.meta.url));

/** A tab with the fixture, and its names for agents. */
export interface FixtureTab {
  readonly tab: Tab;
  readonly tabId: string;
}

export interface Stage {
  readonly hub: HubProcess;
  /** The hub's agent token. */
  readonly token: string;
  /** Opens the fixture in a new tab and waits until the hub has its tools. */
  openFixture(): Promise<FixtureTab>;
  /** A tab's MCP address at the hub, which needs a token. */
  hubUrl(tabId: string): URL;
  /** The same through the proxy, which adds the token. */
  proxyUrl(tabId: string): URL;
  /** Runs the suite against a tab, and prints its remarks in addition to the verdicts. */
  runSuite(tabId: string, revision: Revision): Promise<SuiteRun>;
  close(): Promise<void>;
}

/** Starts everything with one hub; `name` is the folder of the results, below .cache/conformance. */
export function createStage(name: string): Promise<Stage> {
  return createStageOf(name, async (args) => {
    const hub = await startHub({ args });
    return { hubs: [hub], close: hub.close };
  });
}

/** The same with these hubs, whose requests take turns; the page is at the first. */
export async function createStageOf(
  name: string,
  startHubs: (args: readonly string[]) => Promise<{ hubs: readonly HubProcess[]; close(): Promise<void> }>,
): Promise<Stage> {
  const closers: (() => Promise<void>)[] = [];
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    closers.unshift(() => part.close());
    return part;
  };
  async function close(): Promise<void> {
    for (const closePart of closers.splice(0)) await closePart();
  }

  async function start(): Promise<Stage> {
    const proxy = keep(await startRequestProxy());
    const pages = keep(await servePages(await fixturePages()));
    const host = `127.0.0.1:${proxy.port}`;
    const { hubs } = keep(await startHubs(["--public-host", host, "--allow-origin", pages.origin]));
    const [hub] = hubs;
    if (!hub) throw new Error("There is no hub.");
    const token = await hub.token();
    proxy.forward({ ports: hubs.map(({ port }) => port), token });
    const browser = keep(await launchChromium());
    const query = new URLSearchParams({ hub: hub.url });
    const call = callerOf(hub.url, token);
    const proxyUrl = (tabId: string): URL => new URL(`http://${host}/mcp/tabs/${tabId}`);
    return {
      hub,
      token,
      async openFixture() {
        const tab = await browser.open(pages.url(`/?${query}`));
        const tabId = await connected(tab);
        const isOffered = async () => (await listTabs(call)).some((one) => one.tabId === tabId && one.tools.length > 0);
        await waitUntil(isOffered, () => "The hub has no tools of the fixture.");
        return { tab, tabId };
      },
      hubUrl: (tabId) => new URL(`${hub.url}/mcp/tabs/${tabId}`),
      proxyUrl,
      async runSuite(tabId, revision) {
        const results = emptyFolder(join(name, revision));
        const run = await runSuite({ url: proxyUrl(tabId).href, revision, results });
        for (const remark of remarksOf(run, revision)) console.log(remark);
        return run;
      },
      close,
    };
  }

  try {
    return await start();
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the fixture is connected, and returns its tab's id. */
export async function connected(tab: Tab): Promise<string> {
  return tab.waitFor<string>("globalThis.page?.state.status === 'connected' && page.state.tabId");
}

async function fixturePages(): Promise<Record<string, Page>> {
  const { outputFiles } = await build({
    entryPoints: [join(fixture, "page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "warning",
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error("esbuild made nothing of the fixture.");
  return {
    "/": readFileSync(join(fixture, "page.html"), "utf8"),
    "/page.js": { body: script.text, type: "text/javascript" },
  };
}

function emptyFolder(name: string): string {
  const folder = join(resultsFolder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}
