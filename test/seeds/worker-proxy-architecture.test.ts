// Runs the samples of the worker-proxy seed exactly as written, with an MCP client at the other end.
import { readFileSync } from "node:fs";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import type { WorkerClient } from "pagewire/worker";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bundleModule } from "../e2e/support/bundle.ts";
import { connectMcp } from "../e2e/support/mcp-client.ts";
import type { Page } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { waitUntil } from "../e2e/support/wait.ts";
import { createWorld, listTabs } from "../e2e/support/world.ts";
import type { World } from "../e2e/support/world.ts";
import { readSamples } from "./samples.ts";

const samples = readSamples("./worker-proxy-architecture.md");
const worker = readFileSync(new URL("../../dist/browser/pagewire-worker.js", import.meta.url));

interface Surroundings {
  /** Code before the sample, for what it leaves out. */
  readonly before?: string;
  readonly modules?: Readonly<Record<string, string>>;
  /** Replacements for its ellipses. */
  readonly filled?: Readonly<Record<string, string>>;
}

const programs: Readonly<Record<string, Surroundings>> = {
  "Full Browser API Access": { before: 'const useUser = () => ({ name: "Ada" });' },
  "Use Any Imports": {
    before: 'const schema = { type: "object", properties: { email: { type: "string" } }, required: ["email"] };',
    modules: { "./api": "export const myApi = { callSomething: async (value) => ({ called: value }) };" },
    filled: { "z.object({ ... })": "z.object({ email: z.email() })" },
  },
  "Easy Testing": {
    before: `const schema = {};
      const test = (title, body) => (window.tested = body().then(() => title));
      const expect = (text) => ({ toContain(part) { if (!text.includes(part)) throw new Error(text); } });`,
    filled: { "text: '...'": "text: JSON.stringify(args)" },
  },
};

let world: World;
let agent: Client;

beforeAll(async () => {
  const served: Record<string, Page> = { "/pagewire-worker.js": { body: worker, type: "text/javascript" } };
  for (const [heading, surroundings] of Object.entries(programs)) {
    const path = pathOf(heading);
    served[path] = `<!doctype html><title>Sample</title><script type="module" src="${path}.js"></script>`;
    served[`${path}.js`] = await scriptOf(heading, surroundings);
  }
  world = await createWorld({
    morePages: () => served,
    limits: { graceTime: 500 },
  });
  agent = await connectMcp(world.hub, world.token);
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) await tab.close();
  await waitUntil(
    async () => (await listTabs(world.call)).length === 0,
    () => "A tab is still listed.",
  );
});

afterAll(async () => {
  await agent.close();
  await world.close();
});

const pathOf = (heading: string) => `/${heading.replaceAll(" ", "-").toLowerCase()}`;

/** A page's program: its `client` is ours, and everything else is the sample's. */
function scriptOf(heading: string, { before = "", modules = {}, filled }: Surroundings): Promise<Page> {
  return bundleModule(
    `import { workerClient as client } from "pagewire/worker";
    ${before}
    window.client = client;
    client.onConnectionStatus((_, state) => (window.state = state));
    await client.init({ backendWsUrl: new URLSearchParams(location.search).get("hub") });
    ${sampleOf(heading, filled)}
    window.ranWhole = true;`,
    modules,
  );
}

/** A sample with its gaps filled. */
function sampleOf(heading: string, filled: Readonly<Record<string, string>> = {}): string {
  let sample = samples.get(heading) ?? "";
  for (const [gap, filling] of Object.entries(filled)) {
    expect(sample).toContain(gap);
    sample = sample.replace(gap, filling);
  }
  return sample;
}

/** Opens the page that runs a sample, and waits until the hub has its tools, which follow its hello. */
async function run(heading: string): Promise<Tab> {
  const hub = encodeURIComponent(world.hub.url.replace("http", "ws"));
  const tab = await world.browser.open(world.pages.url(`${pathOf(heading)}?hub=${hub}`));
  await tab.waitFor("window.ranWhole && window.state?.status === 'connected'");
  expect(await tab.evaluate("state.via.kind")).toBe("shared-worker");
  expect(tab.console.errors).toEqual([]);
  const [id, tools] = await tab.evaluate<[string, string[]]>("[client.getTabId(), client.getRegisteredTools()]");
  const listed = async () => (await listTabs(world.call)).find(({ tabId }) => tabId === id)?.tools;
  await expect.poll(listed).toEqual(expect.arrayContaining(tools));
  return tab;
}

/** Calls a tool as an MCP client; returns its text. */
async function textOf(name: string, input: Record<string, unknown> = {}): Promise<string> {
  const { content } = (await agent.callTool({ name, arguments: input })) as CallToolResult;
  return content[0]?.type === "text" ? content[0].text : "";
}

test("every sample that uses a public API is here", () => {
  expect([...samples.keys()]).toEqual([
    "Full Browser API Access",
    "Use Any Imports",
    "Easy Testing",
    "Hybrid Routing Strategy",
    "Tool Schema Enhancement",
  ]);
});

test("Full Browser API Access", async () => {
  const tab = await run("Full Browser API Access");
  await tab.evaluate("localStorage.setItem('theme', 'dark')");
  expect(JSON.parse(await textOf("get_page_info"))).toEqual({ title: "Sample", theme: "dark", user: { name: "Ada" } });
});

test("Use Any Imports", async () => {
  await run("Use Any Imports");
  const good = await textOf("validate", { email: "ada@example.com" });
  expect(JSON.parse(good)).toEqual({ called: { email: "ada@example.com" } });
  expect(await agent.callTool({ name: "validate", arguments: { email: "nobody" } })).toMatchObject({ isError: true });
});

test("Easy Testing", async () => {
  const tab = await run("Easy Testing");
  expect(await tab.evaluate("window.tested")).toBe("myHandler works");
  expect(await textOf("my_tool", { test: "data" })).toBe('{"test":"data"}');
});

test("Hybrid Routing Strategy", async () => {
  const [dashboard, focused] = [await run("Full Browser API Access"), await run("Full Browser API Access")];
  await dashboard.evaluate("document.title = 'Dashboard'");
  const [tabId, focusedId] = await Promise.all(
    [dashboard, focused].map((tab) => tab.evaluate<string>("client.getTabId()")),
  );
  await focused.activate();
  await focused.waitFor("document.hasFocus()");
  await expect.poll(async () => (await listTabs(world.call)).find(({ isActive }) => isActive)?.tabId).toBe(focusedId);

  const sample = sampleOf("Hybrid Routing Strategy", {
    'get_page_info({ tabId: "abc-123"': `get_page_info({ tabId: "${tabId}"`,
  });
  const said: Promise<string>[] = [];
  const called = (name: string) => (input?: Record<string, unknown>) => void said.push(textOf(name, input));
  // oxlint-disable-next-line no-implied-eval -- The sample is the agent's program.
  const program = new Function("list_browser_tabs", "get_page_info", sample);
  program(called("list_browser_tabs"), called("get_page_info"));
  const [tabs, fromFocused, fromDashboard] = (await Promise.all(said)).map((text): unknown => JSON.parse(text));
  expect(tabs).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ tabId, title: "Dashboard", isActive: false }),
      expect.objectContaining({ tabId: focusedId, title: "Sample", isActive: true }),
    ]),
  );
  expect([fromFocused, fromDashboard]).toMatchObject([{ title: "Sample" }, { title: "Dashboard" }]);
});

test("Tool Schema Enhancement", async () => {
  const filled = { "// ... your properties ...": '"range": { "type": "string" },' };
  const enhanced: unknown = JSON.parse(sampleOf("Tool Schema Enhancement", filled));
  const schema = { type: "object", properties: { range: { type: "string" } } };
  // With a single tab there is no choice of tabs to describe.
  for (const tab of [await run("Full Browser API Access"), await run("Full Browser API Access")]) {
    await tab.evaluate((given: object) => window.client.registerTool("tool", "", given, () => ""), schema);
  }
  const listed = async () => (await agent.listTools()).tools.find(({ name }) => name === "tool")?.inputSchema;
  await expect.poll(listed).toEqual(enhanced);
});

declare global {
  interface Window {
    client: WorkerClient;
  }
}
