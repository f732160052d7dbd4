// The clients that others write their agents with, against the real command, a real hub and a page.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildCommand } from "../mcp/test-support/command.test-helper.ts";
import type { BuiltCommand } from "../mcp/test-support/command.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { someTool } from "../test-support/test-page.test-helper.ts";
import type { PageCall, TestPage } from "../test-support/test-page.test-helper.ts";

// Each test starts several processes.

let command: BuiltCommand;
let cli: TestIo;
let hub: TestHub;
let page: TestPage;
/** The progress notifications of a call that a client receives. */
let heard: Promise<unknown>;
let hear: (progress: unknown) => void;
const clients: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  heard = new Promise((resolve) => (hear = resolve));
  cli = createTestIo();
  hub = await startTestHub(cli);
  page = await hub.page({ tools, handle });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await hub.close();
  cli.close();
});

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

const tools = [
  someTool,
  ...["asks", "reports", "endless", "large"].map((name) => ({ name, inputSchema: { type: "object" as const } })),
  {
    name: "marked",
    inputSchema: {
      type: "object" as const,
      properties: { city: { type: "string", "x-mcp-header": "City" } },
    },
  },
];

async function handle({ name, input, ask, say, frame: { id } }: PageCall) {
  if (name === "asks") {
    const schema = { type: "object", properties: { size: { type: "string" } } };
    return text(JSON.stringify(await ask({ mode: "form", message: "Which size?", requestedSchema: schema })));
  }
  if (name === "reports") {
    say({ type: "progress", id, progress: 1, total: 2, message: "half" });
    // These clients miss progress that arrives together with the answer.
    await heard;
  }
  if (name === "endless") return new Promise<never>(() => {});
  if (name === "large") return text("ä".repeat(4_000_000));
  return text(`Hello ${JSON.stringify(input)}`);
}

const parameters = () => ({
  command: process.execPath,
  args: [command.program, "mcp"],
  env: { PAGEWIRE_HOME: cli.home },
  stderr: "pipe" as const,
});

const elicited = async () => ({ action: "accept" as const, content: { size: "M" } });
const about = { name: "tester", version: "1.0" };
const capabilities = { elicitation: {} };

type Mode = "legacy" | "auto" | { readonly pin: string };

/** A client of the SDK's second line. */
async function connectSecond(mode: Mode): Promise<Client> {
  const client = new Client(about, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", elicited);
  await client.connect(new StdioClientTransport(parameters()));
  clients.push(client);
  return client;
}

/** A client of the SDK's first line. */
async function connectFirst(): Promise<FirstClient> {
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const client = new FirstClient(about, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, elicited);
  await client.connect(new FirstTransport(parameters()));
  clients.push(client);
  return client;
}

const kinds: readonly (readonly [string, () => Promise<Client>])[] = [
  ["of the second line, with sessions", () => connectSecond("legacy")],
  ["of the second line, that finds out", () => connectSecond("auto")],
  ["of the second line, without sessions", () => connectSecond({ pin: "2026-07-28" })],
  ["of the first line", async () => (await connectFirst()) as unknown as Client],
];

test.each(kinds)("a client %s lists, calls, hears progress, is asked and gets what is large", async (_, connect) => {
  const client = await connect();
  const { tools: listed } = await client.listTools();
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(["greet", "asks", "list_browser_tabs"]));
  const call = (name: string, given = {}, options = {}) => {
    const params = { name, arguments: given };
    // The first line has its results' schema between the two.
    return client.callTool(params, ...((client instanceof FirstClient ? [undefined, options] : [options]) as [object]));
  };
  expect(await call("greet", { name: "Ada" })).toMatchObject(text('Hello {"name":"Ada"}'));
  expect(await call("marked", { city: "Köln" })).toMatchObject(text('Hello {"city":"Köln"}'));
  await call("reports", {}, { onprogress: hear });
  expect(await heard).toMatchObject({ progress: 1, total: 2, message: "half" });
  expect(JSON.stringify(await call("asks"))).toContain("accept");
  const { content } = (await call("large")) as { content: { text: string }[] };
  expect(content[0]?.text).toHaveLength(4_000_000);
  await expect(call("missing")).rejects.toThrow(/missing/);
});

test.each(kinds)("what a client %s cancels is ended in the page", async (_, connect) => {
  const client = await connect();
  const aborter = new AbortController();
  const options = { signal: aborter.signal };
  const params = { name: "endless", arguments: {} };
  const called = client.callTool(
    params,
    ...((client instanceof FirstClient ? [undefined, options] : [options]) as [object]),
  );
  const { signal } = await page.firstCall;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  aborter.abort("not needed");
  await expect(called).rejects.toThrow();
  await aborted;
});

test.each(["legacy", "auto"] as const)(
  "a client that is connected as %s hears that tools have changed",
  async (mode) => {
    let changed: (names: readonly string[]) => void = () => {};
    const told = new Promise<readonly string[]>((resolve) => (changed = resolve));
    const onChanged = (_: unknown, list: readonly { name: string }[] | null) =>
      changed((list ?? []).map(({ name }) => name));
    const client = new Client(about, { versionNegotiation: { mode }, listChanged: { tools: { onChanged } } });
    await client.connect(new StdioClientTransport(parameters()));
    clients.push(client);
    await hub.page({ tools: [{ name: "another", inputSchema: { type: "object" } }], title: "Another page" });
    expect(await told).toContain("another");
  },
);
