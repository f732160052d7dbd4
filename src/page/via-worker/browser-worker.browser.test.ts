import { afterEach, expect, test, vi } from "vitest";
import { browserWorker } from "./browser-worker.ts";

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

test("that workers were given up is known to all tabs", () => {
  browserWorker().givenUp.set(2);
  expect(browserWorker().givenUp.get()).toBe(2);
});

test("a page that may not store anything still knows what it gave up itself", () => {
  const { givenUp } = browserWorker();
  for (const name of ["getItem", "setItem"] as const) {
    vi.spyOn(Storage.prototype, name).mockImplementation(() => {
      throw new DOMException("The quota is exceeded.", "QuotaExceededError");
    });
  }
  expect(givenUp.get()).toBe(0);
  givenUp.set(1);
  expect(givenUp.get()).toBe(1);
});
