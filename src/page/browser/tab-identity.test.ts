import { expect, test } from "vitest";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import type { FakeBrowser, FakeDocument } from "../test-support/fake-browser.test-helper.ts";
import { identifyTab } from "./tab-identity.ts";
import type { TabIdentity } from "./tab-identity.ts";

/** The identity that a document finds, and after how many milliseconds. */
async function identify(
  browser: FakeBrowser,
  { tabEnvironment }: FakeDocument,
): Promise<TabIdentity & { readonly after: number }> {
  const { clock } = browser;
  const startedAt = clock.now();
  let found: TabIdentity | undefined;
  void identifyTab(tabEnvironment).then((identity) => (found = identity));
  for (;;) {
    await clock.advance(0);
    if (found) return { ...found, after: clock.now() - startedAt };
    await clock.advance(100);
  }
}

test("P1: a new tab gets an id at once, and keeps it through reloads", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const before = browser.open(storage);
  const first = await identify(browser, before);
  before.die();
  const again = await identify(browser, browser.open(storage));
  expect([first.after, again.id, again.after]).toEqual([0, first.id, 0]);
});

test("P1: a document that ends slowly keeps the next one waiting, not from its id", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const before = browser.open(storage);
  const { id } = await identify(browser, before);
  before.isFrozen = true;
  browser.clock.after(430, before.die);
  expect(await identify(browser, browser.open(storage))).toMatchObject({ id, after: 500 });
});

test("P2: a document with a copy of another tab's storage gets an id of its own, and both keep theirs", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const original = browser.open(storage);
  const { id } = await identify(browser, original);
  const copy = new Map(storage);
  const duplicate = browser.open(copy);
  const other = await identify(browser, duplicate);
  expect(other.after).toBe(0);
  expect(other.id).not.toBe(id);
  for (const document of [original, duplicate]) document.die();
  expect((await identify(browser, browser.open(copy))).id).toBe(other.id);
  expect((await identify(browser, browser.open(storage))).id).toBe(id);
});

test("P2: a duplicate of a frozen tab, which cannot answer, gets an id of its own too", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const original = browser.open(storage);
  const { id } = await identify(browser, original);
  original.isFrozen = true;
  const duplicate = await identify(browser, browser.open(new Map(storage)));
  expect(duplicate.after).toBe(1500);
  expect(duplicate.id).not.toBe(id);
});

test("P2: a duplicate that got its own id has left nothing that waits for the other's", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const original = browser.open(storage);
  const { id } = await identify(browser, original);
  await identify(browser, browser.open(new Map(storage)));
  original.die();
  await browser.clock.advance(0);
  expect(browser.isHeld(id)).toBe(false);
});

test("P2: where there are no locks, a tab that answers keeps its id, and silence means that it is free", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const options = { hasLocks: false };
  const original = browser.open(storage, options);
  const { id } = await identify(browser, original);
  await browser.clock.advance(1500);
  const copy = new Map(storage);
  const duplicate = await identify(browser, browser.open(copy, options));
  expect(duplicate.after).toBe(0);
  expect(duplicate.id).not.toBe(id);
  original.die();
  const reloaded = await identify(browser, browser.open(storage, options));
  expect([reloaded.id, reloaded.after]).toEqual([id, 1500]);
});

test("P3: a document lets go of its id while it rests in the cache, and takes it up again", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const resting = await identify(browser, browser.open(storage));
  resting.release();
  resting.release();
  expect(browser.isHeld(resting.id)).toBe(false);
  const next = browser.open(storage);
  expect((await identify(browser, next)).id).toBe(resting.id);
  resting.resume();
  next.die();
  await browser.clock.advance(0);
  const duplicate = await identify(browser, browser.open(new Map(storage)));
  expect(duplicate.id).not.toBe(resting.id);
  resting.release();
  expect(browser.isHeld(resting.id)).toBe(false);
});

test("P3: a document that never let go of its id takes nothing twice", async () => {
  const browser = createFakeBrowser();
  const identity = await identify(browser, browser.open());
  identity.resume();
  identity.resume();
  await browser.clock.advance(0);
  identity.release();
  await browser.clock.advance(0);
  expect(browser.isHeld(identity.id)).toBe(false);
});

test("an id in the storage that no hub would take is not used", async () => {
  const browser = createFakeBrowser();
  for (const wrong of ["", "short", "with space", "x".repeat(65), "語".repeat(10), "a/b/c/d/e/f"]) {
    const storage = new Map([["tab", wrong]]);
    const { id } = await identify(browser, browser.open(storage));
    expect(id).toMatch(/^new-tab-/);
    expect(storage.get("tab")).toBe(id);
  }
});
