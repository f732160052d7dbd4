import { expect, test, vi } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createLog, errorSpy, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import type { ModelContextTool } from "./model-context.ts";

/** A browser whose other scripts have tools, too; it tells changes by an event, or not. */
function browserWith(taken: string[], { hasEvents }: { readonly hasEvents: boolean }) {
  const { browser, register: registerTool } = createFakeBrowser(taken);
  const context = Object.assign(hasEvents ? new EventTarget() : {}, {
    async registerTool(tool: ModelContextTool, options?: { readonly signal?: AbortSignal }) {
      registerTool(tool, options);
      changed();
      options?.signal?.addEventListener("abort", changed);
    },
  });
  const changed = () => context instanceof EventTarget && context.dispatchEvent(new Event("toolchange"));
  vi.stubGlobal("document", { modelContext: context });
  vi.stubGlobal("navigator", undefined);
  return {
    browser,
    free(name: string) {
      taken.splice(taken.indexOf(name), 1);
      changed();
    },
  };
}

test.each([true, false])("MC54: a name that another script gives up is taken, with events: %s", async (hasEvents) => {
  const { browser, free } = browserWith(["taken", "other"], { hasEvents });
  const server = await startServer({ register: offering({ tools: () => ["taken", "other", "mine"] }) });
  const { said, logger } = createLog();
  const [onError, onSync] = [errorSpy(), syncSpy()];
  const handle = await register({ url: server.url, logger, onError, onSync });
  expect([handle.tools, handle.refused.map(({ name }) => name)]).toEqual([["mine"], ["taken", "other"]]);
  free("taken");
  await expect.poll(() => handle.tools).toEqual(["taken", "mine"]);
  expect(handle.refused).toMatchObject([{ name: "other" }]);
  expect(await browser.call("taken")).toMatchObject({ content: [{ text: "taken {}" }] });
  await expect.poll(() => onSync.mock.calls.length).toBe(2);
  expect([said.length, onError.mock.calls, server.of("tools/list").length]).toEqual([2, [], 1]);
  await handle.dispose();
  free("other");
  expect([...browser.tools.keys()]).toEqual([]);
});

test("the name of another handle's tool is taken when that handle is disposed", async () => {
  const { browser } = browserWith([], { hasEvents: true });
  const [one, two] = await Promise.all(
    ["one", "two"].map((from) =>
      startServer({ register: offering({ tools: () => ["same"], call: () => ({ content: [], from }) }) }),
    ),
  );
  const first = await register({ url: one?.url ?? "" });
  const second = await register({ url: two?.url ?? "" });
  expect([first.tools, second.tools]).toEqual([["same"], []]);
  await first.dispose();
  await expect.poll(() => [second.tools, second.refused]).toEqual([["same"], []]);
  expect(await browser.call("same")).toMatchObject({ from: "two" });
});

test("a browser that is busy with other tools is asked for refused names one time after the other", async () => {
  const { free } = browserWith(["taken", "x"], { hasEvents: true });
  const asked = vi.spyOn(
    (document as unknown as { modelContext: { registerTool(): void } }).modelContext,
    "registerTool",
  );
  const server = await startServer({ register: offering({ tools: () => ["taken"] }) });
  const handle = await register({ url: server.url });
  expect(asked).toHaveBeenCalledTimes(1);
  const changed = () =>
    (document as unknown as { modelContext: EventTarget }).modelContext.dispatchEvent(new Event("toolchange"));
  for (let count = 0; count < 500; count++) changed();
  free("taken");
  await expect.poll(() => handle.tools).toEqual(["taken"]);
  expect(asked.mock.calls.length).toBeLessThan(5);
});
