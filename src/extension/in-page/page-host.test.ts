import { expect, onTestFinished, test, vi } from "vitest";
import { onHostChanged } from "./page-host.ts";

test("a page that goes to and fro as a host changes something once a second, and ends as it is", () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  vi.stubGlobal("document", page);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const ending = new AbortController();
  let isHosted = false;
  const changes: boolean[] = [];
  onHostChanged(() => {
    if (changes.at(-1) === isHosted) return false;
    changes.push(isHosted);
    return true;
  }, ending.signal);
  for (let count = 0; count < 50; count++) {
    isHosted = count % 2 === 0;
    page.dispatchEvent(new Event("pagewire-host-changed"));
    vi.advanceTimersByTime(10);
  }
  expect(changes).toEqual([true]);
  vi.advanceTimersByTime(1000);
  expect(changes).toEqual([true, false]);
  vi.advanceTimersByTime(5000);
  isHosted = true;
  page.dispatchEvent(new Event("pagewire-host-changed"));
  vi.advanceTimersByTime(0);
  expect(changes).toEqual([true, false, true]);
  isHosted = false;
  page.dispatchEvent(new Event("pagewire-host-changed"));
  ending.abort();
  vi.advanceTimersByTime(5000);
  expect(changes).toEqual([true, false, true]);
});
