import { expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import { createBoard, tool } from "./board.test-helper.ts";
import type { TestBoard, TestPage } from "./board.test-helper.ts";

const graceTime = 5000;

/** The steps that bring a connected tab into each state of the table. */
const provoked: Readonly<Record<string, (page: TestPage, clock: TestBoard["clock"]) => unknown>> = {
  connected: () => {},
  "silent (2.5 heartbeats)": (_, clock) => clock.advance(45_000),
  "suspended (frozen)": (page) => page.say({ type: "suspended", reason: "frozen" }),
  "suspended (back/forward cache)": (page) => page.say({ type: "suspended", reason: "back-forward-cache" }),
  "gone (back/forward cache, final)"(page, clock) {
    page.say({ type: "suspended", reason: "back-forward-cache", final: true });
    return clock.advance(0);
  },
  "away (cut off)": (page) => page.lose("cut"),
  "away (left or reloading)": (page) => page.say({ type: "bye" }),
  gone(page, clock) {
    page.lose("cut");
    return clock.advance(graceTime);
  },
};

test("B138: each state of a tab, provoked: whether it is listed, and what becomes of a call", async () => {
  const rows = Object.entries(provoked).map(async ([row, provoke]) => {
    const { clock, page: open, agent } = createBoard({ graceTime });
    const page = open({ tools: [tool("buy")] });
    const { session, call } = agent();
    const states = () => session.tabs().map(({ state }) => state);
    await provoke(page, clock);
    const [state = "gone"] = states();
    expect(row.split(" ")[0]).toBe(state);
    const isListed = states().length > 0;
    const made = call("buy", { tab: page.tabId });
    await clock.advance(0);
    const { outcome, code } = made.end ?? {};
    const becomes = outcome === "rejected" ? code : (outcome ?? (page.calls.length > 0 ? "is sent" : "waits"));
    await clock.advance(graceTime);
    const isListedLater = states().length > 0;
    return [row, isListedLater ? "yes" : isListed ? "for graceTime" : "no", becomes];
  });
  expect(await Promise.all(rows)).toEqual(specTable(new URL("SPEC.md", import.meta.url), "- **B138**"));
});
