import { expect, test, vi } from "vitest";
import { openPage } from "./test-support/page-under-test.test-helper.ts";

test("a listener that throws is reported and keeps nothing from the others", () => {
  const report = vi.fn<(error: unknown) => void>();
  vi.stubGlobal("reportError", report);
  const { page } = openPage({ token: null });
  const heard: string[] = [];
  const broken = new Error("broken");
  page.onState(() => {
    throw broken;
  });
  const stop = page.onState(({ status }) => heard.push(status));
  page.setToken("one");
  stop();
  stop();
  page.close();
  expect(heard).toEqual(["connecting"]);
  expect(report.mock.calls).toEqual([[broken], [broken]]);
  vi.unstubAllGlobals();
});
