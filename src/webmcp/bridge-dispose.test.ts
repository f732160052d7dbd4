import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Era } from "../mcp-client/mcp-server.test-helper.ts";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createHold } from "../mcp-client/server-tools.test-helper.ts";
import { createLog, errorSpy, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

// Many registrations in a row.

const reason = new Error("the page moved on");
/** For many polls in a row. */
const often = { interval: 2 };

/** When a request is sent; when its response has arrived; or a number of microtask turns after that. */
type Moment = "asked" | "answered" | number;
const moments: readonly Moment[] = ["asked", "answered", 0, 6, 12, 24, 48];

/**
 * A server without a network, a fetch that runs a function at a moment of its nth request, and the sessions left over.
 */
async function startWatched(era: Era, nth = 0, moment: Moment = "asked") {
  const server = await startServer({ era, register: one });
  const told = new Set<string | null>();
  let left = nth;
  const watched = {
    ...server,
    run() {},
    /** Counts from now on: the nth request. */
    again: () => (left = nth),
    /**
     * The sessions that clients were told and that still exist. If a response was lost, only the server knows its
     * session.
     */
    left: () => server.sessions().filter((id) => told.has(id)),
    fetch: (async (input, init) => {
      const isNow = --left === 0;
      if (isNow && moment === "asked") watched.run();
      const response = await server.fetch(input, init);
      told.add(response.headers.get("mcp-session-id"));
      if (isNow && moment === "answered") setTimeout(watched.run);
      if (isNow && typeof moment === "number") void wait(moment).then(watched.run);
      return response;
    }) as typeof fetch,
  };
  return watched;
}

/** Waits for a number of microtask turns. */
async function wait(ticks: number): Promise<void> {
  if (ticks > 0) await wait(ticks - 1);
}

const one = offering({ tools: () => ["one"] });

/**
 * The number of requests to register, and to refresh after the server has lost its state: each is a point to stop at.
 */
async function countRequests(era: Era): Promise<{ readonly atFirst: number; readonly again: number }> {
  fakeBrowser();
  const { url, heard, fetch, listened, expire } = await startWatched(era);
  const handle = await register({ url, fetch });
  await listened();
  const atFirst = heard.length;
  expire();
  await handle.refresh();
  const again = heard.length - atFirst;
  await handle.dispose();
  return { atFirst, again };
}

describe.each(eras)("a server of the %s era", (era) => {
  test("dispose takes the tools away at once, ends calls and the session, and lets nothing come after it", async () => {
    const browser = fakeBrowser();
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    const { said, logger } = createLog();
    const onError = errorSpy();
    const handle = await register({ url: server.url, logger, onError });
    const tool = browser.tools.get("hold");
    const running = browser.call("hold");
    await hold.started;
    const disposing = handle.dispose();
    expect([handle.disposed, handle.tools, [...browser.tools.keys()]]).toEqual([true, [], []]);
    expect(handle.dispose()).toBe(disposing);
    await disposing;
    expect(await running).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/disposed/) as string }],
    });
    await hold.aborted;
    expect([server.sessions(), server.of("DELETE").length]).toEqual([[], era === "legacy" ? 1 : 0]);
    const requests = server.heard.length;
    expect(await tool?.execute({})).toMatchObject({ isError: true, _meta: { "pagewire/code": "not-delivered" } });
    await handle.refresh();
    await handle.dispose();
    expect([server.heard.length, said, onError.mock.calls]).toEqual([requests, [], []]);
  });

  test("a signal that aborts while it registers ends it, wherever it is: no tool, no session, nothing goes on", async () => {
    const { atFirst } = await countRequests(era);
    const ends = new Set<string>();
    for (const moment of moments) {
      for (let nth = 1; nth <= atFirst; nth++) {
        const browser = fakeBrowser();
        const server = await startWatched(era, nth, moment);
        const abort = new AbortController();
        server.run = () => abort.abort(reason);
        const onError = errorSpy();
        // At the last points the registration is complete: then it is disposed.
        const ended = await register({ url: server.url, signal: abort.signal, fetch: server.fetch, onError }).catch(
          (error: unknown) => ({ disposed: error === reason }),
        );
        ends.add("tools" in ended ? "registered" : "rejected");
        await expect.poll(() => [ended.disposed, browser.tools.size, server.left()], often).toEqual([true, 0, []]);
        expect(onError.mock.calls).toEqual([]);
      }
    }
    expect(ends).toEqual(new Set(["rejected", "registered"]));
  });

  test("dispose in the middle of a refresh ends both, wherever that is, and the refresh is no failure", async () => {
    const { again } = await countRequests(era);
    for (const moment of moments) {
      for (let nth = 1; nth <= again; nth++) {
        const browser = fakeBrowser();
        const server = await startWatched(era, nth, moment);
        const handle = await register({ url: server.url, fetch: server.fetch });
        await server.listened();
        server.expire();
        server.run = () => void handle.dispose();
        server.again();
        await handle.refresh();
        // The last requests may not belong to the refresh.
        await handle.dispose();
        expect([browser.tools.size, server.left()]).toEqual([0, []]);
      }
    }
  });
});

test("nor is there a moment in between, when the last answer was read and before the tools are there", async () => {
  const ends = new Set<string>();
  const server = await startServer({ era: "legacy", register: one });
  for (let ticks = 0; ticks < 400 && !ends.has("registered"); ticks += 2) {
    const browser = fakeBrowser();
    const abort = new AbortController();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await server.fetch(input, init);
      if (!String(init?.body as string).includes("tools/list")) return response;
      const whole = new Response(await response.text(), response);
      void wait(ticks).then(() => abort.abort(reason));
      return whole;
    };
    const end = await register({ url: server.url, signal: abort.signal, fetch, watch: false }).then(
      () => "registered",
      () => "rejected",
    );
    ends.add(end);
    await expect.poll(() => [browser.tools.size, server.sessions()], often).toEqual([0, []]);
  }
  expect(ends).toEqual(new Set(["rejected", "registered"]));
});

test("a signal that aborts while the MCP client is loaded leaves no timer", async () => {
  const server = await startServer({ register: one });
  const starting = vi.spyOn(globalThis, "setInterval");
  const ending = vi.spyOn(globalThis, "clearInterval");
  onTestFinished(() => void vi.restoreAllMocks());
  for (let ticks = 0; ticks < 40; ticks++) {
    fakeBrowser();
    const abort = new AbortController();
    const registering = register({ url: server.url, signal: abort.signal });
    const ended = expect(registering).rejects.toBe(reason);
    await wait(ticks);
    abort.abort(reason);
    await ended;
    // The loaded part goes on after it.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const ended = new Set(ending.mock.calls.map(([timer]) => timer));
  const started = starting.mock.results.filter((_, index) => starting.mock.calls[index]?.[1] === 2000);
  expect(started.filter(({ value }) => !ended.has(value as never))).toEqual([]);
});

test("where the browser is given text, a call after dispose rejects", async () => {
  const browser = fakeBrowser({ at: "navigator" });
  const server = await startServer({ register: one });
  const handle = await register({ url: server.url });
  const tool = browser.tools.get("one");
  await handle.dispose();
  await expect(tool?.execute({})).rejects.toThrow(/disposed/);
});

test("a signal that was aborted before is the end of it, and nothing is asked for", async () => {
  fakeBrowser();
  const server = await startServer();
  await expect(register({ url: server.url, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(server.heard).toEqual([]);
});

test("a signal that aborts later disposes of it all", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ era: "legacy", register: one });
  const abort = new AbortController();
  const handle = await register({ url: server.url, signal: abort.signal });
  abort.abort(reason);
  expect([handle.disposed, browser.tools.size]).toEqual([true, 0]);
  await handle.dispose();
  expect(server.sessions()).toEqual([]);
});

test("a browser that never answers for a tool keeps no one from the end", async () => {
  vi.stubGlobal("document", { modelContext: { registerTool: () => new Promise(() => {}) } });
  const server = await startServer({ era: "legacy", register: one });
  const abort = new AbortController();
  const registering = register({ url: server.url, signal: abort.signal });
  await expect.poll(() => server.of("tools/list").length).toBeGreaterThan(0);
  await server.listened();
  abort.abort(reason);
  await expect(registering).rejects.toBe(reason);
  await expect.poll(() => server.sessions()).toEqual([]);
});

test.each([
  ["is not there", (url: string) => url, /cannot be used/],
  ["answers 500", (url: string) => url, /500|sorry/],
  ["does not give its list", (url: string) => url, /no list today/],
])("where the server %s the promise rejects and says so, and nothing is left", async (what, _, message) => {
  const browser = fakeBrowser();
  const server = await startServer({
    era: "legacy",
    register: one,
    instead({ method }, response) {
      const isBroken = what === "answers 500" || (what === "does not give its list" && method === "tools/list");
      if (isBroken) response.writeHead(500).end(method === "tools/list" ? "no list today" : "sorry");
      return isBroken;
    },
  });
  if (what === "is not there") await server.stop();
  const { said, logger } = createLog();
  const onError = errorSpy();
  const onSync = syncSpy();
  const failure = register({ url: server.url, logger, onError, onSync });
  await expect(failure).rejects.toMatchObject({
    code: "server-unreachable",
    message: expect.stringMatching(new RegExp(`${server.url}.*${message.source}`)) as string,
  });
  expect([browser.changes, server.sessions(), onError.mock.calls, onSync.mock.calls]).toEqual([[], [], [], []]);
  expect(said).toEqual([expect.stringMatching(/^error .*cannot be used/)]);
});

test("a server that dies in the middle of its list cannot be used; its first part is not left behind", async () => {
  const browser = fakeBrowser();
  let parts = 0;
  const server = await startServer({
    instead({ method, body }, response) {
      if (method !== "tools/list") return false;
      if (++parts > 1) return Boolean(response.destroy());
      const tools = [{ name: "one", inputSchema: { type: "object" } }];
      const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools, nextCursor: "2" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result }));
      return true;
    },
  });
  await expect(register({ url: server.url })).rejects.toMatchObject({ code: "server-unreachable" });
  expect([browser.changes, parts]).toEqual([[], 2]);
});
