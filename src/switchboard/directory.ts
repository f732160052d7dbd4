// The tabs of one principal: which there are, what they offer, and which of them gets a call first.
import { PagewireError } from "../wire/index.ts";
import type { Offer, TabInfo, Tool } from "../wire/index.ts";
import type { exposeResources } from "./exposed-resources.ts";
import { expose } from "./exposure.ts";
import type { Exposure } from "./exposure.ts";
import type { InParts } from "./result-parts.ts";
import type { SharedOffer } from "./offers.ts";
import type { Caller, Group, Tab, TabIdentity } from "./types.ts";
import type { TabPage, TabQuery } from "./tab-page.ts";

export interface Directory {
  readonly tabs: ReadonlyMap<string, Tab>;
  readonly parts: InParts | undefined;
  add(tab: Tab): void;
  remove(tab: Tab): void;
  /** Puts a tab into the group of equal offers; call this when its offer or app changed. */
  regroup(tab: Tab): void;
  /** Call this when a tab's focus or state changed. */
  update(tab: Tab): void;
  exposure(): Exposure;
  /** The tab with this id; throws an error that lists the existing tabs. */
  find(tabId: string): Tab;
  /** The tabs as agents see them; all of them without a query. */
  describe(query?: TabQuery): TabPage<TabInfo>;
  /** All tabs as text, without `lastSeen`, which is no change of a list. */
  text(): string;
}

export interface DirectoryOptions {
  readonly isoTime: (at: number) => string;
  readonly exposeResources: typeof exposeResources;
  /** Without this a query returns all tabs. */
  readonly parts?: InParts;
}

export function createDirectory({ isoTime, exposeResources, parts }: DirectoryOptions): Directory {
  const tabs = new Map<string, Tab>();
  const groups = new Map<string, Map<object, Group>>();
  let exposure: Exposure | undefined;

  const leaveGroup = (tab: Tab) => {
    const { group } = tab;
    if (!group) return;
    group.remove(tab);
    tab.group = undefined;
    // A tool is shown differently if only one tab has it.
    if (group.size === 1) exposure = undefined;
    if (group.size > 0) return;
    const key = `${group.origin} ${group.app}`;
    groups.get(key)?.delete(group.offer);
    if (groups.get(key)?.size === 0) groups.delete(key);
    exposure = undefined;
  };
  const groupFor = (tab: Tab, offer: NonNullable<Tab["offer"]>): Group => {
    const key = `${tab.origin} ${tab.app}`;
    const ofApp = groups.get(key) ?? new Map<object, Group>();
    groups.set(key, ofApp);
    const known = ofApp.get(offer);
    if (known) return known;
    const group = createGroup(tab.origin, tab.app, offer);
    ofApp.set(offer, group);
    exposure = undefined;
    return group;
  };

  const activeTab = (): Tab | undefined => {
    let active: Tab | undefined;
    for (const tab of tabs.values()) if (isBetter(tab, active)) active = tab;
    return active;
  };

  return {
    tabs,
    parts,
    add: (tab) => void tabs.set(tab.tabId, tab),
    remove(tab) {
      tabs.delete(tab.tabId);
      leaveGroup(tab);
    },
    regroup(tab) {
      const group = tab.offer && groupFor(tab, tab.offer);
      if (group === tab.group) return;
      leaveGroup(tab);
      tab.group = group;
      group?.add(tab);
      if (group?.size === 2) exposure = undefined;
    },
    update: (tab) => tab.group?.update(tab),
    exposure() {
      if (exposure) return exposure;
      const all = [...groups.values()].flatMap((ofApp) => [...ofApp.values()]);
      return (exposure = expose(all, exposeResources(all), parts?.tools));
    },
    find(tabId) {
      const tab = tabs.get(tabId);
      if (tab) return tab;
      const there = [...tabs.values()].map((other) => `${other.tabId} (${(other.title || other.app).slice(0, 80)})`);
      const list = there.length === 0 ? "No tab is open." : `Open tabs: ${listOf(there)}`;
      throw new PagewireError("tab-not-found", `There is no tab "${tabId.slice(0, 128)}". ${list}`);
    },
    describe(query) {
      const all = [...tabs.values()];
      const active = activeTab();
      const { tabs: wanted, ...page } = (query && parts?.tabs(all, active, query)) ?? { tabs: all };
      return { ...page, tabs: wanted.map((tab) => ({ ...shown(tab, active), lastSeen: isoTime(tab.lastSeen) })) };
    },
    text() {
      const active = activeTab();
      return JSON.stringify([...tabs.values()].map((tab) => shown(tab, active)));
    },
  };
}

/** A tab as agents see it, without `lastSeen`. */
function shown(tab: Tab, active: Tab | undefined): Omit<TabInfo, "lastSeen"> {
  const { tabId, app, origin, title, url, state, offer, identity } = tab;
  const tools = [...(offer?.tools.keys() ?? [])];
  const { browser } = identity;
  const through = browser && ({ browser, through: "extension" } as const);
  return { tabId, app, origin, title, url, isActive: tab === active, state, tools, ...through };
}

/**
 * A new tab, away until its page is attached. Its fields are written out: with a spread V8 stores the object as a hash
 * table of eight times the size.
 */
export function createTab(identity: TabIdentity): Tab {
  const { tabId, principal, origin, app } = identity;
  return {
    tabId,
    principal,
    origin,
    app,
    identity,
    connectedAt: 0,
    title: "",
    url: "",
    state: "away",
    suspension: undefined,
    hasLeft: false,
    approves: false,
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
    stopTimer: undefined,
    stopSettling: undefined,
    stopOrphans: undefined,
  };
}

/** Whether one tab is a better target than another: a connected tab before others, then the one focused last. */
export function isBetter(tab: Tab, than: Tab | undefined): boolean {
  if (!than) return true;
  const connected = Number(tab.state === "connected") - Number(than.state === "connected");
  return connected !== 0 ? connected > 0 : tab.focusedAt > than.focusedAt;
}

/** The tool of this name in a tab's offer; undefined if there is none, or none that this caller may see. */
export function toolOf(
  offer: Tab["offer"],
  name: string,
  { isTerminal }: Pick<Caller, "isTerminal">,
): Tool | undefined {
  return offer?.tools.get(name) ?? (isTerminal ? offer?.terminalTools.get(name) : undefined);
}

/** The tabs of one app with equal offers. The best of them is cached until it may have changed. */
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

/** The offer of one tab to a caller, under the tab's own names. */
export function offerOf({ offer }: Tab, { isTerminal }: Pick<Caller, "isTerminal"> = {}): Offer {
  if (!offer) return nothing;
  let known = offers.get(offer);
  if (!known) {
    const { tools, resources, resourceTemplates, prompts } = offer;
    known = {
      tools: [...tools.values()],
      resources: [...resources.values()],
      resourceTemplates: [...resourceTemplates.values()],
      prompts: [...prompts.values()],
    };
    offers.set(offer, known);
  }
  return isTerminal ? { ...known, tools: [...known.tools, ...offer.terminalTools.values()] } : known;
}

const nothing: Offer = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
/** One object per offer, so that values derived from it can be cached. */
const offers = new WeakMap<NonNullable<Tab["offer"]>, Offer>();

/** The most names in a message; a longer list ends with their number. */
const max = 50;

/** The end of a message, with the existing names. */
export function listOf(names: Iterable<string> = []): string {
  const all = [...names];
  if (all.length === 0) return "nothing.";
  const named = all.slice(0, max).join(", ");
  return all.length > max ? `${named} and ${all.length - max} more.` : `${named}.`;
}
