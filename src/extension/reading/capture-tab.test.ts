import { expect, test } from "vitest";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import type { FakeExtension } from "../fake-extension-api.test-helper.ts";
import { captureTab } from "./capture-tab.ts";

type Capture = FakeExtension["api"]["tabs"]["captureVisibleTab"];

/** A window with a tab that is visible and one that is not, and a browser that takes pictures so. */
function start(capture?: Capture) {
  const extension = createFakeExtension();
  extension.tabs.set(1, { id: 1, windowId: 7, active: true });
  extension.tabs.set(2, { id: 2, windowId: 7, active: false });
  const { tabs } = extension.api;
  const api = { tabs: { ...tabs, captureVisibleTab: capture ?? tabs.captureVisibleTab } };
  return { ...extension, take: (tab: number) => captureTab(api, tab) };
}

const refusing =
  (words: string): Capture =>
  () =>
    Promise.reject(new Error(words));

test("the visible tab of a window has a picture", async () => {
  expect(await start().take(1)).toEqual({ picture: `data:image/jpeg;base64,${btoa("window 7")}` });
});

test("any other tab has a sentence that says what to do", async () => {
  const never = refusing("was asked");
  expect((await start(never).take(2)).message).toContain("bring it to the front");
});

test.each([
  ["Either the '<all_urls>' or 'activeTab' permission is required.", "click it, and try again"],
  ["This request exceeds the MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND quota.", "at most two pictures a second"],
  ["Failed to capture tab: image readback failed", "The browser took no picture: Failed to capture tab"],
])("what the browser refuses is said in words: %s", async (refusal, words) => {
  expect((await start(refusing(refusal)).take(1)).message).toContain(words);
});

test("a tab that is gone has no picture", async () => {
  expect((await start().take(3)).message).toContain("no picture");
});

test("a picture that may be of another tab is not given away", async () => {
  const other = start(async () => {
    other.happens.tabActivated.fire({ tabId: 2, windowId: 7 });
    other.happens.tabActivated.fire({ tabId: 1, windowId: 7 });
    return "data:image/jpeg;base64,other";
  });
  expect(await other.take(1)).toEqual({ message: "The tab showed something else meanwhile. Try again." });

  const gone = start(async () => {
    gone.happens.tabUpdated.fire(1, { status: "loading" }, { id: 1, windowId: 7, active: true });
    return "data:image/jpeg;base64,other";
  });
  expect(await gone.take(1)).toEqual({ message: "The tab showed something else meanwhile. Try again." });
});

test("a picture that does not fit a frame is taken again with less quality, and then given up", async () => {
  const qualities: (number | undefined)[] = [];
  const large = `data:image/jpeg;base64,${"A".repeat(16 * 1024 * 1024)}`;
  const picturesOf = (last: string) =>
    start(async (_window, { quality }) => {
      qualities.push(quality);
      return quality === 80 ? large : last;
    });
  expect(await picturesOf("data:image/jpeg;base64,AA").take(1)).toEqual({ picture: "data:image/jpeg;base64,AA" });
  expect((await picturesOf(large).take(1)).message).toContain("too large");
  expect(qualities).toEqual([80, 30, 80, 30]);
});
