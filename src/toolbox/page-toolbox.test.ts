import { expect, test, vi } from "vitest";
import { makeToolbox } from "./call.test-helper.ts";
import { getPageToolbox, pageToolboxes } from "./page-toolbox.ts";

test("the page's toolbox is that of the page connected last and still open, and there is none without a page", () => {
  expect(getPageToolbox()).toBeUndefined();
  const [first, second] = [makeToolbox(), makeToolbox()];
  pageToolboxes.add(first);
  pageToolboxes.add(second);
  expect(getPageToolbox()).toBe(second);
  pageToolboxes.delete(second);
  expect(getPageToolbox()).toBe(first);
  pageToolboxes.delete(first);
  expect(getPageToolbox()).toBeUndefined();
});

test("every copy of this code in a document means the same toolboxes", async () => {
  vi.resetModules();
  const copy = await import("./page-toolbox.ts");
  const toolbox = makeToolbox();
  copy.pageToolboxes.add(toolbox);
  expect(copy.getPageToolbox).not.toBe(getPageToolbox);
  expect(getPageToolbox()).toBe(toolbox);
  copy.pageToolboxes.delete(toolbox);
});
