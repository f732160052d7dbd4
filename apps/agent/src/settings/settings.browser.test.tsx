import { signal } from "@preact/signals";
import type { TabInfo } from "pagewire/wire";
import { render } from "preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { PageChoice } from "../home/home.tsx";
import { createOtherTabs } from "./other-tabs.ts";
import { TabsSwitch } from "./settings.tsx";

beforeEach(() => sessionStorage.clear());
afterEach(() => render(null, document.body));

function open(first: string | null, { isHome }: { readonly isHome: boolean }) {
  let conversation = first;
  const onChange = vi.fn<() => void>();
  const storage = createSafeStorage(() => sessionStorage);
  const otherTabs = createOtherTabs({ storage, isHome, getConversation: () => conversation, onChange });
  const enter = (next: string | null): void => {
    conversation = next;
    otherTabs.draw();
  };
  otherTabs.draw();
  return { otherTabs, onChange, enter };
}

function showSwitch(first: string | null) {
  const opened = open(first, { isHome: false });
  render(null, document.body);
  render(<TabsSwitch otherTabs={opened.otherTabs} />, document.body);
  const box = document.querySelector("input");
  if (!box) throw new Error("There is no switch.");
  return { ...opened, box };
}

test("the assistant may use other tabs in the conversations where that was switched on, and in no other", async () => {
  const { otherTabs, box, onChange, enter } = showSwitch("a");
  expect([otherTabs.choice, box.checked]).toEqual([false, false]);
  box.click();
  expect([otherTabs.choice, onChange.mock.calls.length]).toEqual([true, 1]);
  enter("b");
  await expect.poll(() => [otherTabs.choice, box.checked]).toEqual([false, false]);
  enter("a");
  await expect.poll(() => [otherTabs.choice, box.checked]).toEqual([true, true]);
  const reloaded = showSwitch("a");
  expect(reloaded.otherTabs.choice).toBe(true);
  reloaded.box.click();
  expect(reloaded.otherTabs.choice).toBe(false);
});

test("a setting made before a conversation has its id applies to that conversation", () => {
  const { otherTabs, box, enter } = showSwitch(null);
  box.click();
  expect(otherTabs.choice).toBe(true);
  enter("a");
  expect(otherTabs.choice).toBe(true);
  enter("b");
  expect(otherTabs.choice).toBe(false);
});

const page = (tabId: string, title: string): TabInfo => ({
  ...{ tabId, title, app: "app", origin: "http://app.test", url: "http://app.test/", tools: [] },
  ...{ isActive: false, state: "connected", lastSeen: "2026-01-01T00:00:00Z" },
});

test("at the hub's home all pages may be used, until one or none is chosen, in that conversation alone", async () => {
  const { otherTabs, onChange, enter } = open("a", { isHome: true });
  const pages = signal<readonly TabInfo[]>();
  render(<PageChoice otherTabs={otherTabs} pages={pages} />, document.body);
  const select = document.querySelector("select");
  if (!select) throw new Error("There is no list.");
  const texts = () => [...select.options].map(({ text }) => text);
  const shown = () => select.selectedOptions[0]?.text;
  expect(document.querySelector<HTMLElement>(".page-choice")?.hidden).toBe(true);
  pages.value = [page("t1", "Shop")];
  await expect.poll(texts).toEqual(["Shop", "No page"]);
  expect(otherTabs.choice).toBe(true);
  pages.value = [page("t1", "Shop"), page("t2", "\u202eBank")];
  await expect.poll(texts).toEqual(["All connected pages (2)", "Shop", "⟨U+202E⟩Bank", "No page"]);
  await userEvent.selectOptions(select, "Shop");
  expect([otherTabs.choice, otherTabs.isKept, onChange.mock.calls.length]).toEqual(["t1", true, 1]);
  enter("b");
  await expect.poll(shown).toBe("All connected pages (2)");
  expect([otherTabs.choice, otherTabs.isKept]).toEqual([true, false]);
  await userEvent.selectOptions(select, "No page");
  expect([otherTabs.choice, otherTabs.isKept]).toEqual([false, false]);
  enter("a");
  pages.value = [page("t2", "Bank")];
  await expect.poll(shown).toBe("A page that is closed");
  expect(otherTabs.choice).toBe("t1");
  enter(null);
  otherTabs.keep();
  enter("c");
  expect([otherTabs.choice, otherTabs.isKept]).toEqual([true, true]);
});
