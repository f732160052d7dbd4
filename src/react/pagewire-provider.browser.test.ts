import { act, createElement, StrictMode, useLayoutEffect, useState } from "react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectPage } from "../page/index.ts";
import type { Page } from "../page/index.ts";
import type { CallContext } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import { PagewireProvider } from "./pagewire-provider.ts";
import { usePage } from "./place.ts";
import { below, createScreen, createTestPage, toolNames } from "./react.test-helper.ts";
import { useConnection } from "./use-connection.ts";
import type { ProviderOptions } from "./pagewire-provider.ts";
import { useTool } from "./use-tool.ts";

vi.mock("../page/index.ts", { spy: true });

/** The addresses of all sockets; none of them ever answers. */
let sockets: string[];
let openSocket: () => void;
let tellSent: (text: string) => void;
/** Every page that there was, in order. */
let pages: Page[];

class SilentSocket extends EventTarget {
  readonly readyState = 1;
  onopen = () => {};
  constructor(url: string) {
    super();
    sockets.push(url);
    openSocket = () => this.onopen();
  }
  send(data: string | Uint8Array): void {
    tellSent(typeof data === "string" ? data : new TextDecoder().decode(data));
  }
  close(): void {}
}

beforeEach(() => {
  sockets = [];
  tellSent = () => {};
  pages = [];
  vi.mocked(connectPage).mockClear();
  openSocket = () => {};
  vi.stubGlobal("WebSocket", SilentSocket);
});
afterEach(() => vi.unstubAllGlobals());

/** Opens the newest socket, and returns the page's hello. */
async function hello(): Promise<unknown> {
  const heard = new Promise<string>((resolve) => (tellSent = resolve));
  openSocket();
  return JSON.parse(await heard);
}

function App(): ReactNode {
  const page = usePage();
  if (page && !pages.includes(page)) pages.push(page);
  useTool({ name: "work", execute: () => "done" });
  const { status, message } = useConnection();
  return `${status}: ${message}`;
}

const withOptions = (options: ProviderOptions | undefined) =>
  createElement(PagewireProvider, { options }, createElement(App));

const statuses = () => pages.map(({ state }) => state.status);

test.each([false, true])("options connect one page, which is closed with its provider", async (isStrict) => {
  const screen = createScreen();
  const app = withOptions({ app: "shop" });
  await screen.show(isStrict ? createElement(StrictMode, null, app) : app);
  expect([pages.length, sockets.length, pages.map(toolNames)]).toEqual([1, 1, [["work"]]]);
  expect(screen.container.textContent).toBe(`connecting: ${pages[0]?.state.message}`);
  await screen.show(null);
  expect([statuses(), pages.map(toolNames)]).toEqual([["closed"], [[]]]);
});

test.each([0, 1, 2, 3, 4, 5])("a provider that goes %i turns after it came leaves no page behind", async (turns) => {
  const screen = createScreen();
  await act(async () => {
    screen.showNow(withOptions({ app: "shop" }));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    screen.showNow(null);
  });
  const connected = await Promise.all(vi.mocked(connectPage).mock.results.map(({ value }) => value));
  expect(connected.map(({ state }) => state.status).filter((status) => status !== "closed")).toEqual([]);
});

test("options that were only written anew keep the page, in whatever order", async () => {
  const screen = createScreen();
  const [frameBytes, schemaBytes] = [100_000, 1000];
  const token = () => "t";
  const all: ProviderOptions[] = [
    { app: "shop", limits: { frameBytes, schemaBytes }, token, user: "u" },
    { app: "shop", limits: { frameBytes, schemaBytes }, token: () => "t", user: "u", onError: () => {} },
    { user: "u", token: () => "t", limits: { schemaBytes, frameBytes }, app: "shop" },
    // Common in apps without TypeScript's exactOptionalPropertyTypes.
    {
      worker: undefined,
      app: "shop",
      limits: { frameBytes, schemaBytes },
      token,
      user: "u",
    } as object as ProviderOptions,
  ];
  for (const options of all) await screen.show(withOptions(options));
  expect([pages.length, sockets.length]).toEqual([1, 1]);
});

test.each<[string, ProviderOptions]>([
  ["app", { app: "bank" }],
  ["hub", { app: "shop", hub: "http://hub.example" }],
  ["limits", { app: "shop", limits: { schemaBytes: 1000 } }],
])("another %s makes another page, and the tools move to it", async (_, options) => {
  const screen = createScreen();
  await screen.show(withOptions({ app: "shop" }));
  await screen.show(withOptions(options));
  expect([statuses(), pages.map(toolNames)]).toEqual([
    ["closed", "connecting"],
    [[], ["work"]],
  ]);
});

test("another token is the page's new one at once; without one nobody is signed in", async () => {
  const screen = createScreen();
  await screen.show(withOptions({ app: "shop", token: "one" }));
  const setToken = vi.spyOn(pages[0] as Page, "setToken");
  await screen.show(withOptions({ app: "shop", token: "one" }));
  expect(setToken).not.toHaveBeenCalled();
  await screen.show(withOptions({ app: "shop", token: null }));
  expect(screen.container.textContent).toMatch(/^signed-out:/);
  await screen.show(withOptions({ app: "shop", token: "two" }));
  expect(setToken.mock.calls).toEqual([[null], ["two"]]);
  expect(pages).toHaveLength(1);
});

test("a token that is there is given to the page once", async () => {
  const screen = createScreen();
  const app = () => createElement(StrictMode, null, withOptions({ app: "shop", token: "one" }));
  await screen.show(app());
  await screen.show(app());
  expect([pages.length, sockets.length]).toEqual([1, 1]);
  expect(await hello()).toMatchObject({ token: "one" });
});

const signedOut: readonly [string, ProviderOptions][] = [
  ["a token that is null", { app: "shop", token: null }],
  ["an empty token", { app: "shop", token: "" }],
  ["a user that is null", { app: "shop", token: () => "one", user: null }],
  ["an empty user", { app: "shop", token: "one", user: "" }],
];

test.each(signedOut)("with %s nobody is signed in", async (_, options) => {
  const screen = createScreen();
  await screen.show(withOptions(options));
  expect([sockets, screen.container.textContent]).toEqual([[], expect.stringMatching(/^signed-out:/)]);
});

test("whatever comes in the place of a token, the page stays the same", async () => {
  const screen = createScreen();
  const token = () => "one";
  const all: ProviderOptions[] = [
    { app: "shop", token: null },
    { app: "shop", token, user: "alice" },
    { app: "shop", token: null, user: null },
    { app: "shop", token: "two" },
  ];
  for (const options of all) await screen.show(withOptions(options));
  expect([pages.length, sockets.length]).toEqual([1, 2]);
  expect(await hello()).toMatchObject({ token: "two" });
});

test("a function that gets tokens is that of the newest render", async () => {
  const screen = createScreen();
  await screen.show(withOptions({ app: "shop", user: "alice", token: () => "one" }));
  await screen.show(withOptions({ app: "shop", user: "alice", token: async () => "two" }));
  expect(await hello()).toMatchObject({ app: "shop", token: "two" });
  expect(sockets).toHaveLength(1);
});

test("when another user signs in, the page leaves the first one's connection and gets a token of theirs", async () => {
  const screen = createScreen();
  const tokens: Record<string, string> = { alice: "alice's", bob: "bob's" };
  const optionsOf = (user: string) => ({ app: "shop", user, token: () => tokens[user] ?? "nobody's" });
  await screen.show(withOptions(optionsOf("alice")));
  expect(await hello()).toMatchObject({ token: "alice's" });
  await screen.show(withOptions(optionsOf("bob")));
  expect(await hello()).toMatchObject({ token: "bob's" });
  expect([pages.length, sockets.length]).toEqual([1, 2]);
});

test("a function that gets tokens for nobody knows whom is refused", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  const options = { app: "shop", token: () => "one", onError } as object as ProviderOptions;
  await screen.show(withOptions(options));
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ code: "options-invalid" }), { stage: "PagewireProvider" }],
  ]);
  expect([sockets, screen.container.textContent]).toEqual([[], expect.stringMatching(/^closed: The option "user"/)]);
  await screen.show(withOptions({ app: "shop", token: () => "one", user: "alice", onError }));
  expect([onError.mock.calls.length, statuses()]).toEqual([1, ["connecting"]]);
});

const ends: readonly [string, ProviderOptions | undefined, string][] = [
  ["nobody is signed in", { app: "shop", token: null }, "signed-out"],
  ["the options are gone", undefined, "closed"],
  ["the options are another page's", { app: "bank", token: "one" }, "closed"],
];

test.each(ends)("once it is on the screen that %s, no call comes in any more", async (_, next, status) => {
  let setOptions: (options: ProviderOptions | undefined) => void = () => {};
  let tellStatus: (status: string | undefined) => void = () => {};
  function Root(): ReactNode {
    const [options, setShown] = useState<ProviderOptions | undefined>({ app: "shop", token: "one" });
    setOptions = setShown;
    useLayoutEffect(() => queueMicrotask(() => tellStatus(pages[0]?.state.status)), [options]);
    return withOptions(options);
  }
  await createScreen().show(createElement(Root));
  // Like in an app, where React lets other tasks run before its last effects.
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false);
  const seen = new Promise((resolve) => (tellStatus = resolve));
  setOptions(next);
  expect(await seen).toBe(status);
});

test("without options nothing is connected, and without them any more nothing is offered", async () => {
  const screen = createScreen();
  await screen.show(withOptions(undefined));
  expect([sockets, screen.container.textContent]).toEqual([[], "closed: This page offers no tools."]);
  await screen.show(withOptions({ app: "shop" }));
  expect(pages.map(toolNames)).toEqual([["work"]]);
  await screen.show(withOptions(undefined));
  expect([statuses(), pages.map(toolNames)]).toEqual([["closed"], [[]]]);
  expect(screen.container.textContent).toBe("closed: This page offers no tools.");
});

test("options that are wrong are reported and shown; the app stays on the screen", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  await screen.show(withOptions({ app: "", onError }));
  const [error, context] = onError.mock.calls[0] ?? [];
  expect([PagewireError.isInstance(error) && error.code, context]).toEqual([
    "options-invalid",
    { stage: "PagewireProvider" },
  ]);
  expect(screen.container.textContent).toMatch(/^closed: The option "app" must be/);
  await screen.show(withOptions(undefined));
  expect(screen.container.textContent).toBe("closed: This page offers no tools.");
  await screen.show(withOptions({ app: "shop", onError }));
  expect([onError.mock.calls.length, pages.map(toolNames)]).toEqual([1, [["work"]]]);
});

test("a page that the app connected is used, and left open", async () => {
  const [one, other] = [createTestPage(), createTestPage()];
  const close = vi.spyOn(one, "close");
  const screen = createScreen();
  await screen.show(below(undefined, createElement(App)));
  expect(screen.container.textContent).toMatch(/^closed:/);
  await screen.show(below(one, createElement(App)));
  expect(toolNames(one)).toEqual(["work"]);
  await screen.show(below(other, createElement(App)));
  expect([toolNames(one), toolNames(other)]).toEqual([[], ["work"]]);
  await screen.clear();
  expect([toolNames(other), close.mock.calls.length, one.listeners, other.listeners]).toEqual([[], 0, 0, 0]);
});

test("a hook without a provider around it says so by its name", () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const screen = createScreen();
  return expect(screen.show(createElement(App)))
    .rejects.toThrow("usePage has no <PagewireProvider> around it. Put one around your app.")
    .finally(() => complain.mockRestore());
});

test("a component's tools can be tried with a page that nobody is signed in to, without a hub", async () => {
  const page = await connectPage({ app: "test", token: null });
  const screen = createScreen();
  await screen.show(below(page, createElement(App)));
  const work = page.toolbox.list().find(({ name }) => name === "work");
  expect(await work?.execute({}, {} as CallContext)).toBe("done");
  expect(sockets).toEqual([]);
});
