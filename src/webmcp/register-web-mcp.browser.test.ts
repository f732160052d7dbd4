// The adapter in a page, with real servers of other origins: with the browser's own model context if it has one, and
// else with the API that earlier browsers had at navigator.
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { serve } from "../mcp-client/served.test-helper.ts";
import type { ServedServer } from "../mcp-client/served.test-helper.ts";
import { createBrowserAgent } from "./agent-of-browser.test-helper.ts";
import { errorSpy, register, syncSpy } from "./bridge.test-helper.ts";

const eras = ["legacy", "modern"] as const;

/** How often a client started to listen. */
const listening = async (server: ServedServer): Promise<number> =>
  (await server.count("GET")) + (await server.count("subscriptions/listen"));

describe.each(eras)("a server of the %s era", (era) => {
  test("its tools are called by the browser's agent, and dispose leaves nothing, here or there", async () => {
    const agent = createBrowserAgent();
    const server = await serve({ era });
    const handle = await register({ url: server.url, prefix: "shop." });
    expect(handle.tools).toEqual(["shop.echo", "shop.hold", "shop.sales"]);
    expect(await agent.names()).toEqual(handle.tools);
    expect(await agent.call("shop.echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    const running = agent.call("shop.hold");
    await expect.poll(async () => (await server.look()).held).toBe(1);
    await handle.dispose();
    expect(await running).toEqual({ text: expect.stringContaining("disposed") as string, isError: true });
    expect(await agent.names()).toEqual([]);
    await expect.poll(async () => (await server.look()).aborted).toBe(1);
    expect((await server.look()).sessions).toEqual([]);
    expect(await server.count("DELETE")).toBe(era === "legacy" ? 1 : 0);
  });

  test("a call that the browser's agent cancels is cancelled at the server", async () => {
    const agent = createBrowserAgent();
    const server = await serve({ era });
    await register({ url: server.url });
    const cancel = new AbortController();
    const running = agent.call("hold", {}, cancel.signal);
    await expect.poll(async () => (await server.look()).held).toBe(1);
    cancel.abort(new Error("never mind"));
    await expect(running).rejects.toThrow("never mind");
    await expect.poll(async () => (await server.look()).aborted).toBe(1);
  });

  test("only what changed at the server changes in the browser, and 200 refreshes are one reading", async () => {
    const agent = createBrowserAgent();
    const server = await serve({ era });
    // With a stream that opens late, the list is read before and after.
    const still = await register({ url: server.url, watch: false });
    expect(agent.changes()).toBe(3);
    const read = await server.count("tools/list");
    await Promise.all(Array.from({ length: 200 }, () => still.refresh()));
    expect([await server.count("tools/list"), agent.changes()]).toEqual([read + 1, 3]);
    await still.dispose();
    const handle = await register({ url: server.url });
    const before = agent.changes();
    await expect.poll(() => listening(server)).toBe(1);
    await server.change({ tools: ["late"] });
    await expect.poll(() => handle.tools.toSorted()).toEqual(["echo", "hold", "late", "sales"]);
    expect(await agent.names()).toEqual(handle.tools.toSorted());
    expect(agent.changes()).toBe(before + 1);
  });

  test("a server that dies in a call and is back again", async () => {
    const agent = createBrowserAgent();
    const server = await serve({ era });
    const onError = errorSpy();
    const handle = await register({ url: server.url, onError });
    const running = agent.call("hold");
    await expect.poll(async () => (await server.look()).held).toBe(1);
    const before = await listening(server);
    await server.stop();
    expect(await running).toEqual({ text: expect.stringContaining(server.url) as string, isError: true });
    expect(await agent.call("echo")).toEqual({ text: expect.stringContaining(server.url) as string, isError: true });
    expect(handle.tools).toHaveLength(3);
    await expect.poll(() => onError.mock.calls.length).toBe(1);
    await server.start();
    expect(await agent.call("echo", { text: "again" })).toEqual({ text: "again", isError: false });
    await expect.poll(() => listening(server)).toBeGreaterThan(before);
    await server.change({ tools: ["late"] });
    await expect.poll(() => handle.tools).toContain("late");
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test("an expired token is requested again", async () => {
    const agent = createBrowserAgent();
    const server = await serve({ era, tokens: ["one"] });
    let [token, next] = ["one", "one"];
    const getHeaders = () => {
      const given = { Authorization: `Bearer ${token}` };
      token = next;
      return given;
    };
    await register({ url: server.url, getHeaders, watch: false });
    next = "two";
    await server.change({ tokens: ["two"] });
    expect(await agent.call("echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    await server.change({ tokens: ["three"] });
    expect(await agent.call("echo")).toEqual({ text: expect.stringContaining("401") as string, isError: true });
  });

  test("it works without a notification stream, and a broken one is reopened", async () => {
    const agent = createBrowserAgent();
    const [without, cut] = [await serve({ era, statuses: { GET: 405 } }), await serve({ era })];
    const onError = errorSpy();
    const handle = await register({
      servers: [
        { url: without.url, prefix: "a." },
        { url: cut.url, prefix: "b." },
      ],
      onError,
    });
    expect(await agent.call("a.echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    expect(onError.mock.calls).toEqual([]);
    await expect.poll(() => listening(cut)).toBe(1);
    await cut.cut();
    await cut.change({ tools: ["late"] });
    await expect.poll(() => handle.tools).toContain("b.late");
  });
});

test("a call in a session that the server has forgotten is made in a new one", async () => {
  const agent = createBrowserAgent();
  const server = await serve({ era: "legacy" });
  await register({ url: server.url });
  await server.expire();
  expect(await agent.call("echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
});

test("the handle lists what the browser has, and no refusal is an unhandled rejection", async () => {
  const agent = createBrowserAgent();
  const unhandled = vi.fn<() => void>();
  addEventListener("unhandledrejection", unhandled);
  onTestFinished(() => removeEventListener("unhandledrejection", unhandled));
  const server = await serve({ tools: ["a/b", "with space", "x".repeat(129), "x".repeat(128)] });
  const first = await register({ url: server.url });
  const second = await register({ url: server.url });
  expect(first.tools.toSorted()).toEqual(await agent.names());
  expect(first.tools).toContain("x".repeat(128));
  expect(first.refused.map(({ name }) => name)).toEqual(["a/b", "with space", "x".repeat(129)]);
  expect([second.tools, second.refused.length]).toEqual([[], 7]);
  await second.dispose();
  expect(await agent.names()).toEqual(first.tools.toSorted());
  await new Promise((resolve) => setTimeout(resolve));
  expect(unhandled).not.toHaveBeenCalled();
});

test("with safeNames all of them are there, and each calls its own", async () => {
  const agent = createBrowserAgent();
  const server = await serve({ tools: ["a/b", "a_b", "x".repeat(129)] });
  const handle = await register({ servers: [{ url: server.url }, { url: server.url }], safeNames: true });
  expect(handle.refused).toEqual([]);
  expect(handle.tools).toHaveLength(12);
  expect(handle.tools.toSorted()).toEqual(await agent.names());
  expect(await agent.call("echo_2", { text: "hi" })).toEqual({ text: "hi", isError: false });
});

test("a relative address is taken from the page's origin, and a server that is not there rejects", async () => {
  const agent = createBrowserAgent();
  const asked = vi.fn<(url: string) => Response>(() => new Response("no", { status: 500 }));
  await expect(register({ url: "/mcp", fetch: async (input) => asked(String(input as URL)) })).rejects.toThrow("500");
  expect(asked).toHaveBeenCalledWith(`${location.origin}/mcp`);
  const server = await serve();
  await server.stop();
  const onError = errorSpy();
  await expect(register({ url: server.url, onError })).rejects.toThrow(server.url);
  expect([await agent.names(), onError.mock.calls]).toEqual([[], []]);
});

test("of two servers one may be down, and comes when it is there", async () => {
  const agent = createBrowserAgent();
  const [down, up] = [await serve(), await serve()];
  await down.stop();
  const servers = [
    { url: down.url, prefix: "a." },
    { url: up.url, prefix: "b." },
  ];
  await register({ servers });
  expect(await agent.names()).toEqual(["b.echo", "b.hold", "b.sales"]);
  await down.start();
  await expect.poll(agent.names).toContain("a.echo");
});

test("a server's message about a refused call reaches the browser's agent", async () => {
  const agent = createBrowserAgent();
  const server = await serve();
  await register({ url: server.url });
  const { text, isError } = await agent.call("sales", { region: "north" });
  expect([text, isError]).toEqual([expect.stringMatching(/region/i), true]);
});

test("where there is no model context nothing is asked for", async () => {
  if (inject("native")) {
    Object.defineProperty(document, "modelContext", { configurable: true, value: undefined });
    onTestFinished(() => void Reflect.deleteProperty(document, "modelContext"));
  }
  const server = await serve();
  const onSync = syncSpy();
  const handle = await register({ url: server.url, onSync });
  expect([handle.tools, onSync.mock.calls]).toEqual([[], [[[]]]]);
  expect((await server.look()).heard).toEqual([]);
});
