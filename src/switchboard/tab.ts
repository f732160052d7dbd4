// One tab, and the group of those that offer the same.
import type { Tool } from "../wire/index.ts";
import type { Caller, Group, Tab, TabIdentity } from "./types.ts";
import type { SharedOffer } from "./offers.ts";
import { TransientMap } from "./transient-map.ts";

/** A new tab, away until its page is attached. */
export function createTab(identity: TabIdentity): Tab {
  return {
    ...identity,
    title: "",
    url: "",
    state: "away",
    suspension: undefined,
    hasLeft: false,
    focusedAt: 0,
    lastSeen: 0,
    offer: undefined,
    actual: undefined,
    settling: false,
    epochs: [],
    group: undefined,
    delivery: undefined,
    calls: new TransientMap(),
    stopTimer: () => {},
    stopSettling: () => {},
    stopStrays: () => {},
  };
}

/** Whether one tab is a better target than another: connected first, then the one focused last. */
export function isBetter(tab: Tab, than: Tab | undefined): boolean {
  if (!than) return true;
  const connected = Number(tab.state === "connected") - Number(than.state === "connected");
  return connected !== 0 ? connected > 0 : tab.focusedAt > than.focusedAt;
}

/** What a tool of this name in a tab's offer is to a caller; undefined where there is none, or none for this caller. */
export function toolOf(
  offer: Tab["offer"],
  name: string,
  { isTerminal }: Pick<Caller, "isTerminal">,
): Tool | undefined {
  return offer?.tools.get(name) ?? (isTerminal ? offer?.terminalTools.get(name) : undefined);
}

export function createGroup(origin: string, app: string, offer: SharedOffer): Group {
  const tabs = new Set<Tab>();
  let favourite: Tab | undefined;

  return {
    origin,
    app,
    offer,
    get size() {
      return tabs.size;
    },
    add(tab) {
      tabs.add(tab);
      if (favourite && isBetter(tab, favourite)) favourite = tab;
    },
    remove(tab) {
      tabs.delete(tab);
      if (favourite === tab) favourite = undefined;
    },
    update(tab) {
      if (favourite === tab) favourite = undefined;
      else if (favourite && isBetter(tab, favourite)) favourite = tab;
    },
    has: (tab) => tabs.has(tab),
    best() {
      if (!favourite) for (const tab of tabs) if (isBetter(tab, favourite)) favourite = tab;
      return favourite;
    },
  };
}
