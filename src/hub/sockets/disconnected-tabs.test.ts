import { expect, test } from "vitest";
import { DisconnectedTabs } from "./disconnected-tabs.ts";

const about = {
  app: "shop",
  origin: "https://shop.example",
  title: "A shop",
  url: "https://shop.example/",
  epoch: "e",
};
const minute = 60_000;

test("a page that does not try any more is closed: it is not listed, and refused all the same should it wake", () => {
  let now = 0;
  const tabs = new DisconnectedTabs(() => now);
  const isRefused = (tab: string) => {
    try {
      tabs.check("ann", tab, ["e"]);
      return false;
    } catch {
      return true;
    }
  };
  tabs.add("ann", "one", about);
  tabs.add("ann", "two", about);
  now = 2 * minute;
  expect(isRefused("two")).toBe(true);
  now = 4 * minute;
  expect(tabs.list("ann").map(({ tabId }) => tabId)).toEqual(["two"]);
  expect(isRefused("one")).toBe(true);
  now = 30 * 60 * minute;
  tabs.add("ann", "three", about);
  expect(isRefused("one")).toBe(false);
});

test("of one user the latest hundred are remembered, and their texts are cut", () => {
  const tabs = new DisconnectedTabs();
  tabs.add("bob", "his", about);
  for (let index = 0; index < 150; index++) tabs.add("ann", `tab-${index}`, { ...about, title: "x".repeat(1024) });
  const listed = tabs.list("ann");
  expect([listed.length, listed[0]?.tabId, listed[0]?.title.length]).toEqual([100, "tab-149", 200]);
  expect(tabs.list("bob")).toHaveLength(1);
});
