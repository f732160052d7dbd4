import { describe, expect, test } from "vitest";
import { defaultLimits } from "../wire/index.ts";
import type { Limits, Outcome } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";
import type { KeyLedger, KeyUse, UsedKey } from "./key-ledger.ts";

const key = "order-1";
const { returnTime } = defaultLimits;
const ok: Outcome = { outcome: "ok", ran: "yes", payload: '"receipt"' };

type Step = "use" | "find" | "end" | "free";

/** A ledger in memory, whose operations a test may delay or let fail. */
function createLedger() {
  const rows = new Map<string, KeyUse & { outcome?: UsedKey["outcome"]; age?: number }>();
  const steps: string[] = [];
  const failing = new Set<Step>();
  let held: Promise<void> = Promise.resolve();

  async function step<Value>(name: Step, perform: () => Value): Promise<Value> {
    await held;
    steps.push(name);
    if (failing.has(name)) throw new Error("disk full");
    return perform();
  }

  function usedKey(fingerprint: string): UsedKey | undefined {
    const row = rows.get(key);
    return row && { age: 0, outcome: undefined, ...row, isSameCall: row.fingerprint === fingerprint };
  }

  const ledger: KeyLedger = {
    isNew: false,
    use: (_, name, use) =>
      step("use", () => {
        const known = rows.get(name);
        if (known && (known.outcome || known.call !== use.call)) return usedKey(use.fingerprint);
        rows.set(name, use);
        return undefined;
      }),
    find: (_, __, fingerprint) => step("find", () => usedKey(fingerprint)),
    end: (_, name, outcome) =>
      step("end", () => {
        const row = rows.get(name);
        if (row) rows.set(name, { ...row, outcome });
      }),
    free: (_, name) => step("free", () => void rows.delete(name)),
  };
  return {
    ...ledger,
    rows,
    steps,
    failing,
    /** Delays every operation until the returned function is called. */
    hold(): () => void {
      let go = () => {};
      held = new Promise((resolve) => (go = resolve));
      return go;
    },
  };
}

type TestLedger = ReturnType<typeof createLedger>;

/** A hub after an earlier one with the same ledger, with an agent; its tabs are not back yet. */
function restarted(ledger: TestLedger, limits: Partial<Limits> = {}) {
  const board = createBoard(limits, -1000, { ledger });
  return { ...board, caller: board.agent() };
}

/** A hub with one tab that has the tool `buy`, and one agent. */
function shop(ledger: TestLedger, limits: Partial<Limits> = {}) {
  const board = createBoard(limits, undefined, { ledger });
  const page = board.page({ tools: [tool("buy")] });
  return { ...board, more: board.page, page, caller: board.agent() };
}

/** The ledger of a hub that was killed while a call with the key ran in a tab. */
async function leftBehind(ledger: TestLedger): Promise<void> {
  const { clock, page, caller } = shop(ledger);
  caller.call("buy", { key });
  await clock.advance(0);
  expect(page.calls).toHaveLength(1);
}

describe("a key in the ledger", () => {
  test("B130: a key is written for its tab and epoch before the tab receives the call, and the outcome before the caller does", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    let go = ledger.hold();
    const call = caller.call("buy", { key });
    await clock.advance(10);
    expect([page.calls.length, ledger.rows.size]).toEqual([0, 0]);
    go();
    await clock.advance(0);
    expect(page.calls).toHaveLength(1);
    expect(ledger.rows.get(key)).toMatchObject({ tab: "tab-1", epoch: "epoch" });
    go = ledger.hold();
    page.answer('"receipt"');
    await clock.advance(10);
    expect(call.end).toBeUndefined();
    go();
    await clock.advance(0);
    expect(call.end).toEqual(ok);
    expect(ledger.rows.get(key)?.outcome).toMatchObject(ok);
  });

  test("calls without a key do not touch the ledger", async () => {
    const ledger = createLedger();
    const { page, caller } = shop(ledger);
    const call = caller.call("buy");
    page.answer('"receipt"');
    expect([call.end, ledger.steps]).toEqual([ok, []]);
  });

  test("a call with the same key joins while the first is looked up, runs, or has its outcome written", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    const calls = [caller.call("buy", { key }), caller.call("buy", { key })];
    await clock.advance(0);
    calls.push(caller.call("buy", { key }));
    const go = ledger.hold();
    page.answer('"receipt"');
    calls.push(caller.call("buy", { key }));
    go();
    await clock.advance(0);
    const replay = { ...ok, replay: true };
    expect(calls.map(({ end }) => end)).toEqual([ok, replay, replay, replay]);
    expect(page.calls).toHaveLength(1);
  });

  test("a key whose call did not run is free again, and its next call is the first to run", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    const refused = caller.call("buy", { key });
    await clock.advance(0);
    page.fail({ outcome: "rejected", ran: "no", code: "input-invalid" });
    await clock.advance(0);
    expect([refused.end?.["ran"], ledger.rows.size]).toEqual(["no", 0]);
    caller.call("buy", { key });
    await clock.advance(0);
    expect(page.calls).toHaveLength(2);
  });

  test("a call that is cancelled or cut off during the look-up reaches no tab, and its key is free", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    for (const leave of ["cancel", "cut"] as const) {
      const go = ledger.hold();
      const call = caller.call("buy", { key });
      call.handle[leave]();
      go();
      await clock.advance(0);
      expect(call.end).toEqual(leave === "cut" ? undefined : { outcome: "cancelled", ran: "maybe", code: "cancelled" });
      expect([page.calls.length, ledger.rows.size]).toEqual([0, 0]);
    }
  });

  test("a ledger that does not answer ends a call at its deadline, and with the switchboard", async () => {
    const ledger = createLedger();
    const { clock, caller, switchboard } = shop(ledger);
    ledger.hold();
    const late = caller.call("buy", { key, left: 500 });
    await clock.advance(500);
    expect(late.end).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
    const last = caller.call("buy", { key: "another" });
    switchboard.close();
    await clock.advance(0);
    expect(last.end).toMatchObject({ ran: "maybe" });
    expect(clock.pending).toBe(0);
  });

  test("a call that goes to another tab or epoch is first written for that one", async () => {
    const ledger = createLedger();
    const { clock, page, more, caller } = shop(ledger, { graceTime: 1000 });
    const other = more({ tabId: "tab-2", tools: [tool("buy")], epochs: ["other"] });
    page.lose("cut");
    const call = caller.call("buy", { key, tab: page.tabId });
    await clock.advance(0);
    expect(ledger.rows.get(key)).toMatchObject({ tab: "tab-1" });
    const go = ledger.hold();
    const back = more({ tabId: "tab-1", tools: [tool("buy")], epochs: ["epoch", "next"] });
    await clock.advance(0);
    expect(back.calls).toHaveLength(0);
    go();
    await clock.advance(0);
    expect(ledger.rows.get(key)).toMatchObject({ tab: "tab-1", epoch: "next" });
    back.answer('"receipt"');
    await clock.advance(0);
    expect([call.end, other.calls.length]).toEqual([ok, 0]);
  });
});

describe("after a restart", () => {
  test("B132: a key with a written outcome gets it, marked as a replay, also after its tab is gone", async () => {
    const ledger = createLedger();
    const before = shop(ledger);
    const first = before.caller.call("buy", { key });
    await before.clock.advance(0);
    before.page.answer('"receipt"');
    await before.clock.advance(0);
    expect(first.end).toEqual(ok);
    const { clock, caller } = restarted(ledger);
    const again = caller.call("buy", { key });
    const other = caller.call("buy", { key, arguments: '{"other":1}' });
    await clock.advance(0);
    expect(again.end).toEqual({ ...ok, replay: true });
    expect(other.end).toEqual({ outcome: "rejected", ran: "no", code: "key-conflict" });
    ledger.rows.set(key, { ...(ledger.rows.get(key) as KeyUse), outcome: "expired" });
    const late = caller.call("buy", { key });
    await clock.advance(0);
    expect(late.end).toMatchObject({ outcome: "expired", ran: "maybe" });
  });

  test("B133: a key whose call had no outcome waits for its tab, which reports the outcome", async () => {
    const ledger = createLedger();
    await leftBehind(ledger);
    const { clock, page, caller } = restarted(ledger);
    const stranger = page({ tabId: "tab-2", tools: [tool("buy")], focused: true });
    const call = caller.call("buy", { key });
    await clock.advance(returnTime - 1000);
    expect([call.end, stranger.calls.length]).toEqual([undefined, 0]);
    const back = page({ tabId: "tab-1", tools: [tool("buy")] });
    await clock.advance(defaultLimits.changesTime);
    expect(back.calls).toMatchObject([{ key }]);
    expect(back.calls[0]?.resume).toBeUndefined();
    back.answer('"receipt"');
    await clock.advance(0);
    expect(call.end).toEqual(ok);
  });

  test("B133: a key whose tab is away for a moment goes to no other tab that becomes ready in the meantime", async () => {
    const ledger = createLedger();
    await leftBehind(ledger);
    const { clock, page, caller } = restarted(ledger);
    const known = page({ tabId: "tab-1", tools: [tool("buy")] });
    known.lose("cut");
    const call = caller.call("buy", { key });
    await clock.advance(0);
    const other = page({ tabId: "tab-2", tools: [tool("buy")], focused: true });
    await clock.advance(100);
    expect([call.end, other.calls.length]).toEqual([undefined, 0]);
    const back = page({ tabId: "tab-1", tools: [tool("buy")] });
    await clock.advance(0);
    back.answer('"receipt"');
    await clock.advance(0);
    expect([call.end, other.calls.length]).toEqual([ok, 0]);
  });

  test.each([
    ["does not come back", undefined],
    ["lost its memory", ["another"]],
    ["names no epochs", []],
  ])("B133: where that tab %s, the outcome is unknown, for good", async (_, epochs) => {
    const ledger = createLedger();
    await leftBehind(ledger);
    const { clock, page, caller } = restarted(ledger);
    const call = caller.call("buy", { key });
    if (epochs) page({ tabId: "tab-1", tools: [tool("buy")], epochs });
    else page({ tabId: "tab-2", tools: [tool("buy")] });
    await clock.advance(returnTime);
    const unknown = { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" };
    expect(call.end).toEqual(unknown);
    const again = caller.call("buy", { key });
    await clock.advance(0);
    expect(again.end).toEqual({ ...unknown, replay: true });
  });

  test("B133: for a call that is older than a page's memory the page is only asked", async () => {
    const ledger = createLedger();
    await leftBehind(ledger);
    ledger.rows.set(key, { ...(ledger.rows.get(key) as KeyUse), age: 600_000 });
    const { clock, page, caller } = restarted(ledger);
    const back = page({ tabId: "tab-1", tools: [tool("buy")] });
    caller.call("buy", { key });
    await clock.advance(0);
    expect(back.calls).toMatchObject([{ resume: true }]);
  });

  test("B133: a page that takes the repeated call for another does not decide the outcome of the first", async () => {
    const ledger = createLedger();
    await leftBehind(ledger);
    const { clock, page, caller } = restarted(ledger);
    const back = page({ tabId: "tab-1", tools: [tool("buy")] });
    const call = caller.call("buy", { key });
    await clock.advance(0);
    back.fail({ outcome: "rejected", ran: "no", code: "key-conflict" });
    await clock.advance(0);
    expect(call.end).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  });

  test("a key that the ledger does not have did not run, and its refusal has that", async () => {
    const { clock, caller } = restarted(createLedger());
    const call = caller.call("buy", { key });
    await clock.advance(returnTime);
    expect(call.end).toEqual({ outcome: "rejected", ran: "no", code: "tool-not-found" });
  });

  test("a temporary refusal under a key that may have run has that, and the call may be repeated", async () => {
    const ledger = createLedger();
    await leftBehind(ledger);
    const { clock, page, caller } = restarted(ledger);
    const refusal: Outcome = { outcome: "rejected", ran: "no", code: "going-away", message: "Stopping." };
    const call = caller.call("buy", { key, refusal });
    await clock.advance(0);
    expect(call.end).toMatchObject({ outcome: "outcome-unknown", ran: "maybe", code: "going-away" });
    const back = page({ tabId: "tab-1", tools: [tool("buy")] });
    caller.call("buy", { key });
    await clock.advance(0);
    expect(back.calls).toHaveLength(1);
  });
});

describe("a ledger that fails", () => {
  test("B135: a key that cannot be written is refused, and nothing runs; calls without a key go on", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    ledger.failing.add("use");
    const call = caller.call("buy", { key });
    await clock.advance(0);
    expect(call.end).toEqual({ outcome: "rejected", ran: "no", code: "not-saved" });
    expect(call.outcomes[0]?.retryAfter).toBe(1000);
    ledger.failing.add("find");
    const blind = caller.call("buy", { key });
    await clock.advance(0);
    expect(blind.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code: "not-saved" });
    expect(page.calls).toHaveLength(0);
    caller.call("buy");
    expect(page.calls).toHaveLength(1);
    ledger.failing.clear();
    caller.call("buy", { key });
    await clock.advance(0);
    expect(page.calls).toHaveLength(2);
  });

  test("B135: an outcome that cannot be written is marked, and is valid as long as the hub runs", async () => {
    const ledger = createLedger();
    const { clock, page, caller } = shop(ledger);
    const call = caller.call("buy", { key });
    await clock.advance(0);
    ledger.failing.add("end");
    page.answer('"receipt"');
    await clock.advance(0);
    expect(call.end).toEqual({ ...ok, notSaved: true });
    const again = caller.call("buy", { key });
    await clock.advance(0);
    expect(again.end).toEqual({ ...ok, replay: true, notSaved: true });
  });
});
