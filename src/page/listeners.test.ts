import { expect, test, vi } from "vitest";
import { createListeners } from "./listeners.ts";

test("P17: a listener that throws is reported and keeps nothing from the others", () => {
  const report = vi.fn<(error: unknown) => void>();
  vi.stubGlobal("reportError", report);
  const heard: string[] = [];
  const listeners = createListeners<string>();
  const broken = new Error("broken");
  listeners.add(() => {
    throw broken;
  });
  const stop = listeners.add((event) => heard.push(event));
  listeners.tell("one");
  stop();
  stop();
  listeners.tell("two");
  expect(heard).toEqual(["one"]);
  expect(report.mock.calls).toEqual([[broken], [broken]]);
  vi.unstubAllGlobals();
});
