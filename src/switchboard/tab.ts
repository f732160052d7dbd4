import type { Tool } from "../wire/index.ts";
import type { Caller, Tab, TabIdentity } from "./types.ts";

const nothing = () => {};

/**
 * A new tab, away until its page is attached. Its fields are written out: after a spread V8 would keep so many of them as a
 * hash table, of eight times the size.
 */
export function createTab({ tabId, principal, origin, app }: TabIdentity): Tab {
  return {
    tabId,
    principal,
    origin,
    app,
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
    calls: Object.create(null) as Tab["calls"],
    inFlight: 0,
    stopTimer: nothing,
    stopSettling: nothing,
    stopStrays: nothing,
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
