// Heartbeats: a window that stops answering and comes back, and an app whose timers the browser throttles.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import {
  answer,
  ask,
  assistantPage,
  countsOf,
  createAssistantWorld,
  ready,
  started,
} from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import type { Tab } from "./support/tab.ts";

/** The number of unanswered pings after which the app counts the window as silent. */
const patience = 3;

describe("a window that does not answer pings", () => {
  let world: AssistantWorld;
  let app: Tab;
  let assistant: Tab;

  beforeAll(async () => {
    world = await createAssistantWorld({
      host: "app.test",
      pages: (hub) => ({
        "/": assistantPage(hub, { options: `heartbeatInterval: 1000, heartbeatTimeout: ${1000 * patience},` }),
      }),
    });
    app = await world.openApp();
    assistant = await world.openAssistant(app);
    await assistant.send("Page.addScriptToEvaluateOnNewDocument", { source: deafness });
    await assistant.reload();
    await ready(assistant);
    await app.waitFor("bridge.getConnectionState() === 'connected'");
  });
  afterAll(() => world?.close());

  test.each([1, 2, 3, 4, 5])(
    "a window that answers again at attempt %i reconnects, and a running call keeps its outcome",
    async (attempt) => {
      const tag = `attempt-${attempt}`;
      await ask(assistant, `call hold {"tag":"${tag}"}`);
      await started(app, tag);
      await app.evaluate("void (states.length = 0)");
      await assistant.evaluate(`void (deaf = ${patience + attempt - 1})`);
      await app.waitFor("states.length > 1");
      expect(await app.evaluate("states")).toEqual([
        ["connected", "reconnecting", "not-responding"],
        ["reconnecting", "connected", null],
      ]);
      await app.evaluate(`held["${tag}"]()`);
      expect(await answer(assistant)).toBe(`{"tag":"${tag}"}`);
      expect(await countsOf(app, tag)).toEqual({ ran: 1, aborted: 0 });
    },
  );

  test("after five attempts the app gives the window up, and reconnects when it answers", async () => {
    await ask(assistant, 'call hold {"tag":"given-up"}');
    await started(app, "given-up");
    await app.evaluate("void (states.length = 0)");
    await assistant.evaluate("void (deaf = Infinity)");
    await app.waitFor("states.length > 1");
    expect(await app.evaluate("states")).toEqual([
      ["connected", "reconnecting", "not-responding"],
      ["reconnecting", "disconnected", "not-responding"],
    ]);
    await assistant.evaluate("void (deaf = 0)");
    await app.waitFor("bridge.getConnectionState() === 'connected'");
    expect(await app.popups()).toHaveLength(1);
    await app.evaluate("held['given-up']()");
    expect(await answer(assistant)).toBe('{"tag":"given-up"}');
    expect(await countsOf(app, "given-up")).toEqual({ ran: 1, aborted: 0 });
    recordFault("assistant", {
      fault: "window silent past all five attempts while a tool runs",
      expected: "one run, and the model is told the truth",
      observed: "ok, one run",
      count: 1,
    });
  });

  test("a call waits for an app that the browser froze, and neither side counts as silent", async () => {
    await app.evaluate("void (states.length = 0)");
    await app.freeze();
    await ask(assistant, 'call echo {"tag":"frozen"}');
    // Longer than the app's timeout for its window.
    await assistant.waitFor("/Running · ([4-9]|\\d\\d)/.test(document.querySelector('.talk').innerText)");
    await app.unfreeze();
    await app.activate();
    expect(await answer(assistant)).toBe('{"tag":"frozen"}');
    expect(await countsOf(app, "frozen")).toEqual({ ran: 1, aborted: 0 });
    expect(await app.evaluate("states")).toEqual([]);
  });
});

test("an app in the background whose timers run once a minute never counts its window as silent, and its tools work", async () => {
  const world = await createAssistantWorld({
    host: "app.test",
    limits: { parentCallTime: 200_000 },
    browser: { args: ["--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/10"] },
    pages: (hub) => ({
      "/": assistantPage(hub, { options: "heartbeatInterval: 1000, heartbeatTimeout: 3000,", script: ticking }),
    }),
  });
  try {
    const app = await world.openApp();
    const assistant = await world.openAssistant(app);
    await app.hide();
    await ask(assistant, 'call hold {"tag":"hidden"}');
    await started(app, "hidden");
    await app.waitFor("longest > 10_000", { timeout: 150_000 });
    expect(await app.evaluate("states")).toEqual([
      ["disconnected", "connecting", null],
      ["connecting", "connected", null],
    ]);
    await app.evaluate("held.hidden()");
    expect(await answer(assistant)).toBe('{"tag":"hidden"}');
    await ask(assistant, 'call echo {"tag":"still-hidden"}');
    expect(await answer(assistant)).toBe('{"tag":"still-hidden"}');
    await app.activate();
    await ask(assistant, 'call echo {"tag":"shown"}');
    expect(await answer(assistant)).toBe('{"tag":"shown"}');
    expect(await app.evaluate("states.length")).toBe(2);
    recordFault("assistant", {
      fault: "app's timers held back to once a minute, far longer than heartbeatTimeout",
      expected: "never reconnecting",
      observed: "connected throughout",
      count: 1,
    });
  } finally {
    await world.close();
  }
}, 240_000);

/** Measures how late this page's timers are. */
const ticking = `
window.longest = 0;
let last = performance.now();
(function tick() {
  window.longest = Math.max(window.longest, performance.now() - last);
  last = performance.now();
  setTimeout(tick, 500);
})();`;

/** Drops the next `deaf` pings to this page, whether they arrive over the window or over a port. */
const deafness = `
window.deaf = 0;
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, listener, ...rest) {
  const hears = (event) => {
    if (event.data?.type !== "ping" || window.deaf === 0) return listener.call(this, event);
    window.deaf--;
  };
  listen.call(this, type, type === "message" ? hears : listener, ...rest);
};`;
