// A page at the origin of an MCP server, in browsers with and without WebMCP.
import type { WebMcpHandle, WebMcpOptions } from "pagewire/webmcp";
import { openChromium } from "../e2e/support/chromium.ts";
import type { Browser } from "../e2e/support/chromium.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { Page, PageServer } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { createMcpAgent } from "./mcp-agent.ts";
import type { McpAgent } from "./mcp-agent.ts";
import { bundleForPage } from "./sample-modules.ts";

/** A page's model context: the browser's own, that of earlier browsers, Pagewire's polyfill, or none. */
export type Place = "document" | "navigator" | "polyfill" | "nowhere";

export interface WebMcpWorld {
  readonly pages: PageServer;
  /** Additional pages, by path. */
  readonly served: Record<string, Page>;
  /** The server at /mcp. A test may replace it. */
  agent: McpAgent;
  /** The server at /other. */
  other: McpAgent;
  /** Opens a page with `window.probe`, and a module if one is named. */
  open(place: Place, module?: string): Promise<Tab>;
  /** Closes all pages, and recreates both servers. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** The test's interface to a page. */
export interface Probe {
  /** The arguments of the option's callback, in order. */
  readonly synced: string[][];
  readonly errors: string[];
  readonly logs: string[];
  /** The browser's `toolchange` events. */
  changes: number;
  /** Registers with these options; those that are functions are the probe's own. Returns the names. */
  register(options: Partial<WebMcpOptions>): Promise<readonly string[]>;
  /** The browser's tools, sorted by name. */
  tools(): Promise<readonly { name: string; description: string; inputSchema: unknown; annotations: unknown }[]>;
  names(): Promise<readonly string[]>;
  /** Runs a tool as the browser's agent does. */
  execute(name: string, input?: object): Promise<string>;
  /** The same; returns the error's message. */
  fail(name: string, input?: object): Promise<string>;
}

const program = `
import { registerWebMcp } from "pagewire/webmcp";
import "./stand-in";

const probe = {
  synced: [], errors: [], logs: [], changes: 0,
  async register(options) {
    const log = (level) => (...words) => probe.logs.push([level, ...words].map(String).join(" "));
    window.handle = await registerWebMcp({
      url: "/mcp",
      logger: { info: log("info"), warn: log("warn"), error: log("error"), debug: log("debug") },
      onSync: (tools) => probe.synced.push(tools.map(({ name }) => name)),
      onError: (error) => probe.errors.push(error.message),
      ...options,
    });
    return window.handle.tools;
  },
  async tools() {
    const tools = standIn ? [...standIn.values()] : await document.modelContext.getTools();
    return tools
      .map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  },
  names: async () => (await probe.tools()).map(({ name }) => name),
  async execute(name, input = {}) {
    // Earlier browsers passed a client instead of options.
    if (standIn) return standIn.get(name).execute(input, { requestUserInteraction: (run) => run() });
    const tool = (await document.modelContext.getTools()).find((one) => one.name === name);
    return document.modelContext.executeTool(tool, input);
  },
  fail: (name, input) => probe.execute(name, input).then(
    (result) => { throw new Error("It did not fail: " + result); },
    (error) => error.message,
  ),
};
document.modelContext?.addEventListener("toolchange", () => probe.changes++);
Object.assign(window, { probe, registerWebMcp });
`;

/** `navigator.modelContext` of earlier browsers: nothing is awaited, and nothing is returned. */
const standIn = `
const tools = new Map();
globalThis.standIn = new URLSearchParams(location.search).get("place") === "navigator" ? tools : undefined;
const registerTool = (tool, { signal } = {}) => {
  if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
  if (signal?.aborted) throw signal.reason;
  tools.set(tool.name, tool);
  signal?.addEventListener("abort", () => tools.get(tool.name) === tool && tools.delete(tool.name));
};
if (globalThis.standIn) Object.defineProperty(navigator, "modelContext", { configurable: true, value: { registerTool } });
`;

export async function createWebMcpWorld(): Promise<WebMcpWorld> {
  const served: Record<string, Page> = {};
  const pages = await servePages(served, {
    listeners: {
      "/mcp": (request, response) => world.agent.listener(request, response),
      "/other": (request, response) => world.other.listener(request, response),
    },
  });
  served["/probe.js"] = await bundleForPage(program, { supplied: { "./stand-in": standIn } });
  served["/polyfill.js"] = await bundleForPage(`import "pagewire/webmcp/polyfill";`);
  const browsers = new Map<boolean, Promise<Browser>>();

  /** The browser for this place; started on first use. */
  function browserFor(place: Place): Promise<Browser> {
    const isNative = place === "document";
    const known = browsers.get(isNative);
    if (known) return known;
    const browser = openChromium(isNative ? { features: { enable: ["WebMCP"] } } : {});
    browsers.set(isNative, browser);
    return browser;
  }

  const world: WebMcpWorld = {
    pages,
    served,
    agent: createMcpAgent(),
    other: createMcpAgent(),
    async open(place, module) {
      const scripts = [...(place === "polyfill" ? ["/polyfill.js"] : []), "/probe.js", ...(module ? [module] : [])];
      const tags = scripts.map((path) => `<script type="module" src="${path}"></script>`).join("");
      served["/page"] = `<!doctype html><title>Page</title><main style="height: 5000px"></main>${tags}`;
      const tab = await (await browserFor(place)).open(pages.url(`/page?place=${place}`));
      await tab.waitFor("window.probe");
      return tab;
    },
    async reset() {
      for (const browser of await Promise.all(browsers.values()))
        for (const tab of await browser.tabs()) await tab.close();
      world.agent = createMcpAgent();
      world.other = createMcpAgent();
    },
    async close() {
      for (const browser of await Promise.all(browsers.values())) await browser.close();
      await pages.close();
    },
  };
  return world;
}

declare global {
  interface Window {
    probe: Probe;
    handle: WebMcpHandle;
    registerWebMcp: (options: WebMcpOptions) => Promise<WebMcpHandle>;
  }
}
