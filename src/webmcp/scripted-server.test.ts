// A page's fetch that is replaced by a script: POST requests are answered by their position, as suites of other adapters do.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import "./bridge-server.ts";
import "../mcp-client/sdk.ts";
import { createLog, errorSpy, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import { registerWebMcp } from "./register-web-mcp.ts";
import type { WebMcpHandle, WebMcpOptions } from "./web-mcp-options.ts";

interface Post {
  readonly url: string;
  readonly headers: Headers;
  readonly body: { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> };
}

type Reply = () => Response;

const event = (message: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const stream = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });

/** How a script's server answers: with a session and by events, or without one and by JSON. */
const styles = {
  "a session and events": {
    result: (id: number, result: object) => () => stream(event({ id, result }), { "mcp-session-id": "scripted" }),
    error: (id: number, error: object) => () => stream(event({ id, error }), { "mcp-session-id": "scripted" }),
    accepted: () => new Response(null, { status: 202, headers: { "mcp-session-id": "scripted" } }),
  },
  "JSON alone": {
    result: (id: number, result: object) => () => Response.json({ jsonrpc: "2.0", id, result }),
    error: (id: number, error: object) => () => Response.json({ jsonrpc: "2.0", id, error }),
    accepted: () => new Response(null, { status: 202 }),
  },
} as const;

const tool = (name: string, rest: object = {}) => ({ name, inputSchema: { type: "object" }, ...rest });
const tools = { tools: [tool("greet", { description: "Greets." }), tool("add", { description: "Adds." })] };
const served = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "scripted", version: "1" },
};

let posts: Post[] = [];
let others: string[] = [];
let replies: Reply[] = [];
let forNews: Reply = () => stream(new ReadableStream());
let handles: WebMcpHandle[] = [];

beforeEach(() => {
  [posts, others, replies, handles] = [[], [], [], []];
  forNews = () => stream(new ReadableStream());
  vi.stubGlobal("location", { origin: "https://shop.example" });
  vi.stubGlobal("fetch", async (input: string | URL, init: RequestInit = {}) => {
    const { method = "GET" } = init;
    if (method !== "POST") others.push(method);
    if (method === "GET") return forNews();
    if (method === "DELETE") return new Response(null, { status: 202 });
    const body = JSON.parse(init.body as string) as Post["body"];
    posts.push({ url: String(input), headers: new Headers(init.headers), body });
    const reply = replies.shift();
    if (!reply) throw new Error(`Nothing is written down for ${body.method}.`);
    return reply();
  });
});

afterEach(async () => {
  await Promise.all(handles.map((handle) => handle.dispose()));
  vi.unstubAllGlobals();
});

async function start(options: Partial<WebMcpOptions> = {}): Promise<WebMcpHandle> {
  const handle = await registerWebMcp({ url: "/mcp", logger: createLog().logger, ...options });
  handles.push(handle);
  return handle;
}

const methods = () => posts.map(({ body }) => body.method);
const first = ["initialize", "notifications/initialized", "tools/list"];

test.each(Object.values(styles).flatMap((style) => [true, false].map((watch) => ({ style, watch }))))(
  "MC46: the first requests are initialize, its notification and tools/list, and there are no others: $watch",
  async ({ style, watch }) => {
    const browser = fakeBrowser({ at: "navigator" });
    replies = [style.result(0, served), style.accepted, style.result(1, tools)];
    const onError = errorSpy();
    const handle = await start({ watch, onError });
    expect([handle.tools, [...browser.tools.keys()]]).toEqual([
      ["greet", "add"],
      ["greet", "add"],
    ]);
    expect([methods(), others]).toEqual([first, watch ? ["GET"] : []]);
    replies = [style.result(2, { content: [{ type: "text", text: "Hello." }] })];
    expect(await browser.call("greet", { name: "World" })).toBe("Hello.");
    expect(posts[3]?.body).toMatchObject({
      method: "tools/call",
      params: { name: "greet", arguments: { name: "World" } },
    });
    await handle.dispose();
    expect([methods().length, onError.mock.calls]).toEqual([4, []]);
  },
);

test.each(Object.values(styles).flatMap((style) => [405, 404, 400, 501].map((status) => ({ style, status }))))(
  "MC46: where a script answers $status to who wants news, calls get the replies in order all the same",
  async ({ style, status }) => {
    const browser = fakeBrowser({ at: "navigator" });
    forNews = () => new Response("No.", { status });
    replies = [style.result(0, served), style.accepted, style.result(1, tools)];
    const onError = errorSpy();
    await start({ onError });
    replies = [2, 3, 4].map((id) => style.result(id, { content: [{ type: "text", text: `reply ${id}` }] }));
    for (const id of [2, 3, 4]) expect(await browser.call("add", {})).toBe(`reply ${id}`);
    expect([methods(), others]).toEqual([[...first, ...Array(3).fill("tools/call")], ["GET"]]);
    expect(onError.mock.calls).toEqual([]);
  },
);

const { result, error, accepted } = styles["a session and events"];
const begin = (list: object = tools) => [result(0, served), accepted, result(1, list)];

test("the session's id, the address of the page's origin and the headers go with every request", async () => {
  fakeBrowser({ at: "navigator" });
  replies = begin();
  let count = 0;
  await start({
    headers: { Authorization: "Bearer static", "X-Custom": "kept" },
    getHeaders: async () => ({ Authorization: `Bearer ${++count}` }),
  });
  expect(posts.map(({ url }) => url)).toEqual(Array(3).fill("https://shop.example/mcp"));
  const sent = (name: string) => posts.map(({ headers }) => headers.get(name));
  expect(sent("mcp-session-id")).toEqual([null, "scripted", "scripted"]);
  expect(sent("x-custom")).toEqual(Array(3).fill("kept"));
  expect(sent("authorization").every((value) => /^Bearer \d+$/.test(value ?? ""))).toBe(true);
});

test("a change is read with one request", async () => {
  const browser = fakeBrowser({ at: "navigator" });
  let say = (_message: object) => {};
  const news = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (say = (message) => controller.enqueue(new TextEncoder().encode(event(message)))),
  });
  forNews = () => stream(news);
  replies = begin();
  const onSync = syncSpy();
  const handle = await start({ onSync });
  replies = [result(2, { tools: [tool("new_tool")] })];
  say({ method: "notifications/tools/list_changed" });
  await expect.poll(() => handle.tools).toEqual(["new_tool"]);
  expect([onSync.mock.calls.length, [...browser.tools.keys()]]).toEqual([2, ["new_tool"]]);
  expect([methods(), others]).toEqual([[...first, "tools/list"], ["GET"]]);
});

test("pages of a list and refreshes are requests for tools alone, one refresh for several at once", async () => {
  fakeBrowser({ at: "navigator" });
  replies = [...begin({ tools: [tool("a")], nextCursor: "more" }), result(2, { tools: [tool("b")] })];
  const handle = await start();
  expect(handle.tools).toEqual(["a", "b"]);
  replies = [result(3, { tools: [tool("alpha")] })];
  const [one, two] = [handle.refresh(), handle.refresh()];
  expect(one).toBe(two);
  await one;
  expect([handle.tools, methods()]).toEqual([["alpha"], [...first, "tools/list", "tools/list"]]);
});

test.each<[string, Reply, RegExp]>([
  ["an error", error(0, { code: -32_600, message: "Bad request" }), /Bad request/],
  ["500", () => new Response("Internal Server Error", { status: 500 }), /500|Internal Server Error/],
  ["a web page", () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }), /text\/html/],
])("where initialize is answered with %s the promise rejects after that one request", async (_, reply, message) => {
  fakeBrowser({ at: "navigator" });
  replies = [reply];
  const onError = errorSpy();
  await expect(start({ onError })).rejects.toThrow(message);
  expect([methods(), onError.mock.calls]).toEqual([["initialize"], []]);
});

test("a network that fails is asked once", async () => {
  fakeBrowser({ at: "navigator" });
  const onError = errorSpy();
  await expect(start({ onError })).rejects.toThrow("Nothing is written down for initialize");
  expect([methods(), onError.mock.calls]).toEqual([["initialize"], []]);
});

test("a script of the newer revision is asked to discover first where that is told", async () => {
  fakeBrowser({ at: "navigator" });
  const whole = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const discovered = {
    ...whole,
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    serverInfo: served.serverInfo,
  };
  const reply = (id: string | number, of: object) => () => Response.json({ jsonrpc: "2.0", id, result: of });
  vi.stubGlobal("fetch", async (_: unknown, init: RequestInit = {}) => {
    const body = JSON.parse(init.body as string) as Post["body"] & { readonly id: string };
    posts.push({ url: "", headers: new Headers(init.headers), body });
    return reply(body.id, body.method === "server/discover" ? discovered : { ...whole, ...tools })();
  });
  const handle = await start({ handshake: "discover", url: "https://newer.example/mcp" });
  expect([handle.tools, methods()]).toEqual([
    ["greet", "add"],
    ["server/discover", "tools/list"],
  ]);
});
