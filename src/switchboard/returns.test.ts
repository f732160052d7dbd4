// Calls without their tool or tab after a hub was restarted.
import { expect, test } from "vitest";
import { defaultLimits } from "../wire/index.ts";
import type { Outcome } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

const { returnTime, keyTime } = defaultLimits;
const restarted = (limits = {}) => createBoard(limits, -1000);

const aims = [
  ["a tool", "buy", {}],
  ["a tab", "buy", { tab: "tab-1" }],
  ["a tab's tool", "call_tab_tool", { arguments: '{"tabId":"tab-1","name":"buy"}' }],
] as const;

test.each(aims)("B117: a call for %s that is not back yet goes to the tab when it is", async (_, name, request) => {
  const { clock, page, agent } = restarted();
  const calls = [agent().call(name, request), agent().call(name, { ...request, key: "k" })];
  await clock.advance(returnTime - 1000);
  expect(calls.map(({ end }) => end)).toEqual([undefined, undefined]);
  const back = page({ tabId: "tab-1", tools: [tool("buy")] });
  await clock.advance(defaultLimits.changesTime);
  expect(back.calls).toHaveLength(2);
  for (const { id } of back.calls) back.answer("{}", id);
  expect(calls.map(({ end }) => end?.["outcome"])).toEqual(["ok", "ok"]);
});

test.each(aims)("B117: a call for %s that does not come back is refused after returnTime", async (_, name, request) => {
  const { clock, agent } = restarted();
  const code = name === "buy" && !("tab" in request) ? "tool-not-found" : "tab-not-found";
  const [plain, keyed] = [agent().call(name, request), agent().call(name, { ...request, key: "k" })];
  await clock.advance(returnTime - 1);
  expect([plain.end, keyed.end]).toEqual([undefined, undefined]);
  await clock.advance(1);
  expect(plain.end).toEqual({ outcome: "rejected", ran: "no", code });
  expect(keyed.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code });
  expect(keyed.outcomes[0]?.message).toMatch(/^There is no .* may have run under this key\.$/);
  const late = agent().call(name, request);
  await clock.advance(0);
  expect(late.end).toEqual({ outcome: "rejected", ran: "no", code });
});

test("B117: it waits no longer than its own deadline, which also applies in the tab that comes back", async () => {
  const { clock, page, agent } = restarted();
  const [short, keyed, long] = [{ left: 500 }, { left: 500, key: "k" }, { left: 3000 }].map((request) =>
    agent().call("buy", request),
  );
  await clock.advance(500);
  expect([short?.end, keyed?.end]).toMatchObject([
    { outcome: "deadline-exceeded", ran: "no" },
    { outcome: "deadline-exceeded", ran: "maybe" },
  ]);
  const back = page({ tools: [tool("buy")] });
  await clock.advance(100);
  expect(back.calls).toMatchObject([{ left: 2400 }]);
  await clock.advance(2400);
  expect(long?.end).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
});

test("B117: two waiting calls of one key become one when the tab is back", async () => {
  const { clock, page, agent } = restarted();
  const calls = [agent().call("buy", { key: "k" }), agent().call("buy", { key: "k" })];
  const back = page({ tools: [tool("buy")] });
  await clock.advance(100);
  expect(back.calls).toHaveLength(1);
  back.answer("{}");
  expect(calls.map(({ end }) => end?.["outcome"])).toEqual(["ok", "ok"]);
});

test("B117: a waiting call can be cancelled and cut, counts for its agent, and ends with the switchboard", async () => {
  const { clock, agent, switchboard } = restarted({ callsPerAgent: 3 });
  const caller = agent();
  const [cancelled, cut, last] = [caller.call("buy", { key: "k" }), caller.call("buy"), caller.call("buy")];
  const refused = caller.call("buy");
  await clock.advance(0);
  expect(refused.end).toMatchObject({ code: "calls-too-many" });
  cancelled.handle.cancel();
  cut.handle.cut();
  await clock.advance(0);
  expect([cancelled.end, cut.end]).toEqual([{ outcome: "cancelled", ran: "maybe", code: "cancelled" }, undefined]);
  const another = caller.call("buy");
  switchboard.close();
  await clock.advance(0);
  expect([last.end, another.end]).toMatchObject([{ code: "going-away" }, { code: "going-away" }]);
  expect(clock.pending).toBe(0);
});

test("B117: if no hub ran in the last keyTime, nothing waits and nothing is in doubt", async () => {
  for (const earlierEnd of [undefined, -keyTime]) {
    const { clock, agent } = createBoard({}, earlierEnd);
    const calls = [agent().call("buy"), agent().call("buy", { key: "k" })];
    await clock.advance(0);
    for (const { end } of calls) expect(end).toEqual({ outcome: "rejected", ran: "no", code: "tool-not-found" });
  }
});

test("a key whose call lacks its tab may have run until keyTime after the earlier run, and one of an invalid call has not", async () => {
  const { clock, agent } = restarted();
  await clock.advance(keyTime - 1001);
  const call = (name: string, input = "{}") => agent().call(name, { key: "k", arguments: input });
  const [doubted, wrong] = [call("buy"), call("call_tab_tool")];
  await clock.advance(1);
  const known = call("buy");
  await clock.advance(0);
  expect([doubted, wrong, known].map(({ end }) => end?.["ran"])).toEqual(["maybe", "no", "no"]);
});

const stopping: Outcome = { outcome: "rejected", ran: "no", code: "going-away", message: "The hub is stopping." };

test("a key that is refused because of too many calls or a stopping hub may have run in the earlier run", async () => {
  const { clock, page, agent } = restarted({ callsPerAgent: 1 });
  page({ tools: [tool("buy")] });
  const [caller, other] = [agent(), agent({ identity: "other" })];
  caller.call("buy");
  const refused = [
    caller.call("buy", { key: "k" }),
    caller.call("sell", { key: "k" }),
    other.call("buy", { key: "k", refusal: stopping }),
    caller.call("buy"),
  ];
  await clock.advance(0);
  expect(refused.map(({ end }) => end)).toEqual([
    { outcome: "outcome-unknown", ran: "maybe", code: "calls-too-many" },
    { outcome: "outcome-unknown", ran: "maybe", code: "calls-too-many" },
    { outcome: "outcome-unknown", ran: "maybe", code: "going-away" },
    { outcome: "rejected", ran: "no", code: "calls-too-many" },
  ]);
  expect(refused[0]?.outcomes[0]?.retryAfter).toBe(1000);
});

test("while no new call may begin, one that repeats another joins it or gets its outcome", async () => {
  const { clock, page, agent } = createBoard();
  const tab = page({ tools: [tool("buy")] });
  const caller = agent();
  const first = caller.call("buy", { key: "k" });
  const [joined, fresh] = [
    caller.call("buy", { key: "k", refusal: stopping }),
    caller.call("buy", { refusal: stopping }),
  ];
  const cut = caller.call("buy");
  tab.ack(tab.calls[1]?.id);
  cut.handle.cut();
  const twin = caller.call("buy", { refusal: stopping });
  for (const { id } of tab.calls) tab.answer(`"${id}"`, id);
  const again = caller.call("buy", { key: "k", refusal: stopping });
  await clock.advance(0);
  expect([first, joined, again, twin].map(({ end }) => [end?.["payload"], end?.["replay"]])).toEqual([
    ['"call-1"', undefined],
    ['"call-1"', true],
    ['"call-1"', true],
    ['"call-2"', true],
  ]);
  expect(fresh.end).toEqual({ outcome: "rejected", ran: "no", code: "going-away" });
});
