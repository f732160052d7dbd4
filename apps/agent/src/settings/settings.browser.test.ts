import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { createConsents } from "./create-consents.ts";
import { createOtherTabs } from "./create-other-tabs.ts";

beforeEach(() => sessionStorage.clear());
afterEach(() => document.body.replaceChildren());

function showSwitch(first: string | null, isHome = false) {
  let conversation = first;
  const onChange = vi.fn<() => void>();
  const otherTabs = createOtherTabs({
    storage: createSafeStorage(() => sessionStorage),
    isHome,
    getConversation: () => conversation,
    onChange,
  });
  document.body.replaceChildren(otherTabs.element);
  const box = otherTabs.element.querySelector("input");
  if (!box) throw new Error("There is no switch.");
  const enter = (next: string | null): void => {
    conversation = next;
    otherTabs.draw();
  };
  otherTabs.draw();
  return { otherTabs, box, onChange, enter };
}

test("the assistant may use other tabs in the conversations where that was switched on, and in no other", () => {
  const { otherTabs, box, onChange, enter } = showSwitch("a");
  expect([otherTabs.isOn, box.checked]).toEqual([false, false]);
  box.click();
  expect([otherTabs.isOn, onChange.mock.calls.length]).toEqual([true, 1]);
  enter("b");
  expect([otherTabs.isOn, box.checked]).toEqual([false, false]);
  enter("a");
  expect([otherTabs.isOn, box.checked]).toEqual([true, true]);
  const reloaded = showSwitch("a");
  expect(reloaded.otherTabs.isOn).toBe(true);
  reloaded.box.click();
  expect(reloaded.otherTabs.isOn).toBe(false);
});

test("a setting made before a conversation has its id applies to that conversation", () => {
  const { otherTabs, box, enter } = showSwitch(null);
  box.click();
  expect(otherTabs.isOn).toBe(true);
  enter("a");
  expect(otherTabs.isOn).toBe(true);
  enter("b");
  expect(otherTabs.isOn).toBe(false);
});

test("at the hub's home the switch is on until it is switched off, in that conversation alone", () => {
  const { otherTabs, box, enter } = showSwitch("a", true);
  expect([otherTabs.isOn, otherTabs.isKept, box.checked]).toEqual([true, false, true]);
  box.click();
  expect([otherTabs.isOn, box.checked]).toEqual([false, false]);
  enter("b");
  expect([otherTabs.isOn, box.checked]).toEqual([true, true]);
  enter("a");
  expect([otherTabs.isOn, box.checked]).toEqual([false, false]);
  expect(showSwitch("a", true).otherTabs.isOn).toBe(false);
  enter(null);
  otherTabs.keep();
  enter("c");
  expect([otherTabs.isOn, otherTabs.isKept]).toEqual([true, true]);
});

test("permanent decisions are listed, and can be revoked", async () => {
  let consents = [
    { key: "k 1", tool: "add_note", origin: "http://app.test", approved: true },
    { key: "k2", tool: "wipe", origin: "http://app.test", approved: false },
  ];
  const request = vi.fn<(method: string, path: string) => Promise<unknown>>(async (method, path) => {
    if (method === "DELETE")
      consents = consents.filter(({ key }) => path !== `/api/consents/${encodeURIComponent(key)}`);
    return { consents: [...consents, { key: 1 }] };
  });
  const announce = vi.fn<(text: string) => void>();
  const { element, refresh } = createConsents({ request }, announce);
  document.body.append(element);
  await refresh();
  const rows = () => [...element.querySelectorAll("li")].map((row) => row.textContent ?? "");
  expect(rows()).toEqual([
    "Alwaysadd_notehttp://app.testForget what you decided about add_note of http://app.test",
    "Neverwipehttp://app.testForget what you decided about wipe of http://app.test",
  ]);
  element.querySelector("button")?.click();
  await expect.poll(rows).toHaveLength(1);
  expect(announce).toHaveBeenCalledWith(expect.stringContaining("add_note"));

  request.mockRejectedValueOnce(new Error("The hub is away."));
  element.querySelector("button")?.click();
  await expect.poll(() => element.querySelector("[role=alert]")?.textContent).toContain("It was not forgotten");
  expect(rows()).toHaveLength(1);
});
