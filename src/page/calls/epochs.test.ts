// A page's reports about its memory of calls, and the calls that it remembers.
import { expect, test } from "vitest";
import type { CallContext } from "../../toolbox/index.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import { call, connectedPage, endings, openPage } from "../test-support/page-under-test.test-helper.ts";

const work = { name: "work", execute: () => "done" };

test("P71: a call that was sent for another epoch is passed over, unless the page knows it or is only asked for it", async () => {
  const runs: string[] = [];
  const tool = { name: "work", execute: (_: unknown, { callId }: CallContext) => void runs.push(callId) };
  const page = await connectedPage({ tools: [tool] });
  const [before = ""] = page.hub.heard("hello")[0]?.epochs ?? [];
  await call(page, page.hub, { id: "known", epoch: before });
  await page.document.happen((listener) => listener.suspended("frozen"));
  await page.document.happen((listener) => listener.resumed());
  const epochs = page.hub.heard("tab").at(-1)?.epochs ?? [];
  expect(epochs).toEqual([before, expect.any(String)]);
  for (const id of ["known", "late"]) await call(page, page.hub, { id, epoch: before });
  await call(page, page.hub, { id: "asked", epoch: before, resume: true });
  expect(runs).toEqual(["known"]);
  expect(["known", "late"].map((id) => endings(page.hub, id).length)).toEqual([2, 0]);
  expect(endings(page.hub, "asked")).toEqual(["outcome-unknown"]);
  await call(page, page.hub, { id: "late", epoch: epochs.at(-1) ?? "" });
  expect(runs).toEqual(["known", "late"]);
});

test("P71: a crash loses what came since the memory was written down, and the next page does not claim to know it", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const before = await connectedPage({ tools: [work] }, { browser, storage });
  await call(before, before.hub);
  before.document.die();
  const after = await connectedPage({ tools: [work] }, { browser, storage });
  const epochsOf = (hub: typeof after.hub) => hub.heard("hello")[0]?.epochs ?? [];
  expect(epochsOf(after.hub)).toHaveLength(1);
  expect(epochsOf(after.hub)).not.toEqual(epochsOf(before.hub));
});

test("P71: a page that was suspended before its welcome tells of its new epoch after it", async () => {
  const page = openPage({ tools: [work] });
  await page.browser.clock.advance(0);
  await page.document.happen((listener) => listener.suspended("frozen"));
  await page.document.happen((listener) => listener.resumed());
  const hub = await page.browser.hub.welcome();
  expect(hub.types).toEqual(["hello", "offer", "tab"]);
  expect(hub.heard("tab")[0]?.epochs).toEqual([hub.heard("hello")[0]?.epochs?.[0], expect.any(String)]);
});
