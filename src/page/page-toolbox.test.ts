import { expect, test } from "vitest";
import { getPageToolbox } from "../toolbox/index.ts";
import { openPage } from "./test-support/page-under-test.test-helper.ts";

test("what runs beside a page finds its toolbox at once, without a hub, and until the page is closed", () => {
  const { page } = openPage({ tools: [{ name: "work", execute: () => "done" }] });
  expect(getPageToolbox()).toBe(page.toolbox);
  const other = openPage();
  expect(getPageToolbox()).toBe(other.page.toolbox);
  other.page.close();
  expect(getPageToolbox()?.offer().tools).toMatchObject([{ name: "work" }]);
  page.close();
  expect(getPageToolbox()).toBeUndefined();
});
