// Tabs of other hubs that there is no room for.
import { expect, test } from "vitest";
import { createMemoryHubs } from "./memory-hubs.test-helper.ts";

const second = 1000;
const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));

test("MH30: a tab too many is shown once there is room for it", async () => {
  const { clock, hub } = createMemoryHubs({ tabsPerPrincipal: 1 });
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(second);
  const mine = a.page("mine");
  b.page("other");
  const agent = a.agent();
  const shown = () => agent.tabs().map(({ tabId }) => tabId);
  await clock.advance(40 * second);
  expect([shown(), new Set(a.events)]).toEqual([["mine"], new Set(["hub-joined", "remote-tab-refused"])]);
  mine.say({ type: "bye", final: true });
  await clock.advance(31 * second);
  expect(shown()).toEqual(["other"]);
});

test("MH30: a tab that offered too much is shown with all of it once there is room, and one that left is not", async () => {
  const { clock, hub } = createMemoryHubs({ offersPerPrincipal: 3 });
  const [a, b, c] = [hub("a"), hub("b"), hub("c")];
  await clock.advance(second);
  const mine = a.page("mine");
  mine.say({ type: "offer" }, JSON.stringify({ tools: tools("one", "two") }));
  const large = JSON.stringify({ add: { tools: tools("three", "four") } });
  b.page("stays").say({ type: "offer-change" }, large);
  const leaves = c.page("leaves");
  leaves.say({ type: "offer-change" }, large);
  const agent = a.agent();
  await clock.advance(10 * second);
  expect(agent.tabs().map(({ tabId }) => tabId)).toEqual(["mine"]);
  leaves.say({ type: "bye", final: true });
  mine.say({ type: "offer" }, JSON.stringify({ tools: [] }));
  await clock.advance(31 * second);
  expect(agent.tabs().filter(({ tabId }) => tabId !== "mine")).toMatchObject([
    { tabId: "stays", tools: ["work", "three", "four"], state: "connected" },
  ]);
});
