// Knows the tabs and agents of every principal and carries calls between them. Nothing crosses between principals.
// It knows neither sockets nor credentials: whoever attaches a tab or an agent has found out who it is.
import { closeReason, resolveSwitchboardLimits } from "../wire/index.ts";
import type { CallEvent, Limits, Offer, OutcomeName, TabInfo, Tool, OnOver } from "../wire/index.ts";
import type {
  CallClock,
  CallEnds,
  CallHandle,
  CallListener,
  CallRequest,
  Caller,
  Delivery,
  TabIdentity,
} from "./types.ts";
import { untold } from "./call-ends.ts";
import { offerOf, toolOf } from "./directory.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import { createOfferPool } from "./offers.ts";
import type { OtherOffers } from "./other-offers.ts";
import type { PolicyGate } from "./policy-gate.ts";
import { createPrincipal } from "./principal.ts";
import type { Principal } from "./principal.ts";
import { createPrincipalBudget } from "./principal-budget.ts";
import type { InParts } from "./result-parts.ts";
import type { Returns } from "./returns.ts";
import type { Pins } from "./shown-offers.ts";
import type { WrittenKeys } from "./written-keys.ts";
import { createTabKeeper } from "./tab-keeper.ts";
import type { PageGreeting, TabSession } from "./tab-keeper.ts";
import type { TabPage, TabQuery } from "./tab-page.ts";

/** Who an agent is, as whoever admitted it found out. */
export type AgentIdentity = Omit<Caller, "inFlight">;

/** An agent's view of its principal's tabs. */
export interface AgentSession {
  call(request: CallRequest, listener: CallListener): CallHandle;
  tabs(): readonly TabInfo[];
  /** As many of the tabs as are asked for, of those that are searched for. */
  tabPage(query: TabQuery): TabPage<TabInfo>;
  /** Everything that can be called, each under its exposed name. The same object until something changes. */
  offer(): Offer;
  /** What one tab offers, under its own names; throws a named error when there is no such tab. */
  tabOffer(tabId: string): Offer;
  /** The tool of this name, as it is listed, or as its tab calls it. */
  tool(name: string, tabId?: string): Tool | undefined;
  /** Whose the listed tool of this name is, and what its page calls it. */
  sourceOf(name: string): { readonly origin: string; readonly app: string; readonly name: string } | undefined;
  /** What the page in a tab says it is. */
  appOf(tabId: string): string | undefined;
  /** Where that page is from. */
  originOf(tabId: string): string | undefined;
  /** Hears, a moment after the fact, that the list of tabs or what they offer is different. */
  onChange(listener: (what: "tabs" | "offer") => void): () => void;
  /** Hears that a resource of a tab has new contents: by the URI that the page gives it, and by the listed one where that differs. */
  onUpdate(listener: (uri: string, tabId: string) => void): () => void;
  /** Hears of every call of the same principal. */
  onCall(listener: (event: CallEvent) => void): () => void;
  /** Stops listening. Calls that run are not touched. */
  close(): void;
}

export interface Switchboard {
  attach(identity: TabIdentity, greeting: PageGreeting, delivery: Delivery): TabSession;
  agent(identity: AgentIdentity): AgentSession;
  /** Whether there is such a tab, and where an origin is given, whether it is that origin's. */
  hasTab(principal: string, tabId: string, origin?: string): boolean;
  /** Numbers for whoever watches the whole: tabs by state, calls in flight, calls by outcome. */
  counts(): SwitchboardCounts;
  /** What agents may be shown of the tools of a principal, or of all, may be different. */
  review(principal?: string): void;
  /** Ends every wait and lets go of every tab. */
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
  /** A new id, unlike any that this or another switchboard ever gave. */
  readonly newId: () => string;
  /** The present time as ISO text, for a moment on the clock. */
  readonly isoTime: (at: number) => string;
  readonly limits?: Partial<Limits>;
  /** What is known of an earlier run; by default there was none. */
  readonly returns?: Returns | undefined;
  /** What is written down of keys; without it they are kept in memory only. */
  readonly keys?: WrittenKeys | undefined;
  /** What serves prompts, resources and completions; without it agents call tools only. */
  readonly others?: OtherOffers;
  /** What makes lists and results small where there are many; without it they are whole. */
  readonly parts?: InParts;
  /** For whoever keeps records of calls. Must not throw, and keep no payload. */
  readonly ends?: CallEnds;
  readonly onOver?: OnOver;
  /** What bounds the outcomes of all principals together; without it each has its own bound. */
  readonly kept?: KeptBytes;
  /** What holds calls to a policy; without it every call may begin. */
  readonly gate?: PolicyGate;
  /** What says which tools agents may be shown; without it all. */
  readonly pins?: Pins;
}

export function createSwitchboard(options: SwitchboardOptions): Switchboard {
  const limits = resolveSwitchboardLimits(options.limits);
  const { clock } = options;
  const pool = createOfferPool(limits, options.parts?.listed, options.onOver);
  const { returns = nothingReturns, others = noOthers, ends = untold, keys, kept, gate } = options;
  const principals = new Map<string, Principal>();
  const outcomes: Partial<Record<OutcomeName, number>> = {};

  const principalOf = (name: string): Principal => {
    const known =
      principals.get(name) ??
      createPrincipal({
        ...options,
        name,
        limits,
        returns,
        keys,
        ends,
        gate,
        others,
        budget: createPrincipalBudget(pool, limits, options.onOver),
        kept,
        outcomes,
      });
    known.stopForgetting();
    principals.set(name, known);
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
  const keeper = createTabKeeper({ clock, limits, onRemoved: forgetIfIdle, pins: options.pins });

  return {
    attach: (identity, greeting, delivery) =>
      keeper.attach(principalOf(identity.principal), { identity, greeting, delivery }),
    agent(identity) {
      const principal = principalOf(identity.principal);
      const caller: Caller = { ...identity, inFlight: 0 };
      const stops = new Set<() => void>();
      const listen = (stop: () => void) => {
        stops.add(stop);
        return stop;
      };
      principal.agents.add(caller);
      return {
        call: (request, listener) => principal.begin({ caller, request, listener }),
        tabs: () => principal.directory.describe().tabs,
        tabPage: principal.directory.describe,
        offer: () => principal.directory.exposure().offer,
        tabOffer: (tabId) => offerOf(principal.directory.find(tabId), caller),
        tool(name, tabId) {
          if (tabId === undefined) return principal.directory.exposure().tools.get(name)?.item;
          return toolOf(principal.directory.tabs.get(tabId)?.offer, name, caller);
        },
        sourceOf: (name) => principal.directory.exposure().tools.get(name),
        originOf: (tabId) => principal.directory.tabs.get(tabId)?.origin,
        appOf: (tabId) => principal.directory.tabs.get(tabId)?.app,
        onChange: (listener) => listen(principal.changes.subscribe(listener)),
        onUpdate: (listener) => listen(principal.updates.subscribe(listener)),
        onCall: (listener) => listen(principal.watch(listener)),
        close() {
          for (const stop of stops) stop();
          principal.agents.delete(caller);
          forgetIfIdle(identity.principal);
        },
      };
    },
    hasTab(principal, tabId, origin) {
      const tab = principals.get(principal)?.directory.tabs.get(tabId);
      return tab !== undefined && (origin === undefined || tab.origin === origin);
    },
    review(name) {
      for (const [principal, its] of principals) if (name === undefined || name === principal) keeper.review(its);
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
        // None may look as if it could take a call that waits for another.
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
