// Counts timers: one timeout is one timeout.
import { afterEach, expect, test, vi } from "vitest";
import type { HeardRequest } from "../mcp-client/mcp-server.test-helper.ts";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { errorSpy, offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

afterEach(() => void vi.useRealTimers());

const timeoutMs = 5000;

/** How a promise stands just before the timeout and just after it. */
async function aroundTimeout(promise: Promise<unknown>) {
  let state = "pending";
  promise.then(
    () => (state = "resolved"),
    (error: unknown) => (state = String(error)),
  );
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  const before = state;
  await vi.advanceTimersByTimeAsync(2);
  return [before, state];
}

const tooLate = (url: string) => [
  "pending",
  expect.stringContaining(`${url} cannot be used: it did not answer in time (5000 ms)`),
];

const hangs: Readonly<Record<string, (request: HeardRequest) => boolean>> = {
  everything: () => true,
  "the notification that it is initialized": ({ method }) => method === "notifications/initialized",
  "its list of tools": ({ method }) => method === "tools/list",
  "its list and the end of its session": ({ method, http }) => method === "tools/list" || http === "DELETE",
};

test.each(eras.flatMap((era) => Object.keys(hangs).map((what) => ({ era, what }))))(
  "MC52: a start at a server of the $era era that does not answer $what takes one timeout",
  async ({ era, what }) => {
    fakeBrowser();
    const server = await startServer({ era, register: offering({ tools: () => ["one"] }) });
    const fetch: typeof globalThis.fetch = (input, init) =>
      hangs[what]?.({ ...asHeard(init) }) ? untilAborted(init?.signal) : server.fetch(input, init);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const onError = errorSpy();
    const starting = register({ url: server.url, timeoutMs, fetch, onError });
    if (what === "the notification that it is initialized" && era === "modern") return void (await starting);
    expect(await aroundTimeout(starting)).toEqual(tooLate(server.url));
    expect(onError.mock.calls).toEqual([]);
  },
);

test.each(eras)(
  "MC52: a refresh at a server of the %s era that has stopped answering takes one timeout",
  async (era) => {
    for (const watch of [true, false]) {
      fakeBrowser();
      const server = await startServer({ era, register: offering({ tools: () => ["one"] }) });
      let isHung = false;
      const fetch: typeof globalThis.fetch = (input, init) =>
        isHung ? untilAborted(init?.signal) : server.fetch(input, init);
      const onError = errorSpy();
      const handle = await register({ url: server.url, timeoutMs, fetch, watch, onError });
      isHung = true;
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      expect(await aroundTimeout(handle.refresh())).toEqual(tooLate(server.url));
      expect([handle.tools, onError.mock.calls]).toEqual([["one"], []]);
      vi.useRealTimers();
    }
  },
);

test("MC53: after dispose no timer is left, whatever the connection was waiting for", async () => {
  for (const [at, era] of Array(5)
    .fill([...eras, ...eras])
    .flat()
    .entries()) {
    fakeBrowser();
    const server = await startServer({ era, register: offering({ tools: () => ["one"] }) });
    let isAway = false;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { http, method } = asHeard(init);
      const isForNews = http === "GET" || method === "subscriptions/listen";
      if (isAway || (at % 4 > 1 && isForNews)) return new Response("Come again.", { status: 503 });
      return server.fetch(input, init);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const handle = await register({ url: server.url, fetch });
    isAway = true;
    await server.changed("tools");
    await vi.advanceTimersByTimeAsync(3000);
    await handle.dispose();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  }
});

function asHeard(init: RequestInit = {}): HeardRequest {
  const text = typeof init.body === "string" ? init.body : "{}";
  const body = JSON.parse(text) as HeardRequest["body"];
  return { http: init.method ?? "GET", url: "", headers: {}, body, text, method: body["method"] as string | undefined };
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
}
