import { expect, test, vi } from "vitest";
import { codeOf, FakeParent, makeWorld, payloadsOf, salesTool, shop } from "./fake-parent.test-helper.ts";

const call = { name: "get_sales_data", args: { days: 30 } };

test("a window without a parent page has nothing to call", async () => {
  const world = makeWorld();
  world.opener = null;
  const { link } = world.load();
  expect([link.state, link.tools]).toEqual([{ kind: "none" }, []]);
  expect(await codeOf(link.callTool("get_sales_data", {}))).toBe("not-delivered");
});

test("the tools of an allowed page are adopted and called, in the seed's messages", async () => {
  const { load, page } = makeWorld();
  const { link, states, tools } = load();
  expect(link.state).toEqual({ kind: "waiting" });
  page.offer(salesTool);
  expect(states).toEqual([{ kind: "connected", origin: shop, via: "window" }]);
  expect([link.tools, tools]).toEqual([[salesTool], [[salesTool]]]);
  const asked = link.callTool(call.name, call.args);
  const [sent] = page.calls();
  expect(sent).toMatchObject({ tool_name: "get_sales_data", arguments: { days: 30 }, until: 30_000 });
  page.answer(sent?.call_id ?? "", { period: "Last 30 days" });
  expect(await asked).toEqual({ period: "Last 30 days" });
  page.offer();
  expect(link.tools).toEqual([]);
});

test("a call sends its trace to the page, if it has one", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const asked = [link.callTool(call.name, {}, { trace }), link.callTool(call.name, {})];
  const calls = page.calls();
  expect(calls[0]).toMatchObject({ trace });
  expect(calls[1]).not.toHaveProperty("trace");
  for (const { call_id } of calls) page.answer(call_id, {});
  await Promise.all(asked);
});

test("PL2: messages from other origins, other windows, and frames in the parent page are ignored", async () => {
  const { load, page, self } = makeWorld();
  const { link } = load();
  const frame = new FakeParent(self);
  const list = { type: "tools_list", payload: { tools: [salesTool] } };
  frame.say(list);
  page.say(list, { source: null });
  expect(link.state).toEqual({ kind: "waiting" });
  const alike = [
    "https://shop.example.evil.test",
    "https://a.shop.example",
    "http://shop.example",
    "https://shop.example:444",
  ];
  for (const origin of [...alike, "null", "https://SHOP.example", ""]) {
    page.say(list, { origin });
    expect([link.state, link.tools]).toEqual([{ kind: "refused", origin }, []]);
  }
  page.offer(salesTool);
  expect(link.tools).toEqual([salesTool]);
  expect(page.targetOrigins.every((origin) => origin === shop)).toBe(true);
});

test("PL2: a page with an opaque origin is refused even if `null` is on the list", () => {
  const world = makeWorld();
  world.allowed = ["null"];
  const { link } = world.load();
  world.page.say({ type: "ping" }, { origin: "null" });
  expect(link.state).toEqual({ kind: "refused", origin: "null" });
});

test("PL3: a refused page gets no answer, is named, and connects with its next message once it is allowed", async () => {
  const world = makeWorld();
  world.allowed = [];
  const { link, states } = world.load();
  world.page.say({ type: "ping", payload: {} });
  world.page.say({ type: "ping", payload: {} });
  expect(states).toEqual([{ kind: "refused", origin: shop }]);
  expect(world.page.sent).toEqual([]);
  expect(await codeOf(link.callTool("get_sales_data", {}))).toBe("origin-not-allowed");
  world.allowed = [shop];
  world.page.say({ type: "ping", payload: {} });
  expect(link.state).toEqual({ kind: "connected", origin: shop, via: "window" });
});

test("PL3: a connected page whose origin is taken off the list is refused, and its calls end", async () => {
  const world = makeWorld();
  const { link } = world.load();
  world.page.offer(salesTool);
  const running = link.callTool(call.name, call.args);
  world.allowed = [];
  world.page.say({ type: "ping" });
  expect([link.state, link.tools]).toEqual([{ kind: "refused", origin: shop }, []]);
  expect(await codeOf(running)).toBe("outcome-unknown");
});

test("PL3: a refused page is connected as soon as its origin is allowed again", () => {
  const world = makeWorld();
  const { link } = world.load();
  world.page.say({ type: "ping", payload: {} });
  world.allowed = [];
  link.checkOrigin();
  expect(link.state).toEqual({ kind: "refused", origin: shop });
  const before = world.page.sent.length;
  link.checkOrigin();
  expect(world.page.sent.length).toBe(before);
  world.allowed = [shop];
  link.checkOrigin();
  expect(world.page.sent.slice(before)).toMatchObject([{ type: "agent_ready" }]);
});

test("PL4: an invalid message is reported, and the next ones are handled", () => {
  const { load, page } = makeWorld();
  const { link, problems } = load();
  page.offer(salesTool);
  page.say({ type: "tools_list", payload: { tools: "none" } });
  page.say({ type: "inject_message", payload: { message: 7 } });
  page.say({ type: "tools_list", payload: { tools: [{ name: "bad name" }, salesTool] } });
  page.say({ type: "strange" });
  page.say("ping");
  expect(problems).toHaveLength(3);
  expect(link.tools).toEqual([salesTool]);
});

test("PL5: a ping is answered with its time, over the same transport", async () => {
  const { load, page, clock } = makeWorld();
  load();
  page.say({ type: "ping", payload: { timestamp: 17 } });
  page.say({ type: "ping" });
  expect(payloadsOf(page.sent, "pong")).toEqual([{ timestamp: 17 }, {}]);
  const port = page.givePort();
  port.postMessage({ type: "ping", payload: { timestamp: 18 } });
  await vi.waitFor(() => expect(payloadsOf(page.overPort, "pong")).toEqual([{ timestamp: 18 }]));
  expect(clock.now()).toBe(0);
});

test("a handler's error comes with its code; another vendor's page has no codes", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const fail = (failure: object) => {
    const asked = link.callTool(call.name, call.args);
    page.say({ type: "tool_response", payload: { call_id: page.calls().at(-1)?.call_id, success: false, ...failure } });
    return asked;
  };
  await expect(fail({ error: "Out of stock" })).rejects.toMatchObject({
    code: "handler-failed",
    message: "Out of stock",
  });
  await expect(fail({ error: "No days", code: "input-invalid" })).rejects.toMatchObject({ code: "input-invalid" });
  await expect(fail({ error: "?", code: "made-up" })).rejects.toMatchObject({ code: "handler-failed" });
  await expect(fail({})).rejects.toMatchObject({ message: "The tool failed and did not say why." });
  const unreadable = fail({ success: true, result: new Map() });
  await expect(unreadable).rejects.toMatchObject({ code: "result-unsendable" });
});

test("a tool that the page does not offer is refused, and the error lists its tools", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  await expect(link.callTool("get_sales", {})).rejects.toMatchObject({
    code: "tool-not-found",
    message: 'The parent page offers no tool "get_sales". It offers: get_sales_data.',
  });
  expect(page.calls()).toEqual([]);
});

test("a call before the page's first message waits for it", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  const asked = link.callTool(call.name, call.args);
  page.say({ type: "ping" });
  expect(page.calls()).toEqual([]);
  page.offer(salesTool);
  page.answer(page.calls()[0]?.call_id ?? "", 5);
  expect(await asked).toBe(5);
});

test("calls beyond the max running at a time are refused", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const calls = Array.from({ length: 129 }, () => codeOf(link.callTool(call.name, call.args)));
  expect(await calls[128]).toBe("calls-too-many");
  expect(page.calls()).toHaveLength(128);
});

test("PL9: a call ends after 30 seconds, or its own timeout, and the page receives a cancel", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const usual = codeOf(link.callTool(call.name, call.args));
  const own = codeOf(link.callTool(call.name, call.args, { timeout: 100 }));
  await clock.advance(100);
  expect(await own).toBe("deadline-exceeded");
  await clock.advance(29_899);
  expect(payloadsOf(page.sent, "tool_cancel")).toEqual([{ call_id: page.calls()[1]?.call_id }]);
  await clock.advance(1);
  expect(await usual).toBe("deadline-exceeded");
  expect(payloadsOf(page.sent, "tool_cancel")).toHaveLength(2);
});

test("PL9: the default timeout of calls can be set", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load({ timeout: 2000 });
  page.offer(salesTool);
  const asked = codeOf(link.callTool(call.name, call.args));
  await clock.advance(2000);
  expect(await asked).toBe("deadline-exceeded");
});

test("PL9: the error of a call that never reached the page has that", async () => {
  const { load, clock } = makeWorld();
  const { link } = load();
  const asked = codeOf(link.callTool(call.name, call.args));
  await clock.advance(30_000);
  expect(await asked).toBe("not-delivered");
});

test("an aborted call ends at once, and the page receives a cancel", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const stop = new AbortController();
  const asked = codeOf(link.callTool(call.name, call.args, { signal: stop.signal }));
  stop.abort();
  expect(await asked).toBe("cancelled");
  const [sent] = page.calls();
  expect(payloadsOf(page.sent, "tool_cancel")).toEqual([{ call_id: sent?.call_id }]);
  page.answer(sent?.call_id ?? "", "late");
  expect(await codeOf(link.callTool(call.name, call.args, { signal: stop.signal }))).toBe("cancelled");
  expect(page.calls()).toHaveLength(1);
});

test("PL11: answers with guessed or used ids, or of another window or origin, are ignored", async () => {
  const world = makeWorld();
  const { link } = world.load();
  const { page } = world;
  page.offer(salesTool);
  const first = link.callTool(call.name, call.args);
  const id = page.calls()[0]?.call_id ?? "";
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const answer = { type: "tool_response", payload: { call_id: id, success: true, result: "forged" } };
  new FakeParent(world.self).say(answer);
  page.answer("call_1", "guessed");
  page.answer(id, "true");
  expect(await first).toBe("true");
  page.answer(id, "replayed");
  const second = link.callTool(call.name, call.args);
  page.answer(id, "replayed");
  page.answer(page.calls()[1]?.call_id ?? "", "second");
  expect(await second).toBe("second");
  const third = codeOf(link.callTool(call.name, call.args));
  const third_id = page.calls()[2]?.call_id;
  page.say(
    { type: "tool_response", payload: { call_id: third_id, success: true } },
    { origin: "https://evil.example" },
  );
  expect(await third).toBe("outcome-unknown");
});

test("PL11: a page cannot answer a call that it never received", async () => {
  const world = makeWorld();
  const { link } = world.load();
  const asked = link.callTool(call.name, call.args, { callId: "request-1" });
  world.page.answer("request-1", "guessed");
  world.page.offer(salesTool);
  world.page.answer("request-1", "true");
  expect(await asked).toBe("true");
});

test("an injected message is an event of the window and a callback, with its origin", () => {
  const { load, page, self } = makeWorld();
  const { injected } = load();
  const events: unknown[] = [];
  self.addEventListener("parent-inject-message", (event) => events.push((event as CustomEvent).detail));
  page.say({ type: "inject_message", payload: { message: "Sales?", autoSend: true } });
  page.say({ type: "inject_message", message: "Stock?" });
  expect(events).toEqual([
    { message: "Sales?", autoSend: true },
    { message: "Stock?", autoSend: false },
  ]);
  expect(injected).toEqual([
    { message: "Sales?", autoSend: true, origin: shop },
    { message: "Stock?", autoSend: false, origin: shop },
  ]);
});

test("only the progress of a running call is reported", async () => {
  const { load, page } = makeWorld();
  const { link, progress } = load();
  page.offer(salesTool);
  const asked = link.callTool(call.name, call.args, { callId: "request-1" });
  const tell = (call_id: string, value: number) =>
    page.say({ type: "tool_progress", payload: { call_id, progress: value, total: 4, message: "Adding up" } });
  tell("request-1", 1);
  tell("request-2", 1);
  page.answer("request-1", null);
  await asked;
  tell("request-1", 2);
  expect(progress).toEqual([{ callId: "request-1", progress: 1, total: 4, message: "Adding up" }]);
});

test("the page is notified when a script closes the window or a link navigates it, but not when it may be a reload", () => {
  const goodbyes = (happen: (self: ReturnType<typeof makeWorld>["self"]) => void) => {
    const { load, page, self } = makeWorld();
    load();
    page.say({ type: "ping" });
    happen(self);
    self.dispatchEvent(new Event("pagehide"));
    return payloadsOf(page.sent, "agent_bye").length;
  };
  const navigate =
    (url: string, more: object = {}) =>
    (self: ReturnType<typeof makeWorld>["self"]) => {
      const event = {
        navigationType: "push",
        downloadRequest: null,
        destination: { url, sameDocument: false },
        ...more,
      };
      self.navigation.dispatchEvent(Object.assign(new Event("navigate"), event));
    };
  expect(goodbyes((self) => (self.closed = true))).toBe(1);
  expect(goodbyes(navigate("https://elsewhere.example/"))).toBe(1);
  expect(goodbyes(() => {})).toBe(0);
  expect(goodbyes(navigate("https://hub.example/", { navigationType: "reload" }))).toBe(0);
  expect(goodbyes(navigate("https://hub.example/?again"))).toBe(0);
  expect(goodbyes(navigate("https://hub.example/file.csv", { downloadRequest: "" }))).toBe(0);
  expect(
    goodbyes(
      navigate("https://hub.example/other", { destination: { url: "https://hub.example/other", sameDocument: true } }),
    ),
  ).toBe(0);
});

test("closing the link ends the running calls, and may be done twice", async () => {
  const { load, page, clock } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const running = codeOf(link.callTool(call.name, call.args));
  link.close();
  link.close();
  expect(await running).toBe("outcome-unknown");
  expect(await codeOf(link.callTool(call.name, call.args))).toBe("not-delivered");
  page.say({ type: "ping" });
  expect([payloadsOf(page.sent, "pong"), clock.pending]).toEqual([[], 0]);
});

test("arguments that are not JSON are refused before anything is sent", async () => {
  const { load, page } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  const self: Record<string, unknown> = {};
  self["self"] = self;
  for (const args of [{ many: 1n }, self, [], null, { text: "x".repeat(17_000_000) }]) {
    expect(await codeOf(link.callTool(call.name, args as never))).toBe("arguments-malformed");
  }
  expect(page.calls()).toEqual([]);
});

test("a page that sends its title with the port is known by it, and one that sends none by its origin", () => {
  const { page, load } = makeWorld();
  const { link } = load();
  page.offer(salesTool);
  page.givePort(undefined, { title: "Sales" });
  expect(link.state).toEqual({ kind: "connected", origin: shop, via: "port", title: "Sales" });
});
