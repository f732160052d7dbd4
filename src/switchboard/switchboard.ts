// Has the tabs and agents of every principal, and routes calls between them. Nothing crosses between principals. It handles
// neither sockets nor credentials: tabs and agents are authenticated before they are attached.
import { closeReason, resolveSwitchboardLimits } from "../wire/index.ts";
import type { CallEvent, Limits, Offer, OutcomeName, TabInfo, Tool, OnOver } from "../wire/index.ts";
import type { CallHandle, CallListener, CallRequest, Caller, Delivery, TabIdentity } from "./types.ts";
import type { CallClock } from "./begin-calls.ts";
import type { ShareCalls } from "./call-budget.ts";
import { noReports } from "./call-ends.ts";
import type { CallEnds } from "./call-ends.ts";
import { offerOf, toolOf } from "./directory.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import { createOfferPool } from "./offers.ts";
import type { OtherOffers } from "./other-offers.ts";
import type { ConnectedAgent, Overview, OverviewOf } from "./overview.ts";
import type { PolicyGate } from "./policy-gate.ts";
import { createPrincipal } from "./principal.ts";
import type { Principal } from "./principal.ts";
import { createPrincipalBudget } from "./principal-budget.ts";
import type { InParts } from "./result-parts.ts";
import type { Returns } from "./returns.ts";
import type { Pins } from "./tab-offers.ts";
import type { WrittenKeys } from "./written-keys.ts";
import { TabKeeper } from "./tab-keeper.ts";
import type { PageGreeting, RemovedTab, TabSession } from "./tab-keeper.ts";
import type { TabPage, TabQuery } from "./tab-page.ts";

/** An agent's authenticated identity. */
export type AgentIdentity = Omit<Caller, "inFlight">;

export interface AgentSession {
  call(request: CallRequest, listener: CallListener): CallHandle;
  tabs(): readonly TabInfo[];
  tabPage(query: TabQuery): TabPage<TabInfo>;
  /** Everything that can be called, each item under its exposed name. The same object until something changes. */
  offer(): Offer;
  /** The offer of one tab, under its own names; throws a named error if there is no such tab. */
  tabOffer(tabId: string): Offer;
  tool(name: string, tabId?: string): Tool | undefined;
  /** The owner of the listed tool, and the page's own name for it. */
  sourceOf(name: string): { readonly origin: string; readonly app: string; readonly name: string } | undefined;
  /** The app name that the page of a tab gave. */
  appOf(tabId: string): string | undefined;
  originOf(tabId: string): string | undefined;
  /** Call this for every sign of the agent's activity, for the overview. */
  seen(): void;
  /** Notifies, after a moment, that the list of tabs or their offers changed. */
  onChange(listener: (what: "tabs" | "offer") => void): () => void;
  /** Announces a change of this tab's offer at once; returns whether there is one that must wait for its moment. */
  announce(tabId: string): boolean;
  /** Notifies that a resource of a tab changed: by the page's own URI, and by the listed one if it differs. */
  onUpdate(listener: (uri: string, tabId: string) => void): () => void;
  /** Notifies of every call of the same principal. */
  onCall(listener: (event: CallEvent) => void): () => void;
  /** Stops listening. Running calls go on. */
  close(): void;
}

export interface Switchboard {
  attach(identity: TabIdentity, greeting: PageGreeting, delivery: Delivery): TabSession;
  agent(identity: AgentIdentity): AgentSession;
  /** Whether this tab exists and, with an origin, belongs to that origin. */
  hasTab(principal: string, tabId: string, origin?: string): boolean;
  /** Ends a tab's connection and calls, and describes what it was; undefined if there is no such tab. */
  disconnect(principal: string, tabId: string): RemovedTab | undefined;
  /** The connections of this principal, if it has any. */
  overview(principal: string): Overview | undefined;
  /** Figures for monitoring: tabs by state, calls in flight, calls by outcome. */
  counts(): SwitchboardCounts;
  /** Call this when the tools that a principal's agents may see have changed; without a principal, those of all. */
  review(principal?: string): void;
  /** Ends every wait and removes every tab. */
  close(): void;
}

export interface SwitchboardCounts {
  readonly tabs: number;
  readonly agents: number;
  readonly callsInFlight: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
}

export interface SwitchboardOptions {
  readonly clock: CallClock;
  /** A new id, unique across all switchboards. */
  readonly newId: () => string;
  /** A moment of the clock as ISO text. */
  readonly isoTime: (at: number) => string;
  readonly limits?: Partial<Limits>;
  /** The state of an earlier run; by default there was none. */
  readonly returns?: Returns | undefined;
  /** The keys in a ledger; without it they are in memory only. */
  readonly keys?: WrittenKeys | undefined;
  /** Serves prompts, resources and completions; without it agents call only tools. */
  readonly others?: OtherOffers;
  /** Splits long lists and results; without it they are whole. */
  readonly parts?: InParts;
  /** Serves `overview`; without it that is always undefined. */
  readonly overviewOf?: OverviewOf;
  /** For audit records. Must not throw or keep payloads. */
  readonly ends?: CallEnds;
  readonly onOver?: OnOver;
  /** Bounds the outcomes of all principals together; without it each principal has its own bound. */
  readonly kept?: KeptBytes;
  /** Applies a policy to calls; without it every call may begin. */
  readonly gate?: PolicyGate;
  /** Counts a principal's calls at several hubs; without it only those here count. */
  readonly share?: ShareCalls | undefined;
  /** Called with each principal when it begins. What several use together can be bounded by other budgets there. */
  readonly began?: ((name: string, principal: Principal) => void) | undefined;
  /** Withholds tools that a person has not accepted; without it agents see all. */
  readonly pins?: Pins;
}

export function createSwitchboard(options: SwitchboardOptions): Switchboard {
  const limits = resolveSwitchboardLimits(options.limits);
  const { clock } = options;
  const pool = createOfferPool(limits, options.parts?.listed, options.onOver);
  const { returns = nothingReturns, others = noOthers, ends = noReports, gate } = options;
  const principals = new Map<string, Principal>();
  const outcomes: Partial<Record<OutcomeName, number>> = {};

  const principalOf = (name: string): Principal => {
    let known = principals.get(name);
    if (!known) {
      known = createPrincipal({
        ...options,
        name,
        limits,
        returns,
        ends,
        others,
        budget: createPrincipalBudget(pool, limits, options.onOver),
        outcomes,
      });
      principals.set(name, known);
      options.began?.(name, known);
    }
    known.stopForgetting();
    return known;
  };
  const forgetIfIdle = (name: string) => {
    const principal = principals.get(name);
    if (!principal?.isIdle()) return;
    principal.stopForgetting();
    principal.stopForgetting = clock.after(limits.keyTime, () => {
      principal.close();
      principals.delete(name);
    });
  };
  const keeper = new TabKeeper({ clock, limits, onRemoved: forgetIfIdle, pins: options.pins });

  return {
    attach: (identity, greeting, delivery) =>
      keeper.attach(principalOf(identity.principal), { identity, greeting, delivery }),
    agent(identity) {
      const since = clock.now();
      const agent: ConnectedAgent = { ...identity, inFlight: 0, since, lastSeen: since, calls: 0 };
      return openSession(principalOf(identity.principal), agent, {
        clock,
        onClosed: () => forgetIfIdle(identity.principal),
      });
    },
    hasTab(principal, tabId, origin) {
      const tab = principals.get(principal)?.directory.tabs.get(tabId);
      return tab !== undefined && (origin === undefined || tab.origin === origin);
    },
    disconnect(name, tabId) {
      const principal = principals.get(name);
      const tab = principal?.directory.tabs.get(tabId);
      return principal && tab && keeper.disconnect(principal, tab);
    },
    review(name) {
      for (const [principal, its] of principals) if (name === undefined || name === principal) keeper.review(its);
    },
    overview(name) {
      const principal = principals.get(name);
      return principal && options.overviewOf?.(principal, options.isoTime);
    },
    counts() {
      let tabs = 0;
      let agents = 0;
      let callsInFlight = 0;
      for (const principal of principals.values()) {
        tabs += principal.directory.tabs.size;
        agents += principal.agents.size;
        for (const tab of principal.directory.tabs.values()) callsInFlight += tab.inFlight;
      }
      return { tabs, agents, callsInFlight, outcomes };
    },
    close() {
      returns.close();
      gate?.close();
      for (const principal of principals.values()) {
        const tabs = [...principal.directory.tabs.values()];
        // All tabs are gone before the first call ends: none may appear able to take another's waiting call.
        for (const tab of tabs) {
          tab.delivery?.close(closeReason("going-away"));
          tab.state = "away";
        }
        for (const tab of tabs) keeper.remove(principal, tab);
        principal.close();
      }
      principals.clear();
    },
  };
}

type SessionParts = Pick<SwitchboardOptions, "clock"> & { readonly onClosed: () => void };

/** The session of an agent; `onClosed` is called once it is closed. */
function openSession(principal: Principal, caller: ConnectedAgent, parts: SessionParts): AgentSession {
  const { clock, onClosed } = parts;
  const { agents, begin, changes, directory, updates, watch } = principal;
  const stops = new Set<() => void>();
  const listen = (stop: () => void) => {
    stops.add(stop);
    return stop;
  };
  agents.add(caller);
  return {
    call(request, listener) {
      caller.calls++;
      return begin({ caller, request, listener });
    },
    tabs: () => directory.describe().tabs,
    tabPage: directory.describe,
    offer: () => directory.exposure().offer,
    tabOffer: (tabId) => offerOf(directory.find(tabId), caller),
    tool(name, tabId) {
      if (tabId === undefined) return directory.exposure().tools.get(name)?.item;
      return toolOf(directory.tabs.get(tabId)?.offer, name, caller);
    },
    sourceOf: (name) => directory.exposure().tools.get(name),
    originOf: (tabId) => directory.tabs.get(tabId)?.origin,
    appOf: (tabId) => directory.tabs.get(tabId)?.app,
    seen() {
      caller.lastSeen = clock.now();
    },
    onChange: (listener) => listen(changes.subscribe(listener)),
    announce: changes.announce,
    onUpdate: (listener) => listen(updates.subscribe(listener)),
    onCall: (listener) => listen(watch(listener)),
    close() {
      for (const stop of stops) stop();
      agents.delete(caller);
      onClosed();
    },
  };
}

const nothingReturns: Returns = {
  mayBringBack: () => false,
  wait: (asked, { begin }) => begin(asked),
  ran: () => "no",
  asFarAsKnown: (refusal) => refusal,
  close: () => {},
};

const noOthers: OtherOffers = {
  expose: () => ({ resources: [], resourceTemplates: [], findResource: () => [], listedUri: (_, uri) => uri }),
  createUpdates: () => ({ note() {}, subscribe: () => () => {}, close() {} }),
  routes: {},
};
