// A person's computer: a home folder, a hub that runs, a browser with a page, and the programs that talk to both.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { startHub } from "../../e2e/support/hub-process.ts";
import type { HubProcess } from "../../e2e/support/hub-process.ts";
import { servePages } from "../../e2e/support/page-server.ts";
import { spawnOwned } from "../../e2e/support/processes.ts";
import type { Tab } from "../../e2e/support/tab.ts";
import { waitUntil } from "../../e2e/support/wait.ts";
import { callerOf, connected, listTabs, offered, tabIdOf } from "../../e2e/support/world.ts";
import { warehousePage } from "./warehouse.ts";

export const pagewire = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Machine {
  readonly home: string;
  readonly hub: HubProcess;
  /** Opens the warehouse and waits until the hub has its tools. */
  openTab(): Promise<Tab>;
  closeTabs(): Promise<void>;
  stopHub(): Promise<void>;
  startHub(): Promise<void>;
  /** Restarts the hub and waits until the tab is back. */
  restartHub(tab: Tab): Promise<void>;
  tabId(tab: Tab): Promise<string>;
  /** Resolves once the hub has these tools, of whichever tab. */
  hasTools(names: readonly string[]): Promise<void>;
  /** Resolves once an agent has spoken to the hub by MCP since this time. */
  agentConnected(since: number): Promise<void>;
  /** How often a tool of the page began to run since the last `forget`. */
  ran(tool: string): number;
  /** How often its signal was aborted, and how often it came to its end. */
  aborted(tool: string): number;
  ended(tool: string): number;
  forget(): void;
  /** Resolves once a tool of the page has begun to run. */
  started(tool: string): Promise<void>;
  close(): Promise<void>;
}

interface ListedAgent {
  readonly door: string;
  readonly lastSeen: string;
}

/** Sets the computer up. The hub's state is where it is by default in this home. */
export async function createMachine(): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), "pagewire-agents-"));
  const state = join(home, ".local", "state", "pagewire");
  await mkdir(state, { recursive: true, mode: 0o700 });
  const served: Record<string, string> = {};
  const noted = { "/ran": noContent, "/ended": noContent, "/aborted": noContent };
  const pages = await servePages(served, { listeners: noted });
  const hub = await startHub({ home: state, env: { HOME: home } });
  const allowing = await spawnOwned(process.execPath, [pagewire, "allow", pages.origin], {
    env: { ...process.env, HOME: home, PAGEWIRE_HOME: state },
  });
  await allowing.exited;
  served["/"] = warehousePage(hub.url, "warehouse");
  const browser = await launchChromium();
  let begin = 0;
  const count = (what: string, tool: string) =>
    pages.requests.slice(begin).filter(({ path }) => path === `/${what}?${tool}`).length;

  async function isThere(tab: Tab): Promise<void> {
    await connected(tab);
    await offered(tab, callerOf(hub.url, await hub.token()));
  }

  return {
    home,
    hub,
    async openTab() {
      const tab = await browser.open(pages.url("/"));
      await isThere(tab);
      return tab;
    },
    async stopHub() {
      await hub.kill("SIGTERM");
    },
    startHub: () => hub.restart(),
    async restartHub(tab) {
      await hub.restart();
      await isThere(tab);
    },
    async closeTabs() {
      // A tab that is merely closed keeps its tools listed for some seconds: it might be reloading.
      const tabs = await browser.tabs();
      await Promise.allSettled(tabs.map((tab) => tab.evaluate("globalThis.pagewire?.close()")));
      await browser.closeTabs();
      const call = callerOf(hub.url, await hub.token());
      await waitUntil(
        async () => (await listTabs(call)).length === 0,
        () => "The hub still has tabs.",
      );
    },
    tabId: tabIdOf,
    async hasTools(names) {
      const call = callerOf(hub.url, await hub.token());
      await waitUntil(
        async () => {
          const listed = new Set((await listTabs(call)).flatMap(({ tools }) => tools));
          return names.every((name) => listed.has(name));
        },
        () => `The hub does not have ${names.join()}.`,
      );
    },
    async agentConnected(since) {
      const headers = { authorization: `Bearer ${await hub.token()}` };
      await waitUntil(
        async () => {
          const response = await fetch(`${hub.url}/api/agents`, { headers });
          const { agents } = (await response.json()) as { readonly agents: readonly ListedAgent[] };
          return agents.some(({ door, lastSeen }) => door === "mcp" && Date.parse(lastSeen) >= since);
        },
        () => "The program does not connect to the hub.",
      );
    },
    ran: (tool) => count("ran", tool),
    aborted: (tool) => count("aborted", tool),
    ended: (tool) => count("ended", tool),
    forget() {
      begin = pages.requests.length;
    },
    async started(tool) {
      await waitUntil(
        async () => count("ran", tool) > 0,
        () => `${tool} did not begin to run.`,
      );
    },
    async close() {
      await browser.close();
      await hub.close();
      await pages.close();
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function noContent(_: unknown, response: { writeHead(status: number): { end(): void } }): void {
  response.writeHead(204).end();
}
