// The six tabs of a run, and their faults.
import { setTimeout as pause } from "node:timers/promises";
import type { FaultProxy } from "pagewire/testing";
import type { Browser } from "../../e2e/support/chromium.ts";
import type { Tab } from "../../e2e/support/tab.ts";
import { within } from "../../e2e/support/wait.ts";
import type { PlannedFault, TabFault } from "../plan.ts";

/** One of the six; reopening it replaces its browser tab. */
export interface ChaosTab {
  readonly url: string;
  /** The network between this tab and the hub. */
  readonly network: FaultProxy;
  /** The tab's id for agents; undefined while the tab is not open. */
  readonly tabId: string | undefined;
  open(): Promise<void>;
  suffer(fault: PlannedFault<TabFault>): Promise<void>;
  /** Ends the page's reconnect backoff, which grows with each of many kills. */
  reconnect(): Promise<void>;
  /** Reopens it if it does not answer. */
  heal(): Promise<void>;
}

interface TabOptions {
  readonly browser: Browser;
  readonly url: string;
  /** At another site: only then the previous page enters the back/forward cache. */
  readonly elsewhere: string;
  readonly network: FaultProxy;
}

/** The time that a loaded browser may need for one step before the tab is given up. */
const patience = 30_000;

export function createChaosTab({ browser, url, elsewhere, network }: TabOptions): ChaosTab {
  let tab: Tab | undefined;
  let tabId: string | undefined;

  async function open(): Promise<void> {
    tab = await browser.open(url);
    tabId = await tab.waitFor<string>("pagewire.state.tabId");
  }

  async function close(): Promise<void> {
    const closing = tab;
    [tab, tabId] = [undefined, undefined];
    await closing?.close();
  }

  const acts: Readonly<Record<TabFault, (open: Tab, time: number) => Promise<void>>> = {
    reload: (open_) => open_.reload(),
    async reopen(_, time) {
      await close();
      await pause(time);
      await open();
    },
    async crash(open_, time) {
      await open_.crash();
      await pause(time);
      await open_.reload();
    },
    /** The page's last frames do not reach the hub. */
    async "crash-in-cut"(open_, time) {
      network.pause("toTarget", "drop");
      await pause(Math.min(time, 700));
      await open_.crash();
      network.reset();
      network.resume();
      await pause(time);
      await open_.reload();
    },
    async freeze(open_, time) {
      await open_.freeze();
      await pause(time);
      await open_.unfreeze();
    },
    async cache(open_, time) {
      await open_.navigate(elsewhere);
      await pause(time);
      await open_.back();
    },
  };

  async function reopen(): Promise<void> {
    await close().catch(() => {});
    await open();
  }

  return {
    url,
    network,
    get tabId() {
      return tabId;
    },
    open,
    async suffer({ kind, time }) {
      try {
        if (tab === undefined) return await open();
        await within(acts[kind](tab, time), () => `A tab does not come through ${kind}.`, patience + time);
      } catch {
        network.resume();
        await reopen();
      }
    },
    async reconnect() {
      await tab?.evaluate("pagewire.reconnect()");
    },
    async heal() {
      try {
        await within(tab?.evaluate("pagewire.state.tabId") ?? open(), () => "A tab does not answer.", patience);
      } catch {
        await reopen();
      }
    },
  };
}
