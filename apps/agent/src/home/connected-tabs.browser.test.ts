import type { HubClient } from "pagewire/hub-client";
import type { TabInfo } from "pagewire/wire";
import { afterEach, expect, test, vi } from "vitest";
import { createConnectedTabs } from "./connected-tabs.ts";
import type { ConnectedTabsParts } from "./connected-tabs.ts";

afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

const shop: TabInfo = {
  tabId: "t1",
  app: "shop",
  origin: "http://shop.test",
  title: "The <b>shop</b>",
  url: "http://shop.test/",
  isActive: true,
  state: "connected",
  tools: ["add_to_basket", "empty_basket"],
  lastSeen: "2026-01-01T00:00:00Z",
};

function createFakeClient() {
  let tabs: readonly TabInfo[] = [];
  const changes = new Set<() => void>();
  const states = new Set<Parameters<HubClient["onState"]>[0]>();
  const close = vi.fn<() => void>();
  const client = {
    tabs: async () => tabs,
    offer: async () => ({
      tools: ["list_browser_tabs", ...tabs.flatMap((tab) => tab.tools)].map((name) => ({ name })),
    }),
    onChange: (listener: () => void) => void changes.add(listener),
    onState: (listener: Parameters<HubClient["onState"]>[0]) => void states.add(listener),
    close,
  } as unknown as HubClient;
  return {
    client,
    close,
    set(next: readonly TabInfo[]) {
      tabs = next;
      for (const listener of changes) listener();
    },
    refuse: () => states.forEach((tell) => tell({ status: "refused", code: "token-invalid", message: "No." })),
  };
}

function showTabs(
  connect: (token: () => Promise<string>) => Promise<HubClient>,
  session = { bearer: async () => "t" },
) {
  const onTabs = vi.fn<ConnectedTabsParts["onTabs"]>();
  const tabs = createConnectedTabs({ session, onTabs, connect });
  document.body.append(tabs.element);
  return { ...tabs, onTabs };
}

test("the list shows connected tabs with their app, origin and tools, and follows changes", async () => {
  const { client, set } = createFakeClient();
  const { element, onTabs } = showTabs(async () => client);
  await expect.poll(() => element.textContent).toContain("No page is connected yet");
  set([shop, { ...shop, tabId: "t2", state: "suspended", tools: [], title: "" }]);
  await expect.poll(() => element.querySelectorAll(".tab")).toHaveLength(2);
  const [first, second] = element.querySelectorAll(".tab");
  expect(first?.querySelector("strong")?.textContent).toBe("The <b>shop</b>");
  expect(first?.textContent).toContain("shop · http://shop.test · in use");
  expect([...(first?.querySelectorAll("code") ?? [])].map((code) => code.textContent)).toEqual(shop.tools);
  expect(second?.textContent).toContain("suspended by the browser");
  expect(onTabs).toHaveBeenLastCalledWith(
    2,
    shop.tools.map((name) => ({ name })),
  );
  set([]);
  await expect.poll(() => element.querySelectorAll(".tab")).toHaveLength(0);
});

test("where the hub cannot be asked that is said, and it is asked again, with the token of then", async () => {
  vi.useFakeTimers();
  let token = "t1";
  const session = { bearer: async () => token };
  const brought: string[] = [];
  const { client, refuse } = createFakeClient();
  const connect = vi.fn<(bearer: () => Promise<string>) => Promise<HubClient>>(async (bearer) => {
    brought.push(await bearer());
    if (brought.length === 1) throw new Error("No hub answers.");
    return client;
  });
  const { element, close } = showTabs(connect, session);
  await vi.waitFor(() => expect(element.textContent).toBe("No hub answers."));
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(element.textContent).toContain("No page is connected yet"));
  token = "t2";
  refuse();
  await vi.advanceTimersByTimeAsync(5000);
  expect(brought).toEqual(["t1", "t1", "t2"]);
  close();
  refuse();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(connect).toHaveBeenCalledTimes(3);
});
