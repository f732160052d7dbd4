// The contestants for the tasks: Pagewire's hub, and the peers in their leanest settings.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { openChromium } from "../harness/chromium.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { debugPage } from "../harness/debugged-page.ts";
import { devToolsPrivately, devToolsScript, playwrightScript, startProgram } from "../harness/native-agents.ts";
import { startPageServer } from "../harness/page-server.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { connectSdkClient } from "../harness/prepare-mcp-callers.ts";
import { listToolNames } from "../harness/mcp-requests.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench } from "../harness/row.ts";
import { listen } from "../hubs/listen.ts";
import { nothing } from "./cost.ts";
import type { Cost } from "./cost.ts";
import { createModelAgent } from "./model-agent.ts";
import type { ModelAgent } from "./model-agent.ts";
import { byFinding, byOwnTools, byScript, demoTasks } from "./trajectories.ts";
import type { Task, Trajectories } from "./trajectories.ts";

/** One who does the tasks. */
export interface Way {
  readonly agent: ModelAgent;
  readonly trajectories: Trajectories;
  /** The cost of opening both pages once; Pagewire's pages are already open. */
  readonly opening: Cost;
  /** Tokens of the list where only the demo is open; a peer's list is always the same. */
  readonly demoList: Tokens;
  /** Brings this task's page to its beginning, which costs nothing. */
  reset(task: Task): Promise<void>;
}

/** A list's tokens: those that a model receives, and those that cross the wire. */
export interface Tokens {
  readonly model: number;
  readonly wire: number;
}

const patience = 20_000;

/** The hub, its demo and the page of many rows, both open. */
export async function openPagewire({ chromium }: Bench, running: ClosingList): Promise<Way> {
  const pages = running.add(await startPageServer());
  const parameters = { agentToken, allowedOrigins: [pages.origin], hasDemo: true };
  const { started } = running.add(await startRole("pagewire", parameters));
  const { port, demo = "" } = started;
  running.add(await openChromium(chromium, demo));
  await untilTool(port, "search_orders");
  const agent = running.add(createModelAgent("pagewire", await connectSdkClient(port, "2025-11-25")));
  const demoList = await listOf(agent);
  const rows = pages.pageFor("many-rows.js", port);
  const browser = running.add(await openChromium(chromium, rows, { isDebuggable: true }));
  await untilTool(port, "archive_invoices");
  return {
    agent,
    trajectories: byOwnTools,
    opening: nothing,
    demoList,
    async reset(task) {
      if (demoTasks.includes(task)) return void (await agent.call("filter_sales", { region: null }));
      // Attached for this alone: a debugger slows a tab.
      const page = await debugPage(await browser.address(), rows);
      await page.evaluate("restore()");
      page.close();
    },
  };
}

async function listOf(agent: ModelAgent): Promise<Tokens> {
  return { model: await agent.listTokens(), wire: await agent.wireTokens() };
}

async function untilTool(port: number, name: string): Promise<void> {
  const end = performance.now() + patience;
  while (!(await listToolNames(port)).includes(name)) {
    if (performance.now() > end) throw new Error(`No page brought the tool "${name}".`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A peer's program in one of its settings, and how a model uses it. */
interface Peer {
  readonly name: string;
  /** Node's arguments, for a browser whose debugger is at this address. */
  args(browser: string): readonly string[];
  readonly navigate: string;
  readonly trajectories: Trajectories;
}

const playwright = (browser: string) => [
  playwrightScript,
  ...["--cdp-endpoint", browser, "--snapshot-mode", "none", "--codegen", "none"],
];
const devTools = (browser: string) => [devToolsScript, "--browserUrl", browser, ...devToolsPrivately];
const unusedCategories = ["Emulation", "Performance", "Network", "Memory"].map((name) => `--no-category${name}`);

const asFunction = (value: string, statements?: string) =>
  statements === undefined ? `() => ${value}` : `() => {${statements};return ${value}}`;

const peers: readonly Peer[] = [
  { name: "Playwright, finding", args: playwright, navigate: "browser_navigate", trajectories: byFinding },
  {
    name: "Playwright, scripts",
    args: playwright,
    navigate: "browser_navigate",
    trajectories: byScript((agent, ...script) => agent.call("browser_evaluate", { function: asFunction(...script) })),
  },
  {
    name: "DevTools, scripts",
    args: (browser) => [...devTools(browser), "--no-pageIdRouting", ...unusedCategories],
    navigate: "navigate_page",
    trajectories: byScript((agent, ...script) => agent.call("evaluate_script", { function: asFunction(...script) })),
  },
  {
    name: "DevTools slim",
    args: (browser) => [...devTools(browser), "--slim"],
    navigate: "navigate",
    trajectories: byScript((agent, value, statements) =>
      agent.call("evaluate", { script: statements === undefined ? value : `${statements};${value}` }),
    ),
  },
];

/** Every peer, each with a browser of its own, on the same pages without a hub and without the panel of agents. */
export async function openPeers({ chromium, root }: Bench, running: ClosingList): Promise<readonly Way[]> {
  const pages = running.add(await startPageServer());
  const demo = running.add(await serveDemo(join(root, "dist", "demo")));
  const rows = pages.pageFor("many-rows.js", undefined);
  const ways: Way[] = [];
  for (const { name, args, navigate, trajectories } of peers) {
    const browser = running.add(await openChromium(chromium, "about:blank", { isDebuggable: true }));
    const { client, close } = await startProgram(args(await browser.address()));
    const agent = running.add(createModelAgent(name, client, close));
    const goTo = async (url: string) => void (await agent.call(navigate, { url }));
    const opening = await agent.costOf(async () => {
      await goTo(demo.url);
      await goTo(rows);
    });
    const reset = (task: Task) => goTo(demoTasks.includes(task) ? demo.url : rows);
    ways.push({ agent, trajectories, opening, demoList: await listOf(agent), reset });
  }
  return ways;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** The demo as an ordinary page: without a hub, and without stored notes. */
async function serveDemo(folder: string): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://demo").pathname;
    const file = path === "/" ? "/index.html" : path;
    readFile(join(folder, file)).then(
      (body) =>
        response
          .writeHead(200, {
            "Content-Type": types[extname(file)] ?? "application/octet-stream",
            ...(path === "/" && { "Clear-Site-Data": '"storage"' }),
          })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  const { port } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
