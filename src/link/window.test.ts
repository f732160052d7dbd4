import { expect, test } from "vitest";
import { recordLink } from "../testing/index.ts";
import { createWindowLink } from "./window.ts";
import type { WindowMessageEvent } from "./window.ts";

const origin = "https://shop.example";

/** A link between windows that a test plays by hand. */
function linkByHand() {
  const listeners = new Set<(event: WindowMessageEvent) => void>();
  const self = {
    addEventListener: (_type: "message", listener: (event: WindowMessageEvent) => void) => void listeners.add(listener),
    removeEventListener: (_type: "message", listener: (event: WindowMessageEvent) => void) =>
      void listeners.delete(listener),
  };
  const posted: unknown[] = [];
  const target = { postMessage: (data: unknown, to: string) => posted.push([data, to]) };
  const link = createWindowLink({ self, target, origin, channel: "test" });
  const hear = (data: unknown) => {
    for (const listener of listeners) listener({ data, origin, source: target });
  };
  return { link, listeners, posted, hear };
}

test("L50: a window link that has closed no longer listens to its window, whichever side closed it", async () => {
  const own = linkByHand();
  expect(own.listeners.size).toBe(1);
  own.link.close();
  expect(own.listeners.size).toBe(0);

  const peers = linkByHand();
  peers.hear({ pagewire: "test", close: { code: 4000, reason: "done" } });
  expect(await recordLink(peers.link).closed).toEqual({ code: 4000, reason: "done" });
  expect(peers.listeners.size).toBe(0);
});

test("L30: all that a window link says is addressed to its one origin and names its channel", () => {
  const { link, posted } = linkByHand();
  link.send("text");
  link.close({ code: 4000, reason: "done" });
  expect(posted).toEqual([
    [{ pagewire: "test", message: "text" }, origin],
    [{ pagewire: "test", close: { code: 4000, reason: "done" } }, origin],
  ]);
});
