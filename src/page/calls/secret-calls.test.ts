import { expect, test } from "vitest";
import type { ToolDefinition } from "../../toolbox/index.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import { call, connectedPage, deferred, endings } from "../test-support/page-under-test.test-helper.ts";

/** A tool for terminals only, as one that takes passwords; records its input, and ends when the test resolves it. */
function keeper(name: string) {
  const runs: unknown[] = [];
  const { promise, resolve } = deferred<string>();
  const tool: ToolDefinition = {
    name,
    _meta: { "pagewire/audience": "terminal" },
    execute(input) {
      runs.push(input);
      return promise;
    },
  };
  return { tool, runs, finish: () => resolve("done") };
}

const input = { password: "s3cret" };

test("nobody in the page hears with what a tool for terminals only was called, also where it is gone by now", async () => {
  const { tool, runs, finish } = keeper("work");
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { input });
  await call(page, page.hub, { id: "c2", name: "gone", input });
  finish();
  await page.browser.clock.advance(0);
  expect(runs).toEqual([input]);
  const heard = ["ended gone", "ended work", "started gone", "started work"];
  expect(page.events.map(({ event, name }) => `${event} ${name}`).toSorted()).toEqual(heard);
  expect(JSON.stringify(page.events)).not.toMatch(/s3cret|arguments/);
});

test("P56: what a tool for terminals only was told and answered is not written down, and it never runs again", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const [ended, cut] = [keeper("ended"), keeper("cut")];
  const tools = [ended.tool, cut.tool];
  const before = await connectedPage({ tools }, { browser, storage });
  await call(before, before.hub, { name: "ended", key: "ended", input });
  ended.finish();
  await call(before, before.hub, { id: "c2", name: "cut", key: "cut", input });
  await before.document.happen((listener) => listener.gone(false));
  before.document.die();
  expect([...storage.values()].join()).not.toMatch(/s3cret|done/);

  const after = await connectedPage({ tools }, { browser, storage });
  await call(after, after.hub, { id: "c3", name: "ended", key: "ended", input });
  await call(after, after.hub, { id: "c4", name: "cut", key: "cut", input });
  expect([ended.runs.length, cut.runs.length]).toEqual([1, 1]);
  expect([endings(after.hub, "c3"), endings(after.hub, "c4")]).toEqual([["expired"], ["outcome-unknown"]]);
});
