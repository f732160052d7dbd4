// MCP clients that others wrote, at a hub with a real tab: the official SDK in several ages, and what frameworks made of it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonBody } from "../agents/model/model-format.ts";
import { pagewireCommand } from "../e2e/demo.test-helper.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { countsOf, createWorld, started } from "../e2e/support/world.ts";
import type { World } from "../e2e/support/world.ts";
import { record, versionOf } from "./support/record.ts";

let world: World;
let tab: Tab;

beforeAll(async () => {
  world = await createWorld();
  tab = await world.openShop();
  await tab.evaluate(`pagewire.registerTool({
    name: "report", description: "Says how far it is, and waits.",
    execute: (_, { progress }) => new Promise((resolve) => { progress(1, 2); globalThis.finishReport = () => resolve("whole"); }),
  })`);
});
afterAll(() => world?.close());

/** Installed here only, so no types are known. */
const load = (name: string): Promise<JsonBody> => import(/* @vite-ignore */ name);

const headers = () => ({ Authorization: `Bearer ${world.token}` });

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: JsonBody) => void;
}

/** The part that is the same in all of them. */
interface Connected {
  list(): Promise<readonly { readonly name: string }[]>;
  call(name: string, input: object, options?: CallOptions): Promise<JsonBody>;
  close(): Promise<void>;
}

async function connectOld(name: string): Promise<Connected> {
  const { Client } = await load(`${name}/client/index.js`);
  const client = new Client({ name, version: "1.0" }, { capabilities: {} });
  await client.connect(await transportOf(name));
  return {
    list: async () => (await client.listTools()).tools,
    call: (tool, input, options) => client.callTool({ name: tool, arguments: input }, undefined, options),
    close: () => client.close(),
  };
}

/** The first versions know no Streamable HTTP, and so start a command. */
async function transportOf(name: string): Promise<JsonBody> {
  if (name === "mcp-sdk-1.0") {
    const { StdioClientTransport } = await load(`${name}/client/stdio.js`);
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, PAGEWIRE_URL: world.hub.url, PAGEWIRE_TOKEN: world.token };
    return new StdioClientTransport({
      command: process.execPath,
      args: [pagewireCommand, "mcp"],
      env,
      stderr: "ignore",
    });
  }
  const { StreamableHTTPClientTransport } = await load(`${name}/client/streamableHttp.js`);
  return new StreamableHTTPClientTransport(new URL("/mcp", world.hub.url), { requestInit: { headers: headers() } });
}

const connectNew =
  (mode: unknown) =>
  async (name: string): Promise<Connected> => {
    const { Client, StreamableHTTPClientTransport } = await load(name);
    const client = new Client({ name, version: "2.0" }, { versionNegotiation: { mode } });
    const url = new URL("/mcp", world.hub.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: headers() } }));
    return {
      list: async () => (await client.listTools()).tools,
      call: (tool, input, options) => client.callTool({ name: tool, arguments: input }, options),
      close: () => client.close(),
    };
  };

const sdk = "@modelcontextprotocol/sdk";
const newer = { name: "@modelcontextprotocol/client-2", partner: "@modelcontextprotocol/client" };

describe.each([
  { name: "mcp-sdk-1.0", partner: sdk, way: "its client and pagewire mcp", connect: connectOld },
  { name: "mcp-sdk-1.10", partner: sdk, way: "its client at the hub", connect: connectOld },
  { name: "mcp-sdk-1.12", partner: sdk, way: "its client at the hub", connect: connectOld },
  { name: "mcp-sdk-1.20", partner: sdk, way: "its client at the hub", connect: connectOld },
  { name: "mcp-sdk-1.32", partner: sdk, way: "its client at the hub", connect: connectOld },
  { ...newer, way: "its client at the hub, with sessions", connect: connectNew("legacy") },
  { ...newer, way: "its client at the hub, in 2026-07-28", connect: connectNew({ pin: "2026-07-28" }) },
])("$name: $way", ({ name, partner, way, connect }) => {
  test("lists, calls, hears of progress, and cancels a call in its tab", async ({ onTestFinished }) => {
    const client = await connect(name);
    onTestFinished(() => client.close());
    const names = async () => (await client.list()).map((tool) => tool.name);
    await expect.poll(names).toEqual(expect.arrayContaining(["echo", "never", "report", "list_browser_tabs"]));

    const tag = `${name} ${way}`;
    const { content } = await client.call("echo", { tag });
    expect(content).toMatchObject([{ type: "text", text: JSON.stringify({ tag }) }]);
    expect(await countsOf(tab, tag)).toEqual({ ran: 1, aborted: 0 });

    const seen: JsonBody[] = [];
    const reported = client.call("report", {}, { onprogress: (progress) => seen.push(progress) });
    await expect.poll(() => seen).toMatchObject([{ progress: 1, total: 2 }]);
    await tab.evaluate("finishReport()");
    expect((await reported).content).toMatchObject([{ text: "whole" }]);

    const leaving = new AbortController();
    const held = expect(client.call("never", { tag: `${tag} held` }, { signal: leaving.signal })).rejects.toThrow();
    await started(tab, `${tag} held`);
    leaving.abort("enough");
    await held;
    await expect.poll(() => countsOf(tab, `${tag} held`)).toEqual({ ran: 1, aborted: 1 });
    await record({ partner, version: await versionOf(name) }, way, "list, call in a tab, progress, cancel");
  });
});

test("the AI SDK's MCP client lists and calls", async ({ onTestFinished }) => {
  const { createMCPClient } = await load("@ai-sdk/mcp");
  const transport = { type: "http", url: `${world.hub.url}/mcp`, headers: headers() };
  const client = await createMCPClient({ transport });
  onTestFinished(() => client.close());
  const { echo } = await client.tools();
  const result = await echo.execute({ tag: "ai-sdk" }, { toolCallId: "1", messages: [] });
  expect(result.content).toMatchObject([{ text: '{"tag":"ai-sdk"}' }]);
  expect(await countsOf(tab, "ai-sdk")).toEqual({ ran: 1, aborted: 0 });
  await record(
    { partner: "@ai-sdk/mcp", version: await versionOf("@ai-sdk/mcp") },
    "its client at the hub",
    "list, call in a tab",
  );
});

test("LangChain's MCP adapters list and call", async ({ onTestFinished }) => {
  const name = "@langchain/mcp-adapters";
  const { MultiServerMCPClient } = await load(name);
  const pagewire = { transport: "http", url: `${world.hub.url}/mcp`, headers: headers() };
  const client = new MultiServerMCPClient({ mcpServers: { pagewire } });
  onTestFinished(() => client.close());
  const echo = (await client.getTools()).find((tool: JsonBody) => tool.name === "echo");
  expect(JSON.stringify(await echo.invoke({ tag: "langchain" }))).toContain("langchain");
  expect(await countsOf(tab, "langchain")).toEqual({ ran: 1, aborted: 0 });
  await record({ partner: name, version: await versionOf(name) }, "its client at the hub", "list, call in a tab");
});
