// Has the tabs and agents of every principal, and routes calls between them. Nothing crosses between principals. It handles
// neither sockets nor credentials: tabs and agents are authenticated before they are attached.
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

/** An agent's authenticated identity. */
export type AgentIdentity = Omit<Caller, "inFlight">;

export interface AgentSession {
  call(request: CallRequest, listener: CallListener): CallHandle;
  tabs(): readonly TabInfo[];
  /** The page of tabs that the query asks for. */
  tabPage(query: TabQuery): TabPage<TabInfo>;
  /** Everything that can be called, each item under its exposed name. The same object until something changes. */
  offer(): Offer;
  /** The offer of one tab, under its own names; throws a named error if there is no such tab. */
  tabOffer(tabId: string): Offer;
  /** The tool with this listed name, or with this name in its tab. */
  tool(name: string, tabId?: string): Tool | undefined;
  /** The owner of the listed tool, and the page's own name for it. */
  sourceOf(name: string): { readonly origin: string; readonly app: string; readonly name: string } | undefined;
  /** The app name that the page of a tab gave. */
  appOf(tabId: string): string | undefined;
  /** The origin of that page. */
  originOf(tabId: string): string | undefined;
  /** Notifies, after a moment, that the list of tabs or their offers changed. */
  onChange(listener: (what: "tabs" | "offer") => void): () => void;
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
  /** For audit records. Must not throw or keep payloads. */
  readonly ends?: CallEnds;
  readonly onOver?: OnOver;
  /** Bounds the outcomes of all principals together; without it each principal has its own bound. */
  readonly kept?: KeptBytes;
  /** Applies a policy to calls; without it every call may begin. */
  readonly gate?: PolicyGate;
  /** Withholds tools that a person has not accepted; without it agents see all. */
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
