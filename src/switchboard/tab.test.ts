import { describe, expect, test } from "vitest";
import { createGroup, createTab } from "./directory.ts";
import type { Tab } from "./types.ts";

const nothing = {
  tools: new Map(),
  terminalTools: new Map(),
  resources: new Map(),
  resourceTemplates: new Map(),
  prompts: new Map(),
};

function tab(tabId: string, more: Partial<Tab> = {}): Tab {
  return { ...createTab({ tabId, principal: "local", origin: "", app: "" }), state: "connected", ...more };
}

function groupOf(...tabs: readonly Tab[]) {
  const group = createGroup("", "", nothing);
  for (const each of tabs) group.add(each);
  const change = (target: Tab, change: Partial<Tab>) => {
    Object.assign(target, change);
    group.update(target);
  };
  return { group, change };
}

describe("the best tab of a group", () => {
  test("it is a connected one before any other, then the one focused last, then the first", () => {
    const [away, first, second] = [tab("away", { state: "away", focusedAt: 9 }), tab("first"), tab("second")];
    const { group, change } = groupOf(away, first, second);
    expect(group.best()).toBe(first);
    change(second, { focusedAt: 1 });
    expect(group.best()).toBe(second);
    change(away, { state: "connected" });
    expect(group.best()).toBe(away);
  });

  test("it is found again when the best one changes or leaves, and when a better one comes", () => {
    const [one, other] = [tab("one", { focusedAt: 1 }), tab("other", { focusedAt: 2 })];
    const { group, change } = groupOf(one, other);
    expect(group.best()).toBe(other);
    change(other, { state: "suspended" });
    expect(group.best()).toBe(one);
    const better = tab("better", { focusedAt: 3 });
    group.add(better);
    expect(group.best()).toBe(better);
    group.remove(better);
    group.remove(one);
    expect([group.best(), group.size, group.has(one)]).toEqual([other, 1, false]);
    group.remove(other);
    expect(group.best()).toBeUndefined();
  });
});
