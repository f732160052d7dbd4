// A world of tabs, agents and a hub on a clock that stands still, put through a plan; what comes out is its history.
import { createFakeClock } from "../testing/index.ts";
import { resolveLimits } from "../wire/index.ts";
import { createSimulatedAgents } from "./model-agents.test-helper.ts";
import { createSimulatedHub } from "./model-hub.test-helper.ts";
import type { SimulatedHub } from "./model-hub.test-helper.ts";
import type { History } from "./model-history.test-helper.ts";
import { leftBehind } from "./model-planted.test-helper.ts";
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

/** Puts a world through a plan, with a bug planted in it or none. */
export async function runWorld(plan: Plan, planted?: Planted): Promise<History> {
  const world = createWorld(plan, planted);
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
    events: [],
    listings: [],
    killed: new Set(),
    leaks: [],
  };
  let hubs = 0;
  let hub: SimulatedHub | undefined;
  const world: World = {
    clock,
    random,
    chaos,
    history,
    planted,
    connect: (profile) => hub && { link: hub.link(profile), hub: hub.number },
    behaviourOf: (id) => {
      const operation = history.operations.find((each) => each.id === id);
      if (!operation) throw new Error(`No operation is called ${id}.`);
      return operation.behaviour;
    },
  };
  const crowd = createSimulatedAgents({ world, hub: () => hub, principals: agents });
  const simulatedTabs = tabs.map((profile) => createSimulatedTab(world, profile));
  const tabAt = (index: number) => simulatedTabs[index % simulatedTabs.length];

  function startHub(): void {
    hub = createSimulatedHub({ world, number: ++hubs, principals: [...new Set(agents)], requestNumber: crowd.requestNumber });
    crowd.hubBack();
  }

  function stopHub(isKilled: boolean): void {
    const stopped = hub;
    if (!stopped) return;
    if (isKilled) stopped.kill();
    else stopped.close();
    crowd.hubGone(isKilled);
    hub = undefined;
    if (stopped.pending() > 0) history.leaks.push(`A stopped hub left ${stopped.pending()} timers.`);
  }

  async function take(step: Step): Promise<void> {
    switch (step.do) {
      case "call":
        return crowd.call({ ...step.errand, tab: tabAt(step.errand.tab)?.tabId() ?? "" });
      case "repeat":
        return crowd.repeat(step.operation, step.agent);
      case "cancel":
        return crowd.cancel(step.operation);
      case "cut agent":
        return crowd.cut(step.agent, step.back);
      case "tab":
        return tabAt(step.tab)?.deeds[step.deed]();
      case "forge": {
        const operation = history.operations[step.operation % Math.max(1, history.operations.length)];
        return tabAt(step.tab)?.forge(operation?.attempts.at(-1)?.callId || "unknown", operation?.principal ?? "");
      }
      case "restart hub":
        if (!hub) return;
        stopHub(step.isKilled);
        return void clock.after(step.back, startHub);
      case "wait":
        return clock.advance(step.milliseconds);
    }
  }

  /** Everybody leaves, and all that was kept for them is let go in its time. */
  async function end(): Promise<void> {
    await clock.advance(60_000);
    const pending = hub?.switchboard.counts().callsInFlight ?? 0;
    if (pending > 0) history.leaks.push(`${pending} calls were still in flight.`);
    crowd.close();
    for (const tab of simulatedTabs) tab.deeds.close();
    await clock.advance(20_000);
    hub?.unwatch();
    const counts = hub?.switchboard.counts();
    if (counts && counts.tabs + counts.agents + counts.callsInFlight > 0) history.leaks.push(JSON.stringify(counts));
    await clock.advance(limits.keyTime);
    if (hub && hub.pending() > 0) history.leaks.push(`${hub.pending()} timers were left.`);
    history.leaks.push(...leftBehind());
  }

  for (const tab of simulatedTabs) tab.deeds.open();
  startHub();
  return { history, take, end };
}
