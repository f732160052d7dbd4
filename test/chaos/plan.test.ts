import { expect, test } from "vitest";
import { planCalls, planHubFaults, planNetworkFaults, planTabFaults } from "./plan.ts";
import { createRandom } from "./random.ts";

function take<Item>(plan: Iterator<Item, never>, count: number): readonly Item[] {
  return Array.from({ length: count }, () => plan.next().value);
}

function planOf(seed: string) {
  const random = createRandom(seed);
  return {
    calls: take(planCalls(random.fork("caller-1"), "caller-1"), 200),
    hub: take(planHubFaults(random.fork("hub")), 50),
    tabs: take(planTabFaults(random.fork("tabs")), 50),
    network: take(planNetworkFaults(random.fork("network")), 50),
  };
}

test("the same seed plans the same calls and faults, another seed others", () => {
  expect(planOf("7")).toEqual(planOf("7"));
  expect(planOf("7").calls).not.toEqual(planOf("8").calls);
});

test("a plan has every kind of call and of fault", () => {
  const { calls, hub, tabs, network } = planOf("1");
  const attempts = calls.flatMap((call) => call.attempts);
  expect(new Set(calls.map(({ hasKey, isReadOnly }) => `${hasKey} ${isReadOnly}`)).size).toBe(4);
  expect(new Set(attempts.map(({ door, leave }) => `${door} ${leave?.how}`)).size).toBe(9);
  expect(new Set(hub.map(({ kind }) => kind)).size).toBe(3);
  expect(new Set(tabs.map(({ kind }) => kind)).size).toBe(6);
  expect(new Set(network.map(({ kind }) => kind)).size).toBe(7);
});

test("only a call with a key is retried through another door", () => {
  const { calls } = planOf("2");
  const ways = calls.map(({ hasKey, attempts }) => ({ hasKey, count: new Set(attempts.map(({ door }) => door)).size }));
  expect(ways.filter(({ hasKey, count }) => !hasKey && count > 1)).toEqual([]);
  expect(ways.some(({ hasKey, count }) => hasKey && count > 1)).toBe(true);
});
