import { describe, expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab that has some tools, and one agent. */
function shop(limits: Parameters<typeof createBoard>[0] = {}) {
  const board = createBoard(limits);
  const tools = [
    tool("buy"),
    tool("look", { annotations: { readOnlyHint: true } }),
    tool("set", { annotations: { idempotentHint: true } }),
  ];
  return { ...board, page: board.page({ tools }), agent: board.agent(), more: board };
}

const key = "order-1";

describe("keys", () => {
  test("B20: a repeated key gets the same outcome, marked as a replay, and does not run again", async () => {
    const { clock, page, agent, more } = shop();
    const first = agent.call("buy", { key });
    expect(page.calls[0]?.key).toBe(key);
    page.ack();
    page.answer('"receipt"');
    const again = agent.call("buy", { key });
    const elsewhere = more.agent({ identity: "after a restart" }).call("buy", { key });
    await clock.advance(0);
    expect(first.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"' });
    expect([again.end, elsewhere.end]).toEqual(Array(2).fill({ ...first.end, replay: true }));
    expect(page.calls).toHaveLength(1);
  });

  test("B20: a key that names its tab in only one of two calls is the same key", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy", { key });
    page.answer('"receipt"');
    const named = agent.call("buy", { key, tab: page.tabId });
    await clock.advance(0);
    expect(named.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    expect(page.calls).toHaveLength(1);
  });

  test("B20: a call with the key of a running one joins it: all its callers receive one outcome", async () => {
    const { clock, page, agent } = shop();
    const first = agent.call("buy", { key });
    page.ack();
    const joined = agent.call("buy", { key });
    await clock.advance(0);
    expect(joined.heard).toEqual([["acked", "tab-1"]]);
    page.say({ type: "progress", id: "call-1", progress: 1 });
    page.answer('"receipt"');
    expect(first.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"' });
    expect(joined.end).toEqual({ ...first.end, replay: true });
    expect(page.calls).toHaveLength(1);
  });

  test("B20: a caller of a joined call that cancels leaves it to the others; the last one stops it", () => {
    const { page, agent } = shop();
    const first = agent.call("buy", { key });
    const second = agent.call("buy", { key });
    const third = agent.call("buy", { key });
    page.ack();
    first.handle.cancel();
    expect([first.end?.["outcome"], second.end, third.end]).toEqual(["cancelled", undefined, undefined]);
    second.handle.cut();
    expect(page.sent.some(({ type }) => type === "cancel")).toBe(false);
    third.handle.cancel();
    expect(third.end).toMatchObject({ outcome: "cancelled" });
    expect(page.sent.at(-1)).toMatchObject({ type: "cancel", id: "call-1" });
    expect(second.outcomes).toEqual([]);
  });

  test.each([
    ["other arguments", { arguments: '{"item":2}' }],
    ["another tool", { name: "look" }],
  ])("B21: the same key with %s is refused, whether the first call runs or has ended", async (_, other) => {
    const { clock, page, agent } = shop();
    agent.call("buy", { key, arguments: '{"item":1}' });
    const early = agent.call("buy", { key, arguments: '{"item":1}', ...other });
    page.answer("{}");
    const late = agent.call("buy", { key, arguments: '{"item":1}', ...other });
    await clock.advance(0);
    expect([early.end, late.end]).toEqual(Array(2).fill({ outcome: "rejected", ran: "no", code: "key-conflict" }));
    expect(late.outcomes[0]?.message).toContain(key);
    expect(page.calls).toHaveLength(1);
  });

  test("B21: arguments with their properties in another order are the same arguments", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy", { key, arguments: '{"a":1,"b":{"c":2,"d":[3,4]}}' });
    page.answer("{}");
    const again = agent.call("buy", { key, arguments: new TextEncoder().encode('{ "b":{"d":[3,4],"c":2}, "a":1 }') });
    await clock.advance(0);
    expect(again.end).toMatchObject({ outcome: "ok", replay: true });
  });

  test("B21: arguments of more than 64 KB are compared as they are written", async () => {
    const { clock, page, agent } = shop();
    const large = `"x":"${"x".repeat(65_536)}"`;
    agent.call("buy", { key, arguments: `{"a":1,${large}}` });
    page.answer("{}");
    const same = agent.call("buy", { key, arguments: new TextEncoder().encode(`{"a":1,${large}}`) });
    const other = agent.call("buy", { key, arguments: `{${large},"a":1}` });
    await clock.advance(0);
    expect([same.end, other.end]).toMatchObject([{ outcome: "ok", replay: true }, { code: "key-conflict" }]);
  });

  test("B22: after keyTime a used key is expired: not a replay, and never a run", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy", { key });
    await clock.advance(1000);
    page.answer("{}");
    await clock.advance(599_999);
    const kept = agent.call("buy", { key });
    await clock.advance(1);
    const late = agent.call("buy", { key });
    await clock.advance(0);
    expect(kept.end).toMatchObject({ outcome: "ok", replay: true });
    expect(late.end).toEqual({ outcome: "expired", ran: "maybe", code: "key-expired" });
    expect(page.calls).toHaveLength(1);
  });

  test("B22: outcomes beyond keyBytes are evicted, oldest first; a running call is never forgotten", async () => {
    const { clock, page, agent } = shop({ keyBytes: 3000 });
    agent.call("buy", { key: "running" });
    for (const name of ["one", "two", "three"]) {
      agent.call("buy", { key: name });
      page.answer(`"${"x".repeat(1200)}"`);
    }
    const [one, two, three] = ["one", "two", "three"].map((name) => agent.call("buy", { key: name }));
    const running = agent.call("buy", { key: "running" });
    page.answer('"slow"', "call-1");
    await clock.advance(0);
    expect([one?.end?.["outcome"], two?.end?.["outcome"], three?.end?.["outcome"]]).toEqual(["expired", "ok", "ok"]);
    expect(running.end).toMatchObject({ payload: '"slow"', replay: true });
  });

  test("B22: a used key is known as expired until expiredKeys others have expired after it", async () => {
    const { clock, page, agent } = shop({ keyTime: 1000, expiredKeys: 2 });
    for (const name of ["one", "two", "three"]) {
      agent.call("buy", { key: name });
      page.answer("{}");
      await clock.advance(1000);
    }
    const [two, three] = ["two", "three"].map((name) => agent.call("buy", { key: name }));
    agent.call("buy", { key: "one" });
    await clock.advance(0);
    expect([two?.end?.["outcome"], three?.end?.["outcome"], page.calls.length]).toEqual(["expired", "expired", 4]);
  });

  test("B22: the size of a kept call includes its key and its arguments; running calls are kept whatever their size", async () => {
    const { clock, page, agent } = shop({ keyBytes: 300 });
    const large = { key: "large", arguments: `{"item":"${"x".repeat(400)}"}` };
    agent.call("buy", { key: "small" });
    page.answer("{}");
    agent.call("buy", large);
    const [small, joined] = [agent.call("buy", { key: "small" }), agent.call("buy", large)];
    page.answer('"receipt"');
    const again = agent.call("buy", large);
    await clock.advance(0);
    expect([small, joined, again].map(({ end }) => end?.["outcome"])).toEqual(["expired", "ok", "expired"]);
    agent.call("buy", { key: "next" });
    page.answer("{}");
    const next = agent.call("buy", { key: "next" });
    await clock.advance(0);
    expect(next.end).toMatchObject({ outcome: "ok", replay: true });
  });

  test("a closed switchboard has no timer for its keys, nor does one whose keys have expired", async () => {
    for (const end of ["close", "expire"]) {
      const { clock, page, agent, more } = shop({ heartbeatTime: 1_000_000_000 });
      agent.call("buy", { key: "one" });
      page.answer("{}");
      const before = clock.pending;
      if (end === "close") more.switchboard.close();
      else await clock.advance(600_000);
      expect(clock.pending).toBeLessThan(before);
      more.switchboard.close();
      expect(clock.pending).toBe(0);
    }
  });

  test("B23: the key of a call that surely did not run may run", async () => {
    const { clock, page, agent, more } = shop();
    agent.call("buy", { key });
    page.fail({ outcome: "rejected", ran: "no", code: "input-invalid" });
    const second = agent.call("buy", { key });
    page.lose("gone");
    expect(second.end).toMatchObject({ outcome: "not-delivered", ran: "no" });
    const back = more.page({ tabId: page.tabId, tools: [tool("buy")] });
    const third = agent.call("buy", { key, arguments: '{"other":true}' });
    await clock.advance(0);
    back.answer('"ran"');
    expect(third.end).toEqual({ outcome: "ok", ran: "yes", payload: '"ran"' });
  });

  test("B23: the key of a call that may have run keeps its outcome, whatever that was", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy", { key });
    page.ack();
    page.lose("gone");
    const again = agent.call("buy", { key });
    await clock.advance(0);
    expect(again.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown", replay: true });
  });

  test("B24: two principals may use the same key", () => {
    const { agent, more, page } = shop();
    agent.call("buy", { key });
    page.answer('"local"');
    const stranger = more.page({ principal: "other", tools: [tool("buy")] });
    const call = more.agent({ principal: "other" }).call("buy", { key, arguments: '{"a":1}' });
    stranger.answer('"other"');
    expect(call.end).toEqual({ outcome: "ok", ran: "yes", payload: '"other"' });
  });

  test.each(["buy", "look", "set"])(
    "B25: a keyed call of %s whose caller was cut off waits cutTime for the key to be repeated",
    async (name) => {
      const { clock, page, agent } = shop({ twinTime: 0 });
      agent.call(name, { key }).handle.cut();
      await clock.advance(1999);
      const again = agent.call(name, { key });
      await clock.advance(5000);
      page.answer('"receipt"');
      expect(again.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
      expect(page.sent.some(({ type }) => type === "cancel")).toBe(false);
    },
  );

  test("B25: if its key is not repeated in cutTime, the handler is aborted, and the key keeps that outcome", async () => {
    const { clock, page, agent } = shop();
    const cut = agent.call("buy", { key });
    cut.handle.cut();
    await clock.advance(2000);
    expect(page.sent.at(-1)).toMatchObject({ type: "cancel", id: "call-1" });
    const again = agent.call("buy", { key });
    await clock.advance(0);
    expect(again.end).toEqual({ outcome: "cancelled", ran: "maybe", code: "cancelled", replay: true });
    expect(cut.heard).toEqual([]);
  });
});

describe("duplicates: an equal call after a cut, without a key", () => {
  test("B26: an equal call within cutTime joins the call whose caller was cut off", async () => {
    const { clock, page, agent, more } = shop();
    const first = agent.call("buy", { arguments: '{"a":1,"b":2}' });
    page.ack();
    first.handle.cut();
    await clock.advance(1999);
    const twin = more.agent().call("buy", { arguments: '{"b":2,"a":1}' });
    await clock.advance(5000);
    page.answer('"receipt"');
    expect(twin.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    expect(first.heard).toEqual([["acked", "tab-1"]]);
    expect(new Set(page.calls.map(({ id }) => id))).toEqual(new Set(["call-1"]));
  });

  test("B26: an equal call within twinTime of the cut gets an outcome that came in the meantime; later ones run", async () => {
    const { clock, page, agent } = shop();
    const cut = () => {
      agent.call("buy").handle.cut();
      page.answer('"receipt"');
    };
    cut();
    await clock.advance(9999);
    const twin = agent.call("buy");
    await clock.advance(0);
    expect(twin.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    cut();
    await clock.advance(10_000);
    agent.call("buy");
    expect(page.calls).toHaveLength(3);
  });

  test("B26: one cut has one duplicate: the next equal call is a new call", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy").handle.cut();
    page.answer('"first"');
    const twin = agent.call("buy");
    const next = agent.call("buy");
    page.answer('"second"');
    await clock.advance(0);
    expect(twin.end).toMatchObject({ payload: '"first"', replay: true });
    expect(next.end).toEqual({ outcome: "ok", ran: "yes", payload: '"second"' });
  });

  test("B26: two equal calls that were cut off together each have their own duplicate", async () => {
    const { clock, page, agent } = shop();
    const calls = [agent.call("buy"), agent.call("buy")];
    for (const call of calls) call.handle.cut();
    page.answer('"first"', "call-1");
    const twins = [agent.call("buy"), agent.call("buy")];
    page.answer('"second"', "call-2");
    await clock.advance(0);
    expect(twins.map(({ end }) => end?.["payload"])).toEqual(['"first"', '"second"']);
    expect(page.calls.every(({ id }) => id === "call-1" || id === "call-2")).toBe(true);
  });

  test("B26: a duplicate that is cut off too has a duplicate again", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy").handle.cut();
    await clock.advance(1500);
    agent.call("buy").handle.cut();
    await clock.advance(1500);
    const third = agent.call("buy");
    page.answer('"receipt"', "call-1");
    expect(third.end).toMatchObject({ payload: '"receipt"', replay: true });
  });

  test("a duplicate whose caller is cut off before it received the outcome has a duplicate again", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy").handle.cut();
    page.answer('"receipt"');
    const twin = agent.call("buy");
    await clock.advance(1);
    twin.handle.cut();
    const third = agent.call("buy");
    await clock.advance(0);
    expect(third.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    expect(page.calls).toHaveLength(1);
  });

  test.each(["before it ended", "after it ended"])(
    "a call that is cut off twice, the first time %s, counts as cut off once",
    async (when) => {
      const { clock, page, agent } = shop();
      const { handle } = agent.call("buy");
      if (when === "before it ended") handle.cut();
      page.answer('"receipt"');
      handle.cut();
      handle.cut();
      const twin = agent.call("buy");
      agent.call("buy");
      await clock.advance(0);
      expect(twin.end).toMatchObject({ payload: '"receipt"', replay: true });
      expect(page.calls).toHaveLength(2);
    },
  );

  test("without a duplicate in cutTime the handler is aborted, and that outcome is never replayed", async () => {
    const { clock, page, agent } = shop();
    agent.call("buy").handle.cut();
    await clock.advance(1999);
    expect(page.sent.some(({ type }) => type === "cancel")).toBe(false);
    await clock.advance(1);
    expect(page.sent.at(-1)).toMatchObject({ type: "cancel", id: "call-1" });
    const late = agent.call("buy");
    page.answer('"fresh"', late.handle.id);
    expect(late.end).toEqual({ outcome: "ok", ran: "yes", payload: '"fresh"' });
  });

  test("a call that its caller cancelled has no duplicate", () => {
    const { page, agent } = shop();
    agent.call("buy").handle.cancel();
    agent.call("buy");
    expect(page.calls.map(({ id }) => id)).toEqual(["call-1", "call-2"]);
  });

  test.each(["identity", "arguments", "tool", "tab", "key"])("another %s makes it another call", (what) => {
    const { page, agent, more } = shop();
    agent.call("buy", { arguments: '{"a":1}' }).handle.cut();
    const caller = what === "identity" ? more.agent({ identity: "other" }) : agent;
    caller.call(what === "tool" ? "look" : "buy", {
      arguments: what === "arguments" ? '{"a":2}' : '{"a":1}',
      ...(what === "tab" ? { tab: "tab-1" } : {}),
      ...(what === "key" ? { key } : {}),
    });
    expect(page.calls.map(({ id }) => id)).toEqual(["call-1", "call-2"]);
  });

  test.each([
    ["a read-only tool", "look", {}],
    ["an idempotent tool", "set", {}],
    ["cutTime zero", "buy", { cutTime: 0 }],
    ["twinTime zero", "buy", { twinTime: 0 }],
  ])("B29: with %s there are no twins: a cut aborts at once, and the next call runs", (_, name, limits) => {
    const { page, agent } = shop(limits);
    agent.call(name).handle.cut();
    expect(page.sent.at(-1)).toMatchObject({ type: "cancel", id: "call-1" });
    agent.call(name);
    expect(page.calls).toHaveLength(2);
  });

  test("B29: a call that was cut off before its tab received it is cancelled", async () => {
    const { clock, page, agent, more } = shop();
    page.lose("cut");
    agent.call("buy").handle.cut();
    const back = more.page({ tabId: page.tabId, tools: [tool("buy"), tool("look"), tool("set")] });
    await clock.advance(10_000);
    expect(back.calls).toEqual([]);
  });
});
