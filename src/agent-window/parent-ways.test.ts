import { expect, test, vi } from "vitest";
import type { FakeClock } from "../testing/index.ts";
import { codeOf, FakeParent, makeWorld, payloadsOf, salesTool, shop } from "./fake-parent.test-helper.ts";

const call = { name: "get_sales_data", args: { days: 30 } };
const viaPort = { kind: "connected", origin: shop, via: "port" };
const viaWindow = { kind: "connected", origin: shop, via: "window" };

/** A link that uses a port with its page. */
async function overPort() {
  const world = makeWorld();
  const loaded = world.load();
  world.page.offer(salesTool);
  const port = world.page.givePort();
  expect(loaded.link.state).toEqual(viaPort);
  return { ...world, world, ...loaded, port };
}

/** Waits until the page received this many calls over its ports. */
async function callsOverPort(page: FakeParent, count: number) {
  await vi.waitFor(() => expect(page.calls(page.overPort)).toHaveLength(count));
  return page.calls(page.overPort);
}

/** The page unloads and the link knows it: it waits a while for the page to be back. */
async function sayBye(page: FakeParent, clock: FakeClock) {
  const before = clock.pending;
  page.ports.at(-1)?.postMessage({ type: "parent_bye", payload: {} });
  await vi.waitFor(() => expect(clock.pending).toBe(before + 1));
}

test("PL6: a page that answers the offer with a port uses it in both directions", async () => {
  const { page, link, port, injected, tools } = await overPort();
  const asked = link.callTool(call.name, call.args);
  const [sent] = await callsOverPort(page, 1);
  port.postMessage({ type: "tool_response", payload: { call_id: sent?.call_id, success: true, result: "over port" } });
  expect(await asked).toBe("over port");
  port.postMessage({ type: "inject_message", payload: { message: "Hello" } });
  port.postMessage({ type: "tools_list", payload: { tools: [] } });
  await vi.waitFor(() => expect(tools.at(-1)).toEqual([]));
  expect(injected).toHaveLength(1);
  expect(page.calls()).toEqual([]);
});

test("PL6: a nonce is valid once, and only if it was offered", async () => {
  const { page, link, port } = await overPort();
  const [nonce] = page.nonces();
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  const again = page.givePort(nonce);
  page.givePort("guessed");
  again.postMessage({ type: "inject_message", payload: { message: "Forged" } });
  void link.callTool(call.name, call.args, { callId: "request-1" }).catch(() => {});
  await callsOverPort(page, 1);
  port.postMessage({ type: "ping", payload: { timestamp: 3 } });
  await vi.waitFor(() => expect(payloadsOf(page.overPort, "pong")).toEqual([{ timestamp: 3 }]));
});

test("PL6: an offer is made with the first message, and not again while an answer may be on its way", async () => {
  const { load, page, clock } = makeWorld();
  load();
  page.say({ type: "ping" });
  page.say({ type: "ping" });
  page.offer(salesTool);
  expect(page.nonces()).toHaveLength(1);
  await clock.advance(2000);
  page.say({ type: "ping" });
  expect(new Set(page.nonces()).size).toBe(2);
});

test("PL6: another vendor's page never answers the offer, and uses plain messages", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  for (let minute = 0; minute < 60; minute++) {
    await clock.advance(60_000);
    page.say({ type: "ping" });
  }
  expect(link.state).toEqual(viaWindow);
  const asked = link.callTool(call.name, call.args);
  page.answer(page.calls()[0]?.call_id ?? "", "still");
  expect(await asked).toBe("still");
});

test("while a port is in use, answers and injected messages over the window are ignored", async () => {
  const { page, link, port, injected } = await overPort();
  const asked = link.callTool(call.name, call.args);
  const [sent] = await callsOverPort(page, 1);
  page.answer(sent?.call_id ?? "", "forged");
  page.say({ type: "inject_message", payload: { message: "forged" } });
  port.postMessage({ type: "tool_response", payload: { call_id: sent?.call_id, success: true, result: "true" } });
  expect(await asked).toBe("true");
  expect(injected).toEqual([]);
});

test("a page that sends outside its port and gives no new one counts as another vendor's", async () => {
  const { page, link, clock } = await overPort();
  page.say({ type: "ping" });
  expect(link.state).toEqual(viaPort);
  await clock.advance(2000);
  expect(link.state).toEqual(viaWindow);
  const asked = link.callTool(call.name, call.args);
  page.answer(page.calls()[0]?.call_id ?? "", "by window");
  expect(await asked).toBe("by window");
});

test("PL12: a reloaded page gets a new port, and over it the calls that it may not have answered", async () => {
  const { page, link, clock } = await overPort();
  const asked = link.callTool(call.name, call.args, { callId: "request-1" });
  await callsOverPort(page, 1);
  await sayBye(page, clock);
  page.say({ type: "ping" });
  const next = page.givePort();
  const [, again] = await callsOverPort(page, 2);
  expect(again).toMatchObject({
    call_id: "request-1",
    tool_name: "get_sales_data",
    arguments: { days: 30 },
    again: true,
  });
  next.postMessage({ type: "tool_response", payload: { call_id: "request-1", success: true, result: "kept" } });
  expect(await asked).toBe("kept");
  await clock.advance(5000);
  expect(link.state).toEqual(viaPort);
});

test("PL12: a page that sends two goodbyes and is back is not lost", async () => {
  const { page, link, clock } = await overPort();
  await sayBye(page, clock);
  page.offer(salesTool);
  page.say({ type: "parent_bye" });
  page.say({ type: "parent_bye" });
  page.offer(salesTool);
  await clock.advance(5000);
  expect(link.state).toEqual(viaWindow);
});

test("PL6: a nonce that was offered to another page in the same window is invalid", () => {
  const world = makeWorld();
  world.allowed = [shop, "https://bank.example"];
  const { link } = world.load();
  world.page.say({ type: "ping" });
  const [nonce] = world.page.nonces();
  world.page.origin = "https://bank.example";
  world.page.givePort(nonce);
  expect(link.state).toEqual(viaWindow);
});

test("PL12: a reloaded page itself answers a call that it cannot know", async () => {
  const { page, link } = await overPort();
  const asked = codeOf(link.callTool(call.name, call.args));
  const [sent] = await callsOverPort(page, 1);
  page.say({ type: "tools_list", payload: { tools: [salesTool] } });
  const error = { call_id: sent?.call_id, success: false, error: "It was reloaded.", code: "outcome-unknown" };
  page.givePort().postMessage({ type: "tool_response", payload: error });
  expect(await asked).toBe("outcome-unknown");
});

test("PL12: a call is never repeated over the window", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const asked = codeOf(link.callTool(call.name, call.args));
  page.offer(salesTool);
  page.say({ type: "ping" });
  await clock.advance(30_000);
  expect(await asked).toBe("deadline-exceeded");
  expect(page.calls()).toHaveLength(1);
});

test("PL12: a repeated id joins the running call", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const both = [1, 2].map(() => link.callTool(call.name, call.args, { callId: "request-1" }));
  page.answer("request-1", "once");
  expect(await Promise.all(both)).toEqual(["once", "once"]);
  expect(page.calls()).toHaveLength(1);
});

test("a call that was sent to another window is not made, and may have run there", async () => {
  const { page, link } = await overPort();
  const asked = link.callTool(call.name, call.args, { callId: "request-1", again: true });
  await expect(asked).rejects.toMatchObject({ code: "outcome-unknown" });
  void link.callTool(call.name, call.args, { callId: "request-2" }).catch(() => {});
  expect(await callsOverPort(page, 1)).toMatchObject([{ call_id: "request-2" }]);
});

test("a reloaded window greets its page, knows its tools, and asks ours again about running calls", async () => {
  const { world, page, link } = await overPort();
  void link.callTool(call.name, call.args, { callId: "request-1" }).catch(() => {});
  await callsOverPort(page, 1);
  world.self.dispatchEvent(new Event("pagehide"));
  const kept = new Map(world.kept);
  link.close();
  world.kept.clear();
  for (const [key, text] of kept) world.kept.set(key, text);
  const again = world.load().link;
  expect([again.state, again.tools]).toEqual([{ kind: "waiting", origin: shop }, [salesTool]]);
  const asked = again.callTool(call.name, call.args, { callId: "request-1" });
  const port = page.givePort();
  expect(again.state).toEqual(viaPort);
  const calls = await callsOverPort(page, 2);
  expect(calls.map(({ call_id }) => call_id)).toEqual(["request-1", "request-1"]);
  port.postMessage({ type: "tool_response", payload: { call_id: "request-1", success: true, result: "kept" } });
  expect(await asked).toBe("kept");
});

/** Reloads the window of another vendor's page during a call. */
function reloadedAtStock() {
  const world = makeWorld();
  const before = world.load();
  world.page.offer(salesTool);
  void before.link.callTool(call.name, call.args, { callId: "request-1" }).catch(() => {});
  world.self.dispatchEvent(new Event("pagehide"));
  const kept = new Map(world.kept);
  before.link.close();
  for (const [key, text] of kept) world.kept.set(key, text);
  const sent = world.page.sent.length;
  return { ...world, world, link: world.load().link, calls: () => world.page.calls(world.page.sent.slice(sent)) };
}

test("a reloaded window waits for the answer of another vendor's page, and never asks again", async () => {
  const { page, link, calls } = reloadedAtStock();
  const asked = link.callTool(call.name, call.args, { callId: "request-1" });
  page.say({ type: "ping" });
  page.answer("request-1", "finished");
  expect(await asked).toBe("finished");
  const twice = codeOf(link.callTool(call.name, call.args, { callId: "request-1" }));
  expect(await twice).toBe("outcome-unknown");
  expect(calls()).toEqual([]);
});

test("an answer that comes before its call is repeated is kept for it", async () => {
  const { page, link } = reloadedAtStock();
  page.answer("request-1", "early");
  page.answer("request-2", "guessed");
  expect(await link.callTool(call.name, call.args, { callId: "request-1" })).toBe("early");
  const other = link.callTool(call.name, call.args, { callId: "request-2" });
  page.answer("request-2", "asked");
  expect(await other).toBe("asked");
});

test("an answer that came while there was no document is lost", async () => {
  const { page, link, clock } = reloadedAtStock();
  const asked = codeOf(link.callTool(call.name, call.args, { callId: "request-1", timeout: 1000 }));
  await clock.advance(1000);
  expect(await asked).toBe("outcome-unknown");
  expect(page.calls()).toHaveLength(1);
});

test("stored values are validated, and a window without storage works", async () => {
  for (const text of ["{", "[]", '{"origin":7}', JSON.stringify({ origin: "https://evil.example", tools: [] })]) {
    const world = makeWorld();
    world.kept.set("pagewire-parent", text);
    world.kept.set("pagewire-parent-calls", '[["x y","running"],7,["a","odd"]]');
    expect(world.load().link.state).toEqual({ kind: "waiting" });
    expect(world.page.sent).toEqual([]);
  }
  const { load, page } = makeWorld();
  const forbidden = () => {
    throw new Error("storage is forbidden");
  };
  const { link } = load({ storage: { getItem: forbidden, setItem: forbidden } });
  page.offer(salesTool);
  const asked = link.callTool(call.name, call.args);
  page.answer(page.calls()[0]?.call_id ?? "", 1);
  expect(await asked).toBe(1);
});

test("PL14: when the page's window closes, running calls are unknown, waiting ones not delivered, and the tools are gone", async () => {
  const { world, page, link, clock } = await overPort();
  const ran = codeOf(link.callTool(call.name, call.args));
  await callsOverPort(page, 1);
  await sayBye(page, clock);
  const waited = codeOf(link.callTool(call.name, call.args));
  page.closed = true;
  await clock.advance(1000);
  expect(link.state).toEqual({ kind: "lost", origin: shop, reason: "closed" });
  expect([await ran, await waited, link.tools]).toEqual(["outcome-unknown", "not-delivered", []]);
  expect(await codeOf(link.callTool(call.name, call.args))).toBe("not-delivered");
  world.opener = null;
  await clock.advance(1000);
  expect(link.state.kind).toBe("lost");
});

test("PL14: a page of another allowed origin in the parent's place is a new parent", async () => {
  const world = makeWorld();
  world.allowed = [shop, "https://bank.example"];
  const { link, tools } = world.load();
  world.page.offer(salesTool);
  const ran = codeOf(link.callTool(call.name, call.args));
  world.page.origin = "https://bank.example";
  world.page.say({ type: "ping" });
  expect(await ran).toBe("outcome-unknown");
  expect(link.state).toEqual({ kind: "connected", origin: "https://bank.example", via: "window" });
  expect(tools.at(-1)).toEqual([]);
});

test("a page whose window another page took over is notified, over its last transport", async () => {
  const { world, page, link, self, clock } = await overPort();
  const next = new FakeParent(self);
  world.opener = next;
  const ran = codeOf(link.callTool(call.name, call.args));
  await clock.advance(1000);
  expect(link.state).toEqual({ kind: "waiting" });
  expect(await ran).toBe("outcome-unknown");
  await vi.waitFor(() => expect(payloadsOf(page.overPort, "parent_replaced")).toHaveLength(1));
  next.offer(salesTool);
  expect(link.tools).toEqual([salesTool]);
  page.say({ type: "ping" });
  expect(payloadsOf(page.sent, "parent_replaced")).toHaveLength(1);
});

test("a page whose window is reloaded by the one that took it over is notified before the document unloads", async () => {
  const { world, page, link, self, kept } = await overPort();
  const ran = codeOf(link.callTool(call.name, call.args));
  await callsOverPort(page, 1);
  world.opener = new FakeParent(self);
  self.dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(payloadsOf(page.overPort, "parent_replaced")).toHaveLength(1));
  expect(await ran).toBe("outcome-unknown");
  expect([...kept.values()].join()).not.toContain(shop);
});

test("only a page of an allowed origin is notified, and only when it greets", () => {
  const { load, page, self } = makeWorld();
  load();
  page.say({ type: "ping" });
  const stranger = new FakeParent(self, "https://evil.example");
  stranger.say({ type: "ping" });
  const frame = new FakeParent(self);
  frame.say({ type: "inject_message", payload: { message: "?" } });
  expect([stranger.sent, frame.sent]).toEqual([[], []]);
});

test("PL19: a page that leaves is lost after three seconds, and found again with its next message", async () => {
  const { page, link, clock, states } = await overPort();
  await sayBye(page, clock);
  await clock.advance(3000);
  expect(link.state).toEqual({ kind: "lost", origin: shop, reason: "left" });
  expect(link.tools).toEqual([]);
  page.offer(salesTool);
  expect([states.at(-1), link.tools]).toEqual([viaWindow, [salesTool]]);
});

test("PL19: a background page that sends once a minute is not lost; one that is silent longer is", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  for (let minute = 0; minute < 5; minute++) {
    await clock.advance(60_000);
    expect(link.state).toEqual(viaWindow);
    page.say({ type: "ping" });
  }
  await clock.advance(75_000);
  expect(link.state).toEqual({ kind: "lost", origin: shop, reason: "silent" });
  const asked = link.callTool(call.name, call.args);
  page.answer(page.calls()[0]?.call_id ?? "", "only slow");
  expect(await asked).toBe("only slow");
  expect(link.state).toEqual(viaWindow);
});

test("PL19: a page is not silent while this window is frozen", async () => {
  const { load, page, clock } = makeWorld();
  let slept = 0;
  const { link, states } = load({ clock: { ...clock, now: () => clock.now() + slept, after: clock.after } });
  page.offer(salesTool);
  slept = 600_000;
  await clock.advance(1000);
  page.say({ type: "ping" });
  slept *= 2;
  page.say({ type: "ping" });
  expect([states, link.state]).toEqual([[viaWindow], viaWindow]);
});

test("PL12: running calls are not repeated when the page's tools change", async () => {
  const { page, port, link, tools } = await overPort();
  const asked = link.callTool(call.name, call.args);
  const [sent] = await callsOverPort(page, 1);
  port.postMessage({ type: "tools_list", payload: { tools: [] } });
  await vi.waitFor(() => expect(tools.at(-1)).toEqual([]));
  port.postMessage({ type: "tool_response", payload: { call_id: sent?.call_id, success: true, result: "once" } });
  expect(await asked).toBe("once");
  expect(page.calls(page.overPort)).toHaveLength(1);
});

test("a closed link leaves no timer, port or listener behind", async () => {
  const { page, link, clock, kept } = await overPort();
  page.say({ type: "ping" });
  page.givePort();
  void link.callTool(call.name, call.args, { callId: "request-1" }).catch(() => {});
  link.close();
  expect([clock.pending, kept.get("pagewire-parent-calls")]).toEqual([0, expect.stringContaining("request-1")]);
});
