import { signal } from "@preact/signals";
import type { HubClient } from "pagewire/hub-client";
import type { TabInfo } from "pagewire/wire";
import { render } from "preact";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { AppInfo } from "../../../common/src/session/session.ts";
import type { TabsChoice } from "../settings/other-tabs.ts";
import { createHomeTabs } from "./home-tabs.ts";
import { ConnectedTabs } from "./home.tsx";

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
    offer: async (id?: string) => {
      const chosen = tabs.filter(({ tabId }) => id === undefined || tabId === id);
      return { tools: ["list_browser_tabs", ...chosen.flatMap((tab) => tab.tools)].map((name) => ({ name })) };
    },
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
    lose: () =>
      states.forEach((tell) => tell({ status: "reconnecting", code: "hub-unreachable", message: "Gone.", retryIn: 9 })),
    find: () => states.forEach((tell) => tell({ status: "connected", message: "Back." })),
    refuse: () => states.forEach((tell) => tell({ status: "refused", code: "token-invalid", message: "No." })),
  };
}

const info = { demo: "http://demo.test/" } as AppInfo;

function showTabs(
  connect: (token: () => Promise<string>) => Promise<HubClient>,
  session = { bearer: async () => "t" },
) {
  const shown = signal<TabsChoice>(true);
  const otherTabs = {
    shown,
    get choice() {
      return shown.value;
    },
  };
  const tabs = createHomeTabs({ session: { ...session, info }, otherTabs, prepare() {}, connect });
  const element = document.createElement("div");
  document.body.append(element);
  render(<ConnectedTabs {...tabs} demo={info.demo} />, element);
  onTestFinished(() => {
    render(null, element);
    tabs.close();
  });
  const find = (selector: string) => element.querySelector(selector);
  const choose = (tab: TabsChoice) => void (shown.value = tab);
  const names = () => tabs.tools?.map(({ name }) => name);
  return { tabs, element, find, choose, names };
}

test("the list shows connected tabs with their app, origin and tools, and follows changes", async () => {
  const { client, set } = createFakeClient();
  const { tabs, element, choose, names } = showTabs(async () => client);
  await expect.poll(() => element.textContent).toContain("No page is connected yet");
  expect([tabs.whyNone, tabs.example?.href]).toEqual([expect.stringContaining("Open the demo"), info.demo]);
  set([shop, { ...shop, tabId: "t2", state: "suspended", tools: [], title: "" }]);
  await expect.poll(() => element.querySelectorAll(".tab")).toHaveLength(2);
  const [first, second] = element.querySelectorAll(".tab");
  expect(first?.querySelector("strong")?.textContent).toBe("The <b>shop</b>");
  expect(first?.textContent).toContain("shop · http://shop.test · in use");
  expect([...(first?.querySelectorAll("code") ?? [])].map((code) => code.textContent)).toEqual(shop.tools);
  expect(second?.textContent).toContain("suspended by the browser");
  expect([names(), tabs.isOn]).toEqual([shop.tools, true]);
  choose("t2");
  await expect.poll(names).toEqual([]);
  expect(tabs.whyNone).toContain("The page that you chose offers no tool");
  choose("t1");
  await expect.poll(names).toEqual(shop.tools);
  choose(false);
  expect([tabs.isOn, tabs.whyNone]).toEqual([false, expect.stringContaining("“No page” is chosen")]);
  set([]);
  await expect.poll(() => element.querySelectorAll(".tab")).toHaveLength(0);
});

test("where the hub has no demo, none is spoken of", () => {
  const parts = { pages: signal<readonly TabInfo[]>([]), problem: signal<string>() };
  render(<ConnectedTabs {...parts} demo={null} />, document.body);
  expect(document.body.textContent).toBe("No page is connected yet. Connect one of yours.");
  render(null, document.body);
});

test("while the hub does not answer, the list says so and does not look connected", async () => {
  const { client, set, lose, find: comeBack } = createFakeClient();
  const { element, find } = showTabs(async () => client);
  set([shop]);
  await expect.poll(() => element.querySelectorAll(".tab")).toHaveLength(1);
  const standing = () => [find(".problem")?.textContent, find(".stale") !== null, find(".tab") !== null];
  expect(standing()).toEqual(["", false, true]);
  lose();
  await expect.poll(standing).toEqual(["The hub does not answer. This is how it was before:", true, true]);
  comeBack();
  await expect.poll(standing).toEqual(["", false, true]);
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
  const { tabs, element } = showTabs(connect, session);
  await vi.waitFor(() => expect(element.textContent).toBe("No hub answers."));
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(element.textContent).toContain("No page is connected yet"));
  token = "t2";
  refuse();
  await vi.advanceTimersByTimeAsync(5000);
  expect(brought).toEqual(["t1", "t1", "t2"]);
  tabs.close();
  refuse();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(connect).toHaveBeenCalledTimes(3);
});
