// Runs a plan in a world of tabs, agents and a hub with a fake clock; returns its history.
import { createFakeClock } from "../testing/index.ts";
import { resolveLimits } from "../wire/index.ts";
import { createSimulatedAgents } from "./model-agents.test-helper.ts";
import { createSimulatedHub } from "./model-hub.test-helper.ts";
import type { SimulatedHub } from "./model-hub.test-helper.ts";
import { createSimulatedLedger } from "./model-ledger.test-helper.ts";
import type { History } from "./model-history.test-helper.ts";
import { leftBehind, plant } from "./model-planted.test-helper.ts";
import type { Planted } from "./model-planted.test-helper.ts";
import type { Plan, Step } from "./model-plan.test-helper.ts";
import { createSimulatedTab } from "./model-tab.test-helper.ts";
import { createRandom } from "./model-world.test-helper.ts";
import type { World } from "./model-world.test-helper.ts";

const limits = resolveLimits({
  callTime: 8000,
  callTimeMost: 20_000,
  keyTime: 60_000,
  callsPerTab: 4,
  callsPerAgent: 6,
});

const shop = { origin: "https://shop.example", app: "shop" };
const tabs = [
  { principal: "alice", name: "shop-1", ...shop },
  { principal: "alice", name: "shop-2", ...shop },
  { principal: "alice", name: "bank", origin: "https://bank.example", app: "bank" },
  { principal: "bob", name: "shop-1", ...shop },
];
const agents = ["alice", "alice", "bob"];

/** Runs a plan, with or without a planted bug. */
export async function runWorld(plan: Plan, planted?: Planted): Promise<History> {
  plant(planted);
  const world = createWorld(plan, planted);
  await world.begin();
  for (const step of plan.steps) await world.take(step);
  await world.end();
  return world.history;
}

function createWorld({ seed, chaos }: Plan, planted: Planted | undefined) {
  const clock = createFakeClock();
  const random = createRandom(seed);
  const history: History = {
    limits,
    operations: [],
    runs: [],
    given: [],
    events: [],
    listings: [],
    presence: [],
    killed: new Set(),
    hasLedger: chaos.hasLedger,
    leaks: [],
  };
  let hubs = 0;
  let earlierEnd: number | undefined;
  let hub: SimulatedHub | undefined;
  const world: World = {
    clock,
    random,
    chaos,
    history,
    ledger: chaos.hasLedger ? createSimulatedLedger({ clock, random, chaos, planted }) : undefined,
    planted,
    connect: (profile, onSend) => hub && { link: hub.link(profile, onSend), hub: hub.number },
    behaviourOf: (id) => {
      const operation = history.operations.find((each) => each.id === id);
      if (!operation) throw new Error(`No operation is called ${id}.`);
      return operation.behaviour;
    },
  };
  const simulatedTabs = tabs.map((profile) => createSimulatedTab(world, profile));
  const listTabs = () => simulatedTabs.map(({ principal, tabId }) => ({ principal, tabId: tabId() }));
  const crowd = createSimulatedAgents({ world, hub: () => hub, principals: agents, tabs: listTabs });
  const tabAt = (index: number) => simulatedTabs[index % simulatedTabs.length];

  function startHub(): void {
    hub = createSimulatedHub({
      world,
      number: ++hubs,
      principals: [...new Set(agents)],
      requestNumber: crowd.requestNumber,
      earlierEnd,
    });
    crowd.hubBack();
  }

  function stopHub(isKilled: boolean): void {
    const stopped = hub;
    if (!stopped) return;
    if (isKilled) stopped.kill();
    else stopped.close();
    crowd.hubGone(isKilled);
    hub = undefined;
    earlierEnd = clock.now();
    const left = leftBehind();
    if (isKilled) return;
    history.leaks.push(...left);
    if (stopped.pending() > 0) history.leaks.push(`A stopped hub left ${stopped.pending()} timers.`);
  }

  async function take(step: Step): Promise<void> {
    switch (step.do) {
      case "call":
        return crowd.call(step.errand);
      case "repeat":
        return crowd.repeat(step.ago, step.agent);
      case "cancel":
        return crowd.cancel(step.ago);
      case "cut agent":
        return crowd.cut(step.agent, step.back, step.notice);
      case "tab":
        return tabAt(step.tab)?.deeds[step.deed]();
      case "forge": {
        const tab = tabAt(step.tab);
        const others = history.given.filter(({ tabId }) => tabId !== tab?.tabId());
        return tab?.forge(others.at(-1 - step.ago)?.callId ?? "unknown");
      }
      case "ambush":
        return tabAt(step.tab)?.ambush(step.frame, step.deed);
      case "restart hub":
        if (!hub) return;
        stopHub(step.isKilled);
        return void clock.after(step.back, startHub);
      case "wait":
        return clock.advance(step.milliseconds);
    }
  }

  /** All leave, and all state kept for them expires. */
  async function end(): Promise<void> {
    await clock.advance(60_000);
    const pending = hub?.switchboard.counts().callsInFlight ?? 0;
    if (pending > 0) history.leaks.push(`${pending} calls were still in flight.`);
    for (const tab of simulatedTabs) {
      const tabId = tab.tabId();
      history.presence.push({ tabId, state: tab.state(), listed: hub?.stateOf(tabId) });
    }
    crowd.close();
    for (const tab of simulatedTabs) tab.end();
    await clock.advance(20_000);
    hub?.unwatch();
    const counts = hub?.switchboard.counts();
    if (counts && counts.tabs + counts.agents + counts.callsInFlight > 0) history.leaks.push(JSON.stringify(counts));
    await clock.advance(limits.keyTime);
    if (hub && hub.pending() > 0) history.leaks.push(`${hub.pending()} timers were left.`);
    history.leaks.push(...leftBehind());
  }

  async function begin(): Promise<void> {
    for (const tab of simulatedTabs) tab.deeds.open();
    startHub();
    await clock.advance(3000);
  }

  return { history, begin, take, end };
}
