import { z } from "zod";
import { afterEach, expect, test } from "vitest";
import { startServer } from "../../mcp-client/mcp-server.test-helper.ts";
import type { TestServer } from "../../mcp-client/mcp-server.test-helper.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator, pageToolboxes } from "../../toolbox/index.ts";
import type { LocalToolbox } from "../../toolbox/index.ts";
import { terminalOnly } from "../../wire/index.ts";
import type { AiRequestOptions, AiTool } from "../types.ts";
import { loadToolSources } from "./tool-sources.ts";
import type { ToolSources } from "./tool-sources.ts";

const loaded: ToolSources[] = [];

afterEach(() => {
  pageToolboxes.clear();
  for (const sources of loaded.splice(0)) sources.close();
});

async function load(options: Partial<AiRequestOptions>, owner?: object): Promise<ToolSources> {
  const sources = await loadToolSources({ model: "m", ...options }, new AbortController().signal, owner);
  loaded.push(sources);
  return sources;
}

function openPage(): LocalToolbox {
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
  pageToolboxes.add(toolbox);
  return toolbox;
}

/** A server with the tools that these tests call. */
function startShop(): Promise<TestServer> {
  return startServer({
    era: "legacy",
    register(mcp) {
      mcp.registerTool("sell", { title: "Sell", inputSchema: z.object({ what: z.string() }) }, ({ what }) => ({
        content: [{ type: "text", text: `sold ${what}` }],
      }));
      mcp.registerTool("count", { inputSchema: z.object({}) }, () => ({
        content: [],
        structuredContent: { count: 3 },
      }));
    },
  });
}

/** Calls a tool as the tool loop does. */
function call({ tools }: ToolSources, name: string, { args = {}, signal = new AbortController().signal }: Given = {}) {
  const tool = tools.find((one) => one.name === name);
  return tool?.handler?.(args, { callId: "call-1", name, signal });
}

interface Given {
  readonly args?: object;
  readonly signal?: AbortSignal;
}

const own: AiTool = { name: "own", description: "", parameters: { type: "object" }, handler: () => "own" };
const namesOf = ({ tools }: ToolSources) => tools.map(({ name }) => name);

test("the page's tools are offered as they are, beside handlers in the order in which both were named", async () => {
  const inputSchema = { type: "object", properties: { days: { type: "number" } } } as const;
  openPage().registerTool({
    name: "sales",
    title: "Sales",
    description: "Sums sales.",
    inputSchema,
    execute: ({ days }, { agent }) => ({ days, agent: agent.name }),
  });
  const sources = await load({ tools: [own, "page"] });
  expect(sources.tools[0]).toBe(own);
  expect(sources.tools[1]).toMatchObject({ name: "sales", description: "Sales: Sums sales.", parameters: inputSchema });
  expect(await call(sources, "sales", { args: { days: 7 } })).toBe('{"days":7,"agent":"pagewire/ai"}');
  expect(namesOf(await load({ tools: "page" }))).toEqual(["sales"]);
  expect(namesOf(await load({}))).toEqual([]);
});

test("without a page its tools cannot be had, and the error says what to do", async () => {
  await expect(load({ tools: "page" })).rejects.toThrow(/"page".*connectPage/);
});

test("a tool asks first unless it says that it only reads", async () => {
  const page = openPage();
  const add = (name: string, annotations?: object) =>
    page.registerTool({ name, execute: () => "", ...(annotations ? { annotations } : {}) });
  add("plain");
  add("read", { readOnlyHint: true, destructiveHint: true });
  add("write", { readOnlyHint: false });
  add("destroy", { destructiveHint: true });
  const { tools } = await load({ tools: "page" });
  const asking = tools.filter(({ needsApproval }) => needsApproval).map(({ name }) => name);
  expect(asking).toEqual(["plain", "write", "destroy"]);
});

test("a model is given a result's text, what is structured where there is none, and the names of what is no text", async () => {
  const page = openPage();
  const add = (name: string, result: object) => page.registerTool({ name, execute: () => result });
  add("texts", {
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
    structuredContent: { n: 1 },
  });
  add("structured", { content: [], structuredContent: { n: 1 } });
  add("image", { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] });
  add("embedded", { content: [{ type: "resource", resource: { uri: "app://a", text: "inside" } }] });
  add("binary", { content: [{ type: "resource", resource: { uri: "app://b", mimeType: "a/b", blob: "AAAA" } }] });
  add("link", { content: [{ type: "resource_link", name: "report", uri: "app://c" }] });
  add("nothing", { content: [] });
  const sources = await load({ tools: "page" });
  const told = await Promise.all(namesOf(sources).map((name) => call(sources, name)));
  expect(told).toEqual([
    "one\ntwo",
    '{"n":1}',
    "[image image/png]",
    "inside",
    "[resource app://b a/b]",
    "[resource_link report app://c]",
    "",
  ]);
});

test("what fails is thrown, in the tool's words; an aborted call ends with the signal's reason", async () => {
  const page = openPage();
  const broken = () => {
    throw new Error("out of paper");
  };
  page.registerTool({ name: "broken", execute: broken });
  page.registerTool({ name: "silent", execute: () => ({ content: [], isError: true }) });
  page.registerTool({ name: "hold", execute: () => new Promise(() => {}) });
  page.registerTool({ name: "strict", inputSchema: { type: "object", required: ["a"] }, execute: () => "" });
  page.registerTool({ name: "asking", execute: (_, context) => context.ask({ message: "?" }) });
  const sources = await load({ tools: "page" });
  await expect(call(sources, "broken")).rejects.toThrow("out of paper");
  await expect(call(sources, "silent")).rejects.toThrow("failed");
  await expect(call(sources, "strict")).rejects.toThrow("a");
  await expect(call(sources, "asking")).rejects.toThrow("elicitation/create");
  const reason = new Error("stopped");
  await expect(call(sources, "hold", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  page.close();
  await expect(call(sources, "broken")).rejects.toThrow("broken");
});

test("the tools of a remote server go by its name, or its host's, and are called there", async () => {
  const server = await startShop();
  const sources = await load({ tools: [own], mcp: [{ url: server.url, name: "shop" }, server.url] });
  expect(namesOf(sources)).toEqual(["own", "shop_sell", "shop_count", "127_0_0_1_sell", "127_0_0_1_count"]);
  const { origin } = new URL(server.url);
  expect(sources.tools.map((tool) => tool.origin)).toEqual([undefined, origin, origin, origin, origin]);
  expect(sources.tools[1]).toMatchObject({
    description: "Sell",
    parameters: { properties: { what: { type: "string" } } },
  });
  expect(await call(sources, "shop_sell", { args: { what: "tea" } })).toBe("sold tea");
  expect(await call(sources, "127_0_0_1_count")).toBe('{"count":3}');
});

test("only the tools that were asked for are offered, and one that there is not is an error", async () => {
  const server = await startShop();
  const source = { url: server.url, name: "shop" };
  expect(namesOf(await load({ mcp: [{ ...source, tools: ["count"] }] }))).toEqual(["shop_count"]);
  await expect(load({ mcp: [{ ...source, tools: ["buy"] }] })).rejects.toThrow(
    `"buy" at the MCP server at ${server.url}`,
  );
});

test("the schemas of a page and of a remote server are evaluated there, not by the model's loop", async () => {
  const server = await startShop();
  openPage().registerTool({ name: "own", execute: () => "" });
  const { tools } = await load({ tools: "page", mcp: [{ url: server.url, name: "shop" }] });
  expect(tools.map(({ validatesArguments }) => validatesArguments)).toEqual([true, true, true]);
});

test("a server that cannot be reached is an error that names its address, and no address is one", async () => {
  const server = await startServer();
  await server.stop();
  await expect(load({ mcp: [server.url] })).rejects.toThrow(server.url);
  await expect(load({ mcp: ["nowhere"] })).rejects.toThrow('"nowhere"');
});

test("two tools of one name are an error that names both sources", async () => {
  const server = await startShop();
  openPage().registerTool({ name: "own", execute: () => "" });
  await expect(load({ tools: [own, "page"] })).rejects.toThrow(/"own".*the request.*the page/);
  const shop = { url: server.url, name: "shop" };
  await expect(load({ mcp: [shop, { ...shop, headers: { a: "b" } }] })).rejects.toThrow(`"shop_sell"`);
});

test("a connection is kept for its owner's next request, with the tools that there are then", async () => {
  const server = await startShop();
  const owner = {};
  const first = await load({ mcp: [server.url] }, owner);
  const [session] = server.sessions();
  first.close();
  first.close();
  const second = await load({ mcp: [server.url] }, owner);
  expect([server.sessions(), server.of("tools/list").length]).toEqual([[session], 2]);
  await load({ mcp: [{ url: server.url, headers: { Authorization: "Bearer other" } }] }, owner);
  await load({ mcp: [server.url] }, {});
  expect(server.sessions()).toHaveLength(3);
  expect(await call(second, "127_0_0_1_sell", { args: { what: "tea" } })).toBe("sold tea");
});

test("without an owner it ends with its request, and a request that failed holds none", async () => {
  const server = await startShop();
  const sources = await load({ mcp: [server.url] });
  expect(server.sessions()).toHaveLength(1);
  sources.close();
  await expect.poll(server.sessions).toEqual([]);
  await expect(load({ mcp: [server.url, "nowhere"] })).rejects.toThrow();
  await expect.poll(server.sessions).toEqual([]);
});

test("a request that failed leaves nothing with a server that answers only then", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const late = await startServer({
    era: "legacy",
    register: (mcp) => mcp.server.setRequestHandler("tools/list", () => gate.then(() => ({ tools: [] }))),
  });
  const loading = load({ mcp: [late.url, "http://127.0.0.1:1/mcp"] });
  await expect(loading).rejects.toThrow("127.0.0.1:1");
  await expect.poll(() => late.of("tools/list").length).toBe(1);
  go();
  await expect.poll(() => late.of("DELETE").length).toBe(1);
  expect(late.sessions()).toEqual([]);
});

test("a server that was away is tried again by the next request", async () => {
  const server = await startShop();
  const owner = {};
  await server.stop();
  await expect(load({ mcp: [server.url] }, owner)).rejects.toThrow(server.url);
  await server.start();
  expect(namesOf(await load({ mcp: [server.url] }, owner))).toHaveLength(2);
  await server.stop();
  await expect(load({ mcp: [server.url] }, owner)).rejects.toThrow(server.url);
  await server.start();
  expect(namesOf(await load({ mcp: [server.url] }, owner))).toHaveLength(2);
});

test("a request that is stopped while it connects waits no longer, and ends nobody else's connection", async () => {
  const abort = new AbortController();
  const reason = new Error("stopped");
  let isSlow = true;
  const server = await startServer({
    instead() {
      if (isSlow) abort.abort(reason);
      return isSlow;
    },
  });
  await expect(loadToolSources({ model: "m", mcp: [server.url] }, abort.signal)).rejects.toBe(reason);
  isSlow = false;
  expect(namesOf(await load({ mcp: [server.url] }))).toEqual([]);
});

test("the page's tools for terminals only are not there for a model in the page", async () => {
  const toolbox = openPage();
  toolbox.registerTool({ name: "fetch", _meta: terminalOnly, execute: () => "fetched" });
  toolbox.registerTool({ name: "sell", execute: () => "sold" });
  expect(namesOf(await load({ tools: "page" }))).toEqual(["sell"]);
});
