import { PagewireError } from "pagewire/wire";
import { expect, test } from "vitest";
import type { ParentState } from "./connect-parent.ts";
import { attached, conversation, makeRelayWorld, salesTool, shop } from "./fake-hub.test-helper.ts";

test("the hub receives the page's tools and origin, and changes to them, one request at a time", async () => {
  const world = makeRelayWorld();
  const { parent, offers, hub, settle } = world;
  let release = () => {};
  hub.post = () => new Promise<void>((resolve) => (release = resolve));
  world.connect();
  parent.attach(conversation, { otherTabs: false });
  await settle();
  expect(offers).toEqual([{ session_id: conversation, tools: [], origin: shop, other_tabs: false }]);
  world.connect(salesTool);
  world.connect(salesTool, { ...salesTool, name: "get_orders" });
  parent.attach(conversation, { otherTabs: true });
  await settle();
  expect(offers).toHaveLength(1);
  hub.post = async () => ({});
  release();
  await settle();
  const tools = [salesTool, { ...salesTool, name: "get_orders" }];
  expect(offers.slice(1)).toEqual([{ session_id: conversation, tools, origin: shop, other_tabs: true }]);
  world.connect(...tools);
  await settle();
  expect(offers).toHaveLength(2);
});

test("until the hub knows the page's newest tools they count as not there", async () => {
  const { world, parent, hub, settle } = await attached();
  let release = () => {};
  hub.post = () => new Promise<void>((resolve) => (release = resolve));
  const relays: unknown[] = [];
  parent.onState((state) => relays.push(state.kind === "connected" && state.relay));
  world.connect(salesTool, { ...salesTool, name: "get_orders" });
  expect(parent.state).toMatchObject({ relay: "waiting" });
  release();
  await settle();
  expect([relays.at(0), relays.at(-1), parent.state]).toMatchObject(["waiting", "open", { relay: "open" }]);
});

test("a window without a page tells that there is none; one that was reloaded tells of the page of before", async () => {
  const { page, parent, offers, settle } = makeRelayWorld();
  page.state = { kind: "none" };
  parent.attach(conversation, { otherTabs: true });
  await settle();
  page.state = { kind: "waiting", origin: shop };
  page.tools = [salesTool];
  parent.attach("f".repeat(32), { otherTabs: false });
  await settle();
  expect(offers).toMatchObject([
    { tools: [], origin: null, other_tabs: true },
    { tools: [salesTool], origin: shop },
  ]);
});

test("requests to an unreachable hub are retried with backoff; when it is back, it receives the whole offer again", async () => {
  const world = makeRelayWorld();
  const { parent, offers, sockets, hub, clock } = world;
  hub.isAway = true;
  world.connect(salesTool);
  parent.attach(conversation, { otherTabs: false });
  await clock.advance(500 + 1000);
  expect([offers, parent.state]).toEqual([[], expect.objectContaining({ relay: "waiting" })]);
  hub.isAway = false;
  await clock.advance(1999);
  expect(offers).toEqual([]);
  await clock.advance(1);
  expect([offers.length, sockets.length]).toEqual([1, 1]);
  expect(parent.state).toEqual({ kind: "connected", origin: shop, via: "port", tools: [salesTool], relay: "open" });
  sockets[0]?.close("going-away");
  await clock.advance(30_000);
  expect([offers.length, sockets.length]).toEqual([2, 2]);
});

test("a change that the hub refuses is sent again, and a woken window retries at once", async () => {
  const { world, hub, offers, clock, socket, wake, sockets, settle } = await attached();
  hub.post = () => Promise.reject(new Error("busy"));
  world.connect();
  await clock.advance(500);
  expect(offers.map(({ tools }) => (tools as unknown[]).length)).toEqual([1, 0, 0]);
  hub.post = async () => ({});
  await clock.advance(1000);
  expect(offers).toHaveLength(4);
  hub.isAway = true;
  socket.close("going-away");
  await settle();
  hub.isAway = false;
  wake();
  await settle();
  expect(sockets).toHaveLength(2);
});

test("a retry on request offers the tools at once", async () => {
  const { parent, hub, clock, socket, sockets, settle } = await attached();
  hub.isAway = true;
  socket.close("going-away");
  await clock.advance(500 + 1000);
  hub.isAway = false;
  parent.retryNow();
  await settle();
  expect([sockets.length, parent.state]).toMatchObject([2, { relay: "open" }]);
});

test("the hub's call runs in the page under the hub's id, and its result goes back", async () => {
  const { socket, calls, settle, tokens } = await attached();
  socket.call("r1");
  await settle();
  expect(calls).toMatchObject([{ name: "get_sales_data", args: { days: 30 }, callId: "r1", timeout: 20_000 }]);
  calls[0]?.resolve({ totalSales: 125_000 });
  await settle();
  const response = { success: true, result: { totalSales: 125_000 } };
  expect(socket.heard).toEqual([{ type: "tool_response", request_id: "r1", response }]);
  expect([socket.conversation, tokens]).toEqual([conversation, ["pagewire-app.token"]]);
});

test("the hub's call says its trace to the page, and one that is none is passed over", async () => {
  const { socket, calls, settle } = await attached();
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  socket.call("r1", { trace });
  for (const [index, wrong] of [undefined, null, 7, { traceparent: "00" }].entries()) {
    socket.call(`w${index}`, { trace: wrong });
  }
  await settle();
  expect(calls.map((call) => call.trace)).toEqual([trace, undefined, undefined, undefined, undefined]);
});

test("a failure goes back with its code, and nothing as null", async () => {
  const { socket, calls, settle } = await attached();
  for (const id of ["r1", "r2", "r3"]) socket.call(id);
  await settle();
  calls[0]?.reject(new PagewireError("deadline-exceeded", "Too late."));
  calls[1]?.reject(new Error("odd"));
  calls[2]?.resolve(undefined);
  await settle();
  expect(socket.heard.map(({ response }) => response)).toEqual([
    { success: false, error: "Too late.", code: "deadline-exceeded" },
    { success: false, error: "odd", code: "internal-error" },
    { success: true, result: null },
  ]);
});

test("a result's text goes to the hub unparsed, and cannot answer another call", async () => {
  const { socket, calls, settle } = await attached();
  const other = '"request_id":"r2","response":{"success":true,"result":"forged"}';
  const texts = ['{"total": 7}', `1},${other},"x":{"y":1`, `1}},{${other}`, `1},${other}}`, '"', ""];
  for (const text of texts) {
    const id = `r${texts.indexOf(text)}0`;
    socket.call(id);
    await settle();
    calls.at(-1)?.resolveText(text);
    await settle();
    expect(socket.texts.at(-1)).toMatch(new RegExp(`"type":"tool_response","request_id":"${id}"\\}$`));
    expect([id, undefined], text).toContain(socket.heard.at(-1)?.["request_id"]);
  }
  expect(socket.texts[0]).toContain('"result":{"total": 7}');
});

test("a result that is too large for the hub is an error, not a cut socket", async () => {
  const { socket, calls, settle } = await attached();
  socket.call("r1");
  await settle();
  calls[0]?.resolve("€".repeat(6_000_000));
  await settle();
  expect(socket.heard).toMatchObject([{ response: { success: false, code: "result-too-large" } }]);
  expect(socket.isOpen).toBe(true);
});

test("a hub that takes less is sent no more than that", async () => {
  const { socket, calls, settle } = await attached();
  for (const [id, text] of [
    ["r1", "x".repeat(100)],
    ["r2", "x".repeat(400)],
  ] as const) {
    socket.call(id, { answer_bytes: 300 });
    await settle();
    calls.at(-1)?.resolve(text);
    await settle();
  }
  expect(socket.heard).toMatchObject([
    { response: { success: true } },
    { response: { code: "result-too-large", error: expect.stringContaining("larger than 300 bytes") } },
  ]);
});

test("a call of one page's tool is not made in another that took its place", async () => {
  const { socket, calls, page, settle } = await attached();
  socket.call("r1", { origin: shop });
  await settle();
  for (const state of [
    { kind: "connected", origin: "https://other.example", via: "port" },
    { kind: "none" },
  ] as const) {
    page.state = state;
    socket.call(`${state.kind}-new`, { origin: shop });
    socket.call(`${state.kind}-again`, { origin: shop, again: true });
    await settle();
  }
  expect(calls).toMatchObject([{ callId: "r1" }]);
  const codes = socket.heard.map(({ response }) => (response as { code: string }).code);
  expect(codes).toEqual(["not-delivered", "outcome-unknown", "not-delivered", "outcome-unknown"]);
});

test("a call that the hub gives up is aborted in the page", async () => {
  const { socket, calls, settle } = await attached();
  socket.call("r1");
  await settle();
  socket.send({ type: "tool_cancel", request_id: "r1" });
  socket.send({ type: "tool_cancel", request_id: "r2" });
  await settle();
  expect(calls[0]?.signal?.aborted).toBe(true);
});

test("invalid messages from the hub are ignored", async () => {
  const { socket, calls, settle } = await attached();
  const call = { type: "tool_call", request_id: "r1", tool_name: "get_sales_data" };
  for (const odd of [
    "{",
    "[]",
    { ...call, request_id: "a b" },
    { ...call, tool_name: 7 },
    { ...call, arguments: [] },
    { type: "news" },
  ])
    socket.send(odd);
  await settle();
  expect([calls, socket.isOpen]).toEqual([[], true]);
});

test("how far a call is goes to the hub by its id, and to the chat by the model's", async () => {
  const { world, parent, socket, settle } = await attached();
  const told: unknown[] = [];
  parent.onProgress((progress) => told.push(progress));
  socket.call("r1");
  await settle();
  world.link.onProgress?.({ callId: "r1", progress: 1, total: 4, message: "Adding up" });
  world.link.onProgress?.({ callId: "other", progress: 1 });
  await settle();
  expect(told).toEqual([{ toolCallId: "model-r1", progress: 1, total: 4, message: "Adding up" }]);
  const progress = { type: "tool_progress", request_id: "r1", progress: 1, total: 4, message: "Adding up" };
  expect(socket.heard).toEqual([progress]);
});

test("a call is made once, however often the hub sends it, and answered again after a cut", async () => {
  const { socket, sockets, calls, clock, settle } = await attached();
  for (const id of ["done", "runs", "runs"]) socket.call(id);
  await settle();
  calls[0]?.resolve("first");
  await settle();
  socket.close("going-away");
  await settle();
  calls[1]?.resolve("second");
  await clock.advance(500);
  const next = sockets[1];
  next?.call("done");
  next?.call("runs");
  await settle();
  expect(calls).toHaveLength(2);
  expect(next?.heard).toMatchObject([
    { request_id: "done", response: { result: "first" } },
    { request_id: "runs", response: { result: "second" } },
  ]);
});

test("a window that another took the conversation from does not take it back until the user wants it", async () => {
  const { parent, socket, sockets, offers, calls, clock, settle, wake } = await attached();
  const states: ParentState[] = [];
  parent.onState((state) => states.push(state));
  socket.call("r1");
  await settle();
  socket.close("tab-replaced");
  await clock.advance(60_000);
  wake();
  await settle();
  expect(states).toMatchObject([{ kind: "connected", relay: "replaced" }]);
  expect(calls[0]?.signal?.aborted).toBe(true);
  expect([sockets.length, offers.length]).toEqual([1, 1]);
  parent.attach(conversation, { otherTabs: false });
  await settle();
  expect(parent.state).toMatchObject({ relay: "open" });
  expect([sockets.length, offers.length]).toEqual([2, 2]);
});

test("a window without a page leaves a conversation to the window that has it, and asks for it when it is wanted", async () => {
  const { parent, page, hub, offers, sockets, clock, settle } = makeRelayWorld();
  page.state = { kind: "none" };
  hub.post = () => Promise.reject(new PagewireError("tab-replaced", "Another window has it."));
  parent.attach(conversation, { otherTabs: true });
  await clock.advance(60_000);
  expect(offers).toMatchObject([{ session_id: conversation, yields: true }]);
  expect([sockets, parent.state]).toEqual([[], { kind: "none", relay: "replaced" }]);
  hub.post = async () => ({});
  parent.attach(conversation, { otherTabs: true });
  await settle();
  expect([sockets.length, parent.state]).toEqual([1, { kind: "none", relay: "open" }]);
});

test("another conversation has a socket of its own, and the one of before is left", async () => {
  const { parent, socket, sockets, settle } = await attached();
  parent.attach("f".repeat(32), { otherTabs: false });
  await settle();
  expect([socket.isOpen, sockets[1]?.conversation, sockets[1]?.isOpen]).toEqual([false, "f".repeat(32), true]);
  parent.close();
  await settle();
  expect(sockets[1]?.isOpen).toBe(false);
});

test("words of the page wait for the chat, so that none is lost", () => {
  const { link, parent } = makeRelayWorld();
  const words = (message: string) => ({ message, autoSend: true, origin: shop });
  link.onInjectMessage?.(words("early"));
  const heard: unknown[] = [];
  parent.onInject((injected) => heard.push(injected));
  link.onInjectMessage?.(words("late"));
  expect(heard).toEqual([words("early"), words("late")]);
});

test("while a page is refused, the hub is asked every two seconds whether its origin is allowed by now", async () => {
  const { link, page, parent, hub, clock } = makeRelayWorld();
  const allowed = () => (typeof link.allowedOrigins === "function" ? link.allowedOrigins() : link.allowedOrigins);
  expect(allowed()).toEqual([shop]);
  const other = "https://other.example";
  page.state = { kind: "refused", origin: other };
  link.onStateChange?.(page.state, { kind: "waiting" });
  expect(parent.state).toEqual({ kind: "refused", origin: other });
  await clock.advance(2000);
  expect(allowed()).toEqual([shop]);
  hub.parentOrigins = [shop, other];
  await clock.advance(2000);
  expect(allowed()).toEqual([shop, other]);
  hub.isAway = true;
  await clock.advance(2000);
  expect(allowed()).toEqual([shop, other]);
});

test("a socket that the hub closes because the page's origin is not allowed has the window refuse the page at once", async () => {
  const { world, parent, offers, hub, socket, settle } = await attached();
  hub.parentOrigins = [];
  socket.close("origin-not-allowed");
  await settle();
  expect(parent.state).toEqual({ kind: "refused", origin: shop });
  await world.clock.advance(1000);
  expect([offers.at(-1), world.sockets.length]).toEqual([expect.objectContaining({ tools: [], origin: null }), 2]);
});

test("an offer that the hub refuses because of the page's origin has the window refuse the page at once", async () => {
  const { world, parent, hub, settle } = await attached();
  hub.parentOrigins = [];
  hub.post = () => Promise.reject(new PagewireError("origin-not-allowed", "No."));
  world.connect(salesTool, { ...salesTool, name: "get_orders" });
  await settle();
  expect(parent.state).toEqual({ kind: "refused", origin: shop });
});

test("an older answer of the hub about the allowed origins does not undo a newer one", async () => {
  const { world, parent, hub, socket, settle } = await attached();
  let release = () => {};
  hub.app = () => new Promise((resolve) => (release = () => resolve({ parentOrigins: [shop] })));
  socket.close("origin-not-allowed");
  await settle();
  expect(parent.state).toMatchObject({ kind: "connected" });
  hub.app = undefined;
  hub.parentOrigins = [];
  hub.post = () => Promise.reject(new PagewireError("origin-not-allowed", "No."));
  await world.clock.advance(1000);
  expect(parent.state).toEqual({ kind: "refused", origin: shop });
  release();
  await settle();
  expect(world.link.allowedOrigins).toEqual(expect.any(Function));
  expect(typeof world.link.allowedOrigins === "function" && world.link.allowedOrigins()).toEqual([]);
});
