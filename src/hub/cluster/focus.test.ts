import { expect, test } from "vitest";
import { createMemoryHubs } from "./memory-hubs.test-helper.ts";

const second = 1000;
const minute = 60 * second;

test.each([
  ["ahead", 10 * minute],
  ["behind", -10 * minute],
])("MH30: the tab in focus is the same on every hub where a hub's clock is far %s", async (_, ahead) => {
  const { clock, hub } = createMemoryHubs();
  await clock.advance(20 * minute);
  const [a, b] = [hub("a"), hub("b", ahead)];
  await clock.advance(second);
  const atA = a.page("at-a");
  const atB = b.page("at-b");
  const agents = [a.agent(), b.agent()];
  const active = () => agents.map((agent) => agent.tabs().flatMap(({ tabId, isActive }) => (isActive ? tabId : [])));
  for (const [page, tabId] of [
    [atB, "at-b"],
    [atA, "at-a"],
    [atB, "at-b"],
    [atA, "at-a"],
  ] as const) {
    page.say({ type: "tab", focused: true });
    await clock.advance(second);
    expect(active()).toEqual([[tabId], [tabId]]);
  }
  // A hub that comes later gets the time of the focus.
  const c = hub("c", -ahead);
  await clock.advance(second);
  agents.push(c.agent());
  await clock.advance(second);
  expect(active()).toEqual([["at-a"], ["at-a"], ["at-a"]]);
});

test("MH123: a hub that comes to know a tab later says since when it is connected, by its own clock", async () => {
  const { clock, hub } = createMemoryHubs();
  await clock.advance(20 * minute);
  const [a, b] = [hub("a"), hub("b", 10 * minute)];
  await clock.advance(second);
  a.page("tab");
  const since = clock.now();
  await clock.advance(minute);
  b.agent();
  await clock.advance(second);
  expect([a.since("tab"), b.since("tab")]).toEqual([since, since + 10 * minute]);
});
