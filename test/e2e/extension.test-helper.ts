// The built extension in a real Chromium, with a hub that it is paired with and pages of two sites.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHub } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import type { FromOwnPage, Reply, ShownHub, ShownTab } from "../../src/extension/index.ts";
import { launchChromium } from "./support/chromium.ts";
import type { Browser, ChromiumOptions, ChromiumProcess } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, listTabs, worldToken } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

const built = fileURLToPath(new URL("../../dist/extension/chrome", import.meta.url));

/** The extension's id, which follows from the key in its manifest. */
const extensionId = "kjdlelgaegiapibjdmhoglemlmjdcked";
export const extensionOrigin = `chrome-extension://${extensionId}`;

/** A copy of the built extension that may access the pages of tests: a test cannot answer the browser's prompt there. */
async function copyExtension(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "pagewire-extension-"));
  await cp(built, folder, { recursive: true });
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...manifest, host_permissions: ["http://127.0.0.1/*", "http://*.test/*"] }));
  // An own page of the extension, from which a test speaks to the worker.
  await writeFile(join(folder, "test.html"), "<!doctype html><title>Test</title>");
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A tab as agents see it. */
export interface ListedTab {
  readonly tabId: string;
  readonly app: string;
  readonly origin: string;
  readonly title: string;
  readonly state: string;
  readonly tools: readonly string[];
  readonly browser?: string;
}

export interface ExtensionWorld {
  readonly hub: Hub;
  /** The agents' token, which may also make codes to pair with. */
  readonly token: string;
  readonly browser: ChromiumProcess;
  readonly pages: PageServer;
  readonly call: CallByHttp;
  /** Sends the worker a message of the extension's own pages. */
  send(message: FromOwnPage): Promise<Reply>;
  /** All that the worker stored for the extension's own pages. */
  everything(): Promise<Readonly<Record<string, unknown>>>;
  shownHub(): Promise<ShownHub | undefined>;
  /** The popup's state of the only tab of this origin, with the browser's id of the tab. */
  shownTab(origin: string): Promise<(ShownTab & { readonly id: number }) | undefined>;
  /** Runs a script in an own page of the extension. */
  inExtension(script: string): Promise<unknown>;
  /** Closes the window with the questions, as its person does. */
  closeAskWindow(): Promise<void>;
  /** Closes all tabs but the extension's own, and waits until agents see none. */
  closeTabs(): Promise<void>;
  /** A code to pair with, as `pagewire extension` prints it. */
  mintCode(): Promise<string>;
  /** Pairs the browser with the world's hub, or with another one: by the credential that may make codes there. */
  pair(other?: { readonly url: string; readonly token: string }): Promise<void>;
  /** Loads the extension again, as after an update. */
  reloadExtension(): Promise<void>;
  /** Switches the extension off and on again, as its person does in the browser's list of extensions. */
  switchOffAndOn(): Promise<void>;
  /** The tabs that agents see. */
  tabs(): Promise<readonly ListedTab[]>;
  /** Opens a page and waits until agents have its tools. */
  open(path?: string, origin?: string): Promise<Tab>;
  /** The person clicks the extension's button while this tab is shown: its popup opens, and the browser grants activeTab. */
  clickButton(tab: Tab): Promise<void>;
  /** Stops the extension's worker, as the browser does when it is idle. */
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface ExtensionWorldOptions {
  readonly isNative?: boolean;
  readonly limits?: HubOptions["limits"];
  /** Whether the hub also takes the pages' own scripts. */
  readonly allowsPages?: boolean;
  readonly publicHosts?: readonly string[];
  readonly chromium?: ChromiumOptions;
  pages?(hub: string): Record<string, Page>;
}

/** A page whose tools are its own script's, with nothing of Pagewire. */
const stockPage = `<!doctype html><title>Shop</title><script>
globalThis.shop = { sold: 0, state: "" };
const { modelContext } = document;
const register = (tool) => void modelContext.registerTool({ description: tool.name, ...tool });
register({ name: "price_of", annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
  execute: ({ item }) => ({ item, price: 12 }) });
register({ name: "buy", inputSchema: { type: "object", properties: { item: { type: "string" } } }, execute: () => ({ sold: ++shop.sold }) });
register({ name: "wait", annotations: { readOnlyHint: true }, execute: (_, { signal } = {}) => new Promise((resolve, reject) => {
  shop.state = "waiting"; shop.finish = () => resolve("waited");
  signal?.addEventListener("abort", () => { shop.state = "gave up"; reject(signal.reason); });
}) });
</script>`;

export async function createExtensionWorld(options: ExtensionWorldOptions = {}): Promise<ExtensionWorld> {
  const { isNative = true, limits = {}, publicHosts = [], chromium = {}, pages: pagesOf = () => ({}) } = options;
  const served: Record<string, Page> = { "/": stockPage, "/empty": "<!doctype html><title>Empty</title>" };
  const [pages, extension] = await Promise.all([servePages(served), copyExtension()]);
  const allowing = options.allowsPages ? { allowedOrigins: () => [pages.origin] } : {};
  const hub = await createHub({ port: 0, agentToken: () => worldToken, limits, publicHosts, ...allowing });
  Object.assign(served, pagesOf(hub.url));
  const browser = await launchChromium({
    ...chromium,
    features: { ...chromium.features, enable: [...(isNative ? ["WebMCP"] : []), ...(chromium.features?.enable ?? [])] },
    args: ["--enable-unsafe-extension-debugging", `--load-extension=${extension.folder}`, ...(chromium.args ?? [])],
  });
  let own = await openOwn(browser);
  const call = callerOf(hub.url, worldToken);

  const send = (message: FromOwnPage) =>
    own.evaluate<Reply, [FromOwnPage]>(
      (sent) =>
        (
          globalThis as unknown as { chrome: { runtime: { sendMessage(m: unknown): Promise<Reply> } } }
        ).chrome.runtime.sendMessage(sent),
      message,
    );

  const everything = () => own.evaluate<Record<string, unknown>>("chrome.storage.session.get(null)");

  async function mintCode({ url, token } = { url: hub.url, token: worldToken }): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/browser-codes`, { method: "POST", headers });
    return ((await response.json()) as { readonly code: string }).code;
  }

  async function pair(other = { url: hub.url, token: worldToken }): Promise<void> {
    const code = await mintCode(other);
    const reply = await send({ type: "pair", address: other.url, code, browser: "Ann's Chrome" });
    if (!reply.ok) throw new Error(reply.message);
  }

  const tabs = async () => (await listTabs(call)) as unknown as readonly ListedTab[];

  return {
    ...{ hub, token: worldToken, browser, pages, call, send, mintCode, pair, tabs },
    everything,
    shownHub: async () => (await everything())["hub"] as ShownHub | undefined,
    async shownTab(origin) {
      const all = Object.entries(await everything()).filter(([name]) => name.startsWith("tab:"));
      const shown = all.map(([name, tab]) => ({ ...(tab as ShownTab), id: Number(name.slice("tab:".length)) }));
      return shown.find((tab) => tab.origin === origin);
    },
    inExtension: (script) => own.evaluate(script),
    async closeAskWindow() {
      await own.evaluate(
        "chrome.storage.session.get('ask-window').then((kept) => chrome.windows.remove(kept['ask-window']))",
      );
    },
    async closeTabs() {
      await browser.closeTabs([own]);
      await waitUntil(
        async () => (await tabs()).length === 0,
        () => "The hub still lists a closed tab.",
      );
    },
    async open(path = "/", origin = pages.origin) {
      const known = new Set((await tabs()).map(({ tabId }) => tabId));
      const tab = await browser.open(origin + path);
      await waitUntil(
        async () => (await tabs()).some(({ tabId, tools }) => !known.has(tabId) && tools.length > 0),
        () => `The page ${origin}${path} is not among the hub's tabs.`,
      );
      return tab;
    },
    async clickButton(tab) {
      const url = await tab.evaluate<string>("location.href");
      const found = await browser.send<{
        readonly targetInfos: readonly { readonly targetId: string; readonly url: string }[];
      }>("Target.getTargets", { filter: [{ type: "tab" }] });
      const targetId = found.targetInfos.find((target) => target.url === url)?.targetId;
      await browser.send("Extensions.triggerAction", { id: extensionId, targetId });
    },
    async reloadExtension() {
      await browser.send("Extensions.loadUnpacked", { path: extension.folder });
      own = await openOwn(browser);
    },
    async switchOffAndOn() {
      const list = await browser.open("chrome://extensions");
      for (const isOn of [false, true]) await list.evaluate(`chrome.management.setEnabled("${extensionId}", ${isOn})`);
      await list.close();
      own = await openOwn(browser);
    },
    async stopWorker() {
      // A debugger keeps a worker alive: it is only there for the command.
      await own.send("ServiceWorker.enable");
      await own.send("ServiceWorker.stopAllWorkers");
      await own.send("ServiceWorker.disable");
    },
    async close() {
      await browser.close();
      await Promise.all([hub.close(), pages.close(), extension.remove()]);
    },
  };
}

/** An own page of the extension, which is loaded while the browser starts. */
async function openOwn(browser: Browser): Promise<Tab> {
  await waitUntil(
    () => isLoaded(browser),
    () => "Chromium does not load the extension.",
  );
  return browser.open(`${extensionOrigin}/test.html`, { newWindow: true });
}

async function isLoaded({ send }: Browser): Promise<boolean> {
  const { targetInfos } = await send<{ readonly targetInfos: readonly { readonly url: string }[] }>(
    "Target.getTargets",
    {
      filter: [{}],
    },
  );
  return targetInfos.some(({ url }) => url === `${extensionOrigin}/worker.js`);
}
