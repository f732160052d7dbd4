// A principal's own view of what it has connected: figures, its agents, and the budgets in use.
import type { BudgetName } from "../wire/index.ts";
import type { CallBudget } from "./call-budget.ts";
import type { Directory } from "./directory.ts";
import type { PrincipalBudget } from "./principal-budget.ts";
import type { Caller, TabIdentity } from "./types.ts";

/** A caller with a session, and its activity. */
export interface ConnectedAgent extends Caller {
  readonly since: number;
  lastSeen: number;
  calls: number;
}

/** How a tab's page is connected, since when, as ISO text, and to which hub if it is another. */
export interface TabConnection {
  readonly via: NonNullable<TabIdentity["via"]>;
  readonly since: string;
  readonly hub?: string | undefined;
}

/** A connected agent. Equal identities are one agent, with several connections. Times are ISO texts. */
export interface AgentInfo {
  /** The agent's own words. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly door: string;
  readonly principal: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly calls: number;
  readonly callsInFlight: number;
  readonly connections: number;
}

export interface Overview {
  readonly tabs: number;
  /** Tabs that are connected to other hubs. */
  readonly tabsElsewhere: number;
  readonly callsInFlight: number;
  readonly agents: readonly AgentInfo[];
  readonly used: { readonly [Name in BudgetName]?: number };
  connectionOf(tabId: string): TabConnection | undefined;
}

interface Overviewed {
  readonly directory: Pick<Directory, "tabs">;
  readonly agents: Iterable<ConnectedAgent>;
  readonly budget: Pick<PrincipalBudget, "used">;
  readonly callBudget: Pick<CallBudget, "used">;
}

export type OverviewOf = (principal: Overviewed, isoTime: (at: number) => string) => Overview;

export const overviewOf: OverviewOf = (principal, isoTime) => {
  const { directory, agents, budget, callBudget } = principal;
  const tabs = directory.tabs.size;
  let [callsInFlight, tabsElsewhere] = [0, 0];
  for (const tab of directory.tabs.values()) {
    callsInFlight += tab.inFlight;
    if (tab.identity.hub !== undefined) tabsElsewhere++;
  }
  const used = {
    tabsPerPrincipal: tabs,
    offersPerPrincipal: budget.used.count,
    offeredBytesPerPrincipal: budget.used.bytes,
    callsPerPrincipal: callBudget.used.count,
    callBytesPerPrincipal: callBudget.used.bytes,
  };
  return {
    ...{ tabs, tabsElsewhere, callsInFlight, agents: describeAgents(agents, isoTime), used },
    connectionOf(tabId) {
      const tab = directory.tabs.get(tabId);
      if (!tab) return undefined;
      const { via = "socket", hub } = tab.identity;
      return { via, since: isoTime(tab.connectedAt), hub };
    },
  };
};

/** Sessions without a door are the hub's own, and are left out. */
function describeAgents(agents: Iterable<ConnectedAgent>, isoTime: (at: number) => string): readonly AgentInfo[] {
  const byIdentity = new Map<string, ConnectedAgent[]>();
  for (const agent of agents) {
    const key = `${agent.door} ${agent.identity}`;
    const known = byIdentity.get(key);
    if (known) known.push(agent);
    else if (agent.door !== undefined) byIdentity.set(key, [agent]);
  }
  return [...byIdentity.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { name, version, door = "", principal } = first;
    return {
      ...{ name, version, door, principal },
      since: isoTime(Math.min(...same.map((one) => one.since))),
      lastSeen: isoTime(Math.max(...same.map((one) => one.lastSeen))),
      calls: sum(same.map((one) => one.calls)),
      callsInFlight: sum(same.map((one) => one.inFlight)),
      connections: same.length,
    };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
