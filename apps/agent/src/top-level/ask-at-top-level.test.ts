import type { ApprovalRequest } from "pagewire/toolbox";
import { createFakeClock } from "pagewire/testing";
import { expect, test } from "vitest";
import { createAskAtTopLevel } from "./ask-at-top-level.ts";
import { decisionMessage, parseAsked, readyToAsk } from "./approval-messages.ts";

const origin = "https://hub.example";
const request: ApprovalRequest = {
  tool: "parent-window_delete_orders",
  title: "Delete orders",
  origin: "https://shop.example",
  arguments: { ids: [1, 2] },
  agent: { name: "The assistant" },
  reason: "It can change something.",
};
const allowed = { approved: true, scope: "session" } as const;

/** A framed window that asks, and the window that it opens. */
function makeFrame() {
  const self = new EventTarget();
  const clock = createFakeClock();
  const sent: { data: unknown; targetOrigin: string }[] = [];
  const asking = {
    closed: false,
    postMessage: (data: unknown, targetOrigin: string) => void sent.push({ data: structuredClone(data), targetOrigin }),
    close: () => void (asking.closed = true),
  };
  const frame = { self, clock, sent, asking, isBlocked: false, stop: new AbortController() };
  const ask = createAskAtTopLevel({
    self,
    origin,
    clock,
    openWindow: () => (frame.isBlocked ? null : asking),
    newNonce: () => "nonce-1",
  });
  return {
    ...frame,
    frame,
    ask: (what = request) => ask(what, frame.stop.signal),
    say: (data: unknown, { from = origin, source = asking as unknown } = {}) =>
      self.dispatchEvent(Object.assign(new Event("message"), { data, origin: from, source })),
  };
}

test("the question goes to the window that was opened, at the hub's own origin, and its decision is the answer", async () => {
  const { ask, say, sent, asking, clock } = makeFrame();
  const changed = { before: [{ text: "Pays" }], after: [{ text: "Pays" }, { text: " all", differs: true }] } as const;
  const whole = { ...request, changed, once: true } as const;
  const asked = ask(whole);
  expect(sent).toEqual([]);
  say(readyToAsk);
  expect(sent.map(({ targetOrigin }) => targetOrigin)).toEqual([origin]);
  expect(parseAsked(sent[0]?.data)).toEqual({ nonce: "nonce-1", request: whole });
  say(decisionMessage("nonce-1", allowed));
  expect(await asked).toEqual(allowed);
  expect([asking.closed, clock.pending]).toEqual([true, 0]);
});

test("a decision of another window, another origin, with another nonce or in another form is none", async () => {
  const { ask, say, clock } = makeFrame();
  let decided: unknown;
  void ask().then((decision) => (decided = decision));
  const decision = decisionMessage("nonce-1", allowed);
  say(decision, { from: "https://shop.example" });
  say(decision, { source: {} });
  say(decisionMessage("nonce-2", allowed));
  for (const odd of [
    true,
    { approved: true, scope: "forever" },
    { approved: false, scope: "session" },
    { scope: "once" },
  ])
    say({ pagewire: "approval-decided", nonce: "nonce-1", decision: odd });
  await clock.advance(0);
  expect(decided).toBeUndefined();
  say(decisionMessage("nonce-1", { approved: false, scope: "once" }));
  await clock.advance(0);
  expect(decided).toEqual({ approved: false, scope: "once" });
});

test("a window that is closed, blocked or not needed any more has decided nothing", async () => {
  const closed = makeFrame();
  const asked = closed.ask();
  const failed = expect(asked).rejects.toMatchObject({ code: "ask-failed", message: /closed without a decision/ });
  closed.asking.closed = true;
  await closed.clock.advance(300);
  await failed;
  const blocked = makeFrame();
  blocked.frame.isBlocked = true;
  await expect(blocked.ask()).rejects.toMatchObject({ code: "ask-failed", message: /Allow pop-ups/ });
  const over = makeFrame();
  const left = expect(over.ask()).rejects.toMatchObject({ code: "ask-failed" });
  over.stop.abort();
  await left;
  expect(over.asking.closed).toBe(true);
  await expect(over.ask()).rejects.toMatchObject({ code: "ask-failed" });
});
