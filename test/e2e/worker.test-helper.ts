// An app whose pages use the worker, a hub, and a proxy between them that counts and breaks their sockets.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { createHub } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import { createFaultProxy } from "pagewire/testing";
import type { FaultProxy } from "pagewire/testing";
import { recordFault } from "../support/record-fault.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import { shopPage } from "./support/shop.ts";
import type { Tab } from "./support/tab.ts";
import { hangs, waitUntil } from "./support/wait.ts";
import { callerOf, connected, offered, started, tabIdOf, worldToken } from "./support/world.ts";
import type { CallByHttp, HttpOutcome } from "./support/world.ts";

/** A hub, the proxy that only its sockets go through, and an agent that calls it. */
export interface ProxiedHub {
  readonly hub: Hub;
  readonly proxy: FaultProxy;
  readonly call: CallByHttp;
  /** Calls a tool of this tab that answers at once. */
  echo(tab: Tab, tag: string): Promise<HttpOutcome>;
  /** Calls a tool of this tab that runs until `finish()`, or another tool, and waits until it runs. */
  start(tab: Tab, tag: string, tool?: string): Promise<Running>;
  /** The page of an app that uses a worker; `attributes` are added to its script tag. */
  page(options?: PageOfApp): string;
  /** Closes the hub and starts another in its place. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Running {
  readonly ended: Promise<HttpOutcome>;
}

export interface PageOfApp {
  /** HTML before the script tag. */
  readonly before?: string;
  /** Of the script tag; by default it uses the workers at their usual addresses. */
  readonly attributes?: string;
  /** The script's address, if the hub does not serve it. */
  readonly script?: string;
}

export interface WorkerWorld {
  readonly browser: Browser;
  readonly pages: PageServer;
  /** The responses of the app's server; tests can add more at any time. */
  readonly served: Record<string, Page>;
  readonly main: ProxiedHub;
  addHub(limits?: HubOptions["limits"]): Promise<ProxiedHub>;
  /** Opens a page of the app and waits until it is connected, and its hub has its tools if it can be reached. */
  open(path?: string): Promise<Tab>;
  /** Opens `count` pages, one after the other. */
  openMany<Count extends number>(count: Count, path?: string): Promise<Tabs<Count>>;
  /** Closes all tabs, and waits until the only sockets left to a hub are those of tabs that stay. */
  closeTabs(staying?: { readonly tab: Tab; readonly hub: ProxiedHub }): Promise<void>;
  close(): Promise<void>;
}

/** A tuple of `Count` tabs. */
type Tabs<Count extends number, So extends readonly Tab[] = []> = number extends Count
  ? readonly Tab[]
  : So["length"] extends Count
    ? So
    : Tabs<Count, readonly [...So, Tab]>;

/** A script of the built package. */
export const builtScript = (path: string): Page => ({
  body: readFileSync(new URL(`../../dist/browser/${path}`, import.meta.url)),
  type: "text/javascript",
});

export async function createWorkerWorld(): Promise<WorkerWorld> {
  const served: Record<string, Page> = {
    "/pagewire-worker.js": builtScript("pagewire-worker.js"),
    "/pagewire-service-worker.js": builtScript("pagewire-service-worker.js"),
    "/elsewhere": "<title>Elsewhere</title>",
    "/file.bin": { body: "bytes", type: "application/octet-stream", headers: { "content-disposition": "attachment" } },
  };
  const pages = await servePages(served);
  const hubs: ProxiedHub[] = [];
  const addHub: WorkerWorld["addHub"] = async (limits = {}) => {
    const hub = await startProxiedHub([pages.origin, pages.originFor("insecure.test")], limits);
    hubs.push(hub);
    return hub;
  };
  // A tab of a busy machine is back later than usual.
  const main = await addHub({ graceTime: 60_000 });
  served["/"] = main.page();
  const browser = await openChromium();
  const open: WorkerWorld["open"] = async (path = "/") => {
    const tab = await browser.open(pages.url(path));
    await connected(tab);
    const message = await tab.evaluate<string>("pagewire.state.message");
    const hub = hubs.find(({ proxy }) => message.startsWith("Connected") && message.includes(`:${proxy.port}.`));
    if (hub) await offered(tab, hub.call);
    return tab;
  };
  return {
    browser,
    pages,
    served,
    main,
    addHub,
    open,
    async openMany<Count extends number>(count: Count, path?: string) {
      const tabs: Tab[] = [];
      while (tabs.length < count) tabs.push(await open(path));
      return tabs as unknown as Tabs<Count>;
    },
    async closeTabs(staying) {
      await browser.closeTabs(staying && [staying.tab]);
      const left = hubs.filter((hub) => hub !== staying?.hub);
      await waitUntil(
        async () => left.every(({ proxy }) => proxy.connections === 0),
        () => `Sockets are open without a tab: ${left.map(({ proxy }) => proxy.connections).join(", ")}.`,
      );
    },
    async close() {
      await browser.close();
      for (const hub of hubs) await hub.close();
      await pages.close();
    },
  };
}

async function startProxiedHub(origins: readonly string[], limits: HubOptions["limits"] = {}): Promise<ProxiedHub> {
  // The proxy and the hub each need the other's port.
  const target = { host: "127.0.0.1", port: 0 };
  const proxy = await createFaultProxy({ target });
  const start = () =>
    createHub({
      port: target.port,
      agentToken: () => worldToken,
      allowedOrigins: () => origins,
      limits,
      publicHosts: [`127.0.0.1:${proxy.port}`],
    });
  let hub = await start();
  target.port = hub.port;
  const call = callerOf(hub.url, worldToken);
  return {
    get hub() {
      return hub;
    },
    proxy,
    call,
    echo: async (tab, tag) => call("echo", { tag }, { tab: await tabIdOf(tab) }),
    async start(tab, tag, tool = "hold") {
      const ended = call(tool, { tag }, { tab: await tabIdOf(tab) });
      const early = ended.then((outcome) => {
        throw new Error(`The call ended before its tool began: ${JSON.stringify(outcome)}`);
      });
      await Promise.race([started(tab, tag), early]);
      return { ended };
    },
    page: ({ before = "", attributes = "data-worker", script = hub.url } = {}) =>
      before + shopPage(script).replace("data-app", `data-hub="http://127.0.0.1:${proxy.port}" ${attributes} data-app`),
    async restart() {
      await hub.close();
      hub = await start();
    },
    async close() {
      await proxy.close();
      await hub.close();
    },
  };
}

/** The counts of a tool that ran once and was not aborted. */
export const once = { ran: 1, aborted: 0 };

/** Records a fault and its outcome. */
export function note(fault: string, observed: string | HttpOutcome, count = 1): void {
  const came = typeof observed === "string" ? observed : `${observed.outcome}, ran: ${observed.ran}`;
  recordFault("worker", {
    fault: `worker: ${fault}`,
    expected: "every tab back, one call one run",
    observed: came,
    count,
  });
}

/** Records a page's connection states from now on. */
export async function watch(tab: Tab): Promise<void> {
  await tab.evaluate(`
    window.states = [];
    window.since = performance.now();
    pagewire.onState(({ status, via }) => states.push({ status, via, at: performance.now() - since }));
  `);
}

/** The page's states since `watch`. */
export function statesOf(tab: Tab): Promise<readonly { readonly status: string }[]> {
  return tab.evaluate("states");
}

/** Waits until a watched page is connected again; resolves with the milliseconds since `watch`. */
export function back(tab: Tab, timeout = hangs): Promise<number> {
  return tab.waitFor<number>("states.find(({ status }) => status === 'connected')?.at", { timeout });
}

/** How the page is connected, according to its state. */
export function viaOf(tab: Tab): Promise<{ readonly kind: string; readonly reason?: string }> {
  return tab.evaluate("pagewire.state.via");
}

/** A module of the package's sources as a script, with other versions of the protocol between pages and workers. */
export async function scriptOfVersions(source: string, versions: readonly number[]): Promise<Page> {
  const root = new URL("../../", import.meta.url);
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(source, root))],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    plugins: [
      {
        name: "versions",
        setup({ onLoad }) {
          onLoad({ filter: /worker-messages\.ts$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(/(workerVersions.*) = \[1\]/, `$1 = [${versions.join()}]`),
            loader: "ts",
          }));
        },
      },
    ],
  });
  return { body: outputFiles[0]?.text ?? "", type: "text/javascript" };
}
