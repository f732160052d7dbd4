import { expect, test, vi } from "vitest";
import { pageLimits } from "../../wire/index.ts";
import { browserEnvironment } from "./browser-environment.ts";

const { openLink, onWoken } = browserEnvironment;

test("P10: an address at which nothing answers is told as such", async () => {
  await expect(openLink("ws://127.0.0.1:1/page", pageLimits)).rejects.toThrow("no answer");
});

test("P10: a server that does not answer in time is given up", async () => {
  const timers = vi.spyOn(window, "setTimeout");
  class SilentSocket extends EventTarget {
    onclose = () => {};
    close() {
      this.onclose();
    }
  }
  vi.stubGlobal("WebSocket", SilentSocket);
  const opening = openLink("ws://127.0.0.1:1/page", pageLimits);
  const [giveUp, after] = timers.mock.calls.at(-1) ?? [];
  expect(after).toBe(10_000);
  (giveUp as () => void)();
  await expect(opening).rejects.toThrow("no answer");
  vi.unstubAllGlobals();
});

test("P13: the focus and a network that is back wake a page, until it does not want to be woken", () => {
  const woken: string[] = [];
  const ending = new AbortController();
  onWoken(() => woken.push("woken"), ending.signal);
  window.dispatchEvent(new Event("focus"));
  window.dispatchEvent(new Event("online"));
  window.dispatchEvent(new Event("blur"));
  ending.abort();
  window.dispatchEvent(new Event("focus"));
  expect(woken).toEqual(["woken", "woken"]);
});
