import { act, createElement, StrictMode, useLayoutEffect } from "react";
import type { ReactNode } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { serve } from "../mcp-client/served.test-helper.ts";
import type { McpTool } from "../webmcp/index.ts";
import {
  browserToolNames,
  ensureModelContext,
  executeTool,
  hideModelContext,
  settled,
} from "./model-context.test-helper.ts";
import { createScreen } from "./react.test-helper.ts";
import type { Screen } from "./react.test-helper.ts";
import { useWebMcp } from "./use-web-mcp.ts";
import type { UsedWebMcp } from "./use-web-mcp.ts";
import type { UseWebMcpOptions } from "./hold-web-mcp.ts";

const screens: Screen[] = [];

type Given = UseWebMcpOptions | null | false;

/** An app whose options the test changes, and the hook's latest result. */
function createApp() {
  const screen = createScreen();
  screens.push(screen);
  let used: UsedWebMcp | undefined;
  const statuses: UsedWebMcp["status"][] = [];
  function App({ options }: { readonly options: Given }): ReactNode {
    used = useWebMcp(options);
    statuses.push(used.status);
    return used.status;
  }
  const app = (options: Given) => createElement(App, { options });
  const now = () => {
    if (used) return used;
    throw new Error("Nothing was rendered.");
  };
  const becomes = (status: UsedWebMcp["status"]) => settled(() => now().status === status);
  return {
    screen,
    app,
    now,
    statuses,
    becomes,
    show: (options: Given) => screen.show(app(options)),
    /** Shows it, and waits for the tools. */
    async ready(options: UseWebMcpOptions): Promise<void> {
      await screen.show(app(options));
      await becomes("ready");
    },
  };
}

const expected = ["echo", "hold", "sell", "not a name"];
const common = { quiet: true, prefix: "remote.", filter: ({ name }: McpTool) => expected.includes(name) } as const;
const authorizationOf = ({ headers }: { readonly headers: { readonly authorization?: string | undefined } }) =>
  headers.authorization;

beforeAll(ensureModelContext);

// Before the servers close: mounted components would still be notified of that.
afterEach(() => Promise.all(screens.splice(0).map((screen) => screen.clear())));

test("a server's tools are in the browser while the component is on the screen", async () => {
  const server = await serve();
  const { screen, show, now, becomes } = createApp();
  await show({ ...common, url: server.url });
  expect([now().status, now().tools]).toEqual(["connecting", []]);
  await becomes("ready");
  expect(now()).toMatchObject({ tools: ["remote.echo", "remote.hold"], refused: [], error: undefined });
  expect(await browserToolNames()).toEqual(["remote.echo", "remote.hold"]);
  expect(JSON.parse((await executeTool("remote.echo", { text: "hi" })) ?? "")).toMatchObject({
    content: [{ text: "hi" }],
  });
  await screen.clear();
  expect(await browserToolNames()).toEqual([]);
});

test("tools and refusals follow the server", async () => {
  const server = await serve();
  const { ready, now } = createApp();
  await ready({ ...common, url: server.url });
  await settled(async () => (await server.count("subscriptions/listen")) > 0);
  await server.change({ tools: ["sell", "not a name"] });
  await settled(() => now().tools.length === 3);
  expect(now()).toMatchObject({
    tools: ["remote.echo", "remote.hold", "remote.sell"],
    refused: [{ name: "remote.not a name", message: expect.stringContaining("1 to 128") }],
  });
});

test("the component renders once for each change", async () => {
  const server = await serve();
  const { ready, now } = createApp();
  await ready({ ...common, url: server.url, watch: false });
  const before = now();
  await act(async () => before.refresh());
  expect(now()).toBe(before);
});

test("with null or false, or with a user who is null or empty, there is nothing; when the options go, so do the tools, at once", async () => {
  const server = await serve();
  const { screen, app, becomes, now } = createApp();
  const seen: Promise<readonly string[]>[] = [];
  function Probe({ options }: { readonly options: Given }): ReactNode {
    useLayoutEffect(() => void seen.push(browserToolNames()));
    return app(options);
  }
  for (const off of [
    null,
    false,
    { ...common, url: server.url, user: null },
    { ...common, url: server.url, user: "" },
  ] as const) {
    await screen.show(createElement(Probe, { options: off }));
    expect(now()).toMatchObject({ status: "idle", tools: [] });
    await screen.show(createElement(Probe, { options: { ...common, url: server.url, user: "ada" } }));
    await becomes("ready");
  }
  seen.length = 0;
  await screen.show(createElement(Probe, { options: null }));
  expect([now().status, now().tools, await Promise.all(seen)]).toEqual(["idle", [], [[]]]);
});

test("in StrictMode one session is opened, and ended with the component", async () => {
  const server = await serve({ era: "legacy" });
  const { screen, app, becomes } = createApp();
  await screen.show(createElement(StrictMode, null, app({ ...common, url: server.url })));
  await becomes("ready");
  expect([await server.count("initialize"), (await server.look()).sessions.length]).toEqual([1, 1]);
  await screen.clear();
  await settled(async () => (await server.look()).sessions.length === 0);
  expect(await server.count("DELETE")).toBe(1);
});

test("a component that goes while it connects asks no further, and leaves nothing behind", async () => {
  const { screen, show } = createApp();
  const signals: (AbortSignal | null | undefined)[] = [];
  const hangs: typeof fetch = (_url, init) => (signals.push(init?.signal), new Promise(() => {}));
  await show({ ...common, url: "/mcp", fetch: hangs });
  await settled(() => signals.length === 1);
  await screen.clear();
  await settled(() => signals[0]?.aborted === true);
  expect([signals.length, await browserToolNames()]).toEqual([1, []]);
});

test("options written anew with the same content keep the connection; functions are those of the newest render", async () => {
  const server = await serve({ era: "legacy" });
  const { ready, show, now } = createApp();
  const options = (name: string) => ({
    ...common,
    url: server.url,
    headers: { "X-Tenant": "7" },
    getHeaders: () => ({ Authorization: name }),
    onSync: () => void heard.push(name),
  });
  const heard: string[] = [];
  await ready(options("one"));
  await show(options("two"));
  await act(async () => now().refresh());
  const seen = await server.look();
  expect([await server.count("initialize"), seen.sessions.length, heard]).toEqual([1, 1, ["one", "two"]]);
  // The server opens the stream of notifications at its own pace: it may arrive after the refresh.
  const lists = seen.heard.filter(({ method }) => method === "tools/list");
  expect(authorizationOf(lists.at(-1) ?? { headers: {} })).toBe("two");
});

test("with another address, prefix or user there is another connection, and the one of before says nothing in the new name", async () => {
  const server = await serve({ era: "legacy" });
  const { ready, show, becomes, now } = createApp();
  const options = (user: string) => ({
    ...common,
    url: server.url,
    user,
    prefix: `${user}.`,
    getHeaders: () => ({ Authorization: user }),
  });
  await ready(options("ada"));
  const { heard: first } = await server.look();
  const adas = first.find(({ method }) => method === "tools/list")?.headers["mcp-session-id"];
  await show(options("bob"));
  expect(now().tools).toEqual([]);
  await becomes("ready");
  await settled(async () => (await server.count("DELETE")) === 1);
  expect([now().tools, await browserToolNames()]).toEqual([
    ["bob.echo", "bob.hold"],
    ["bob.echo", "bob.hold"],
  ]);
  const { heard, sessions } = await server.look();
  const ofAda = heard.filter(({ headers }) => headers["mcp-session-id"] === adas);
  expect([...new Set(ofAda.map(authorizationOf)), sessions.length]).toEqual(["ada", 1]);
});

test("what fails at the start is returned and told, and refresh tries again", async () => {
  const server = await serve({ statuses: { POST: 503 } });
  const { show, becomes, now } = createApp();
  const onError = vi.fn<(error: Error) => void>();
  await show({ ...common, url: server.url, watch: false, onError });
  await becomes("failed");
  expect(now().error).toBeInstanceOf(Error);
  expect(onError.mock.calls).toEqual([[now().error, expect.anything()]]);
  await act(async () => now().refresh());
  expect([now().status, onError.mock.calls.length]).toEqual(["failed", 2]);
  await server.change({ statuses: {} });
  await act(async () => now().refresh());
  expect(now()).toMatchObject({ status: "ready", tools: ["remote.echo", "remote.hold"], error: undefined });
});

test("a refresh that fails keeps the tools, says why, and does not reject; the next one that goes well takes it back", async () => {
  const server = await serve();
  const { ready, now } = createApp();
  await ready({ ...common, url: server.url, watch: false });
  const { refresh } = now();
  await server.stop();
  await act(async () => refresh());
  expect(now()).toMatchObject({ status: "ready", tools: ["remote.echo", "remote.hold"], error: expect.any(Error) });
  await server.start();
  await act(async () => refresh());
  expect([now().error, now().refresh === refresh]).toEqual([undefined, true]);
});

test("options of the wrong form are an error; the app stays on the screen", async () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const { show, becomes, now, screen } = createApp();
  await show({ url: "http://" });
  await becomes("failed");
  expect([now().error, screen.container.textContent]).toEqual([
    expect.objectContaining({ code: "options-invalid" }),
    "failed",
  ]);
  expect(complain).toHaveBeenCalledExactlyOnceWith("Pagewire (useWebMcp):", now().error);
  complain.mockRestore();
});

test("an authProvider that is made anew in each render is told once, by name, and the app stays on the screen", async () => {
  class Provider {
    async token() {
      return "abc";
    }
  }
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const server = await serve({ era: "legacy" });
  let used: UsedWebMcp | undefined;
  function App({ provider }: { readonly provider?: Provider }): ReactNode {
    used = useWebMcp({ ...common, url: server.url, authProvider: provider ?? new Provider() });
    return used.status;
  }
  const screen = createScreen();
  screens.push(screen);
  for (const wrap of [null, StrictMode]) {
    const app = (given: object) =>
      wrap ? createElement(wrap, null, createElement(App, given)) : createElement(App, given);
    await screen.show(app({}));
    await settled(() => used?.status === "failed");
    await settled(() => complain.mock.calls.length > 0);
    await screen.show(app({}));
    expect([screen.container.textContent, used?.tools, await browserToolNames()]).toEqual(["failed", [], []]);
    expect(complain).toHaveBeenCalledExactlyOnceWith("Pagewire (useWebMcp):", used?.error);
    expect(used?.error).toMatchObject({
      code: "options-invalid",
      message: expect.stringMatching(/authProvider is another in each render.*useMemo/) as string,
    });
    await settled(async () => (await server.look()).sessions.length === 0);
    // Once it is made once, it is used.
    const provider = new Provider();
    await screen.show(app({ provider }));
    await settled(() => used?.status === "ready");
    expect(used?.error).toBeUndefined();
    await screen.show(null);
    complain.mockClear();
  }
  complain.mockRestore();
});

test("where there is no model context no server is asked, until there is one", async () => {
  const appear = hideModelContext();
  const server = await serve();
  const { show, now } = createApp();
  await show({ ...common, url: server.url });
  expect([now().status, (await server.look()).heard]).toEqual(["unavailable", []]);
  await settled(() => now().status === "ready", appear);
  expect(now().tools).toEqual(["remote.echo", "remote.hold"]);
});

test("several servers are one hook", async () => {
  const [shop, bank] = [await serve({ tools: ["sell"] }), await serve({ statuses: { POST: 503 } })];
  const onError = vi.fn<(error: Error) => void>();
  const { ready, now } = createApp();
  await ready({
    quiet: true,
    servers: [
      { url: shop.url, prefix: "shop.", filter: ({ name }) => ["echo", "sell"].includes(name) },
      { url: bank.url, prefix: "bank." },
    ],
    onError,
  });
  expect(now().tools).toEqual(["shop.echo", "shop.sell"]);
  expect([now().error?.message, onError.mock.calls.length]).toEqual([expect.stringContaining(bank.url), 1]);
});

test("the browser takes over what a server rendered, without a complaint", async () => {
  const server = await serve();
  const complain = vi.spyOn(console, "error");
  const { app, becomes, statuses } = createApp();
  const content = app({ ...common, url: server.url });
  const container = document.createElement("div");
  container.innerHTML = renderToString(content);
  expect(container.textContent).toBe("connecting");
  const root = await act(async () => hydrateRoot(container, content));
  await becomes("ready");
  expect([container.textContent, complain.mock.calls]).toEqual(["ready", []]);
  expect(statuses).not.toContain("unavailable");
  await act(async () => root.unmount());
  complain.mockRestore();
});
