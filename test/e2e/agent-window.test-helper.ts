// An app and the agent's window beside it, at two origins, with an obedient model, so that tests can choose which tool
// is called and read the result that the model received.
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHub, openStore } from "pagewire/hub";
import type { Hub, HubOptions } from "pagewire/hub";
import { openChromium } from "./support/chromium.ts";
import type { Browser, ChromiumOptions } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import { createObedientModel } from "./support/obedient-model.ts";
import type { Tab } from "./support/tab.ts";
import { worldToken } from "./support/world.ts";

export interface AssistantWorld {
  readonly hub: Hub;
  readonly browser: Browser;
  readonly app: PageServer;
  /** The model's answers in all conversations; each repeats the results of its calls. */
  readonly said: readonly string[];
  /** The responses of the app's server, by path. */
  readonly served: Record<string, Page>;
  openApp(path?: string): Promise<Tab>;
  /** Opens the assistant from the app with a click, and waits until both sides are connected. */
  openAssistant(app: Tab): Promise<Tab>;
  /** Ends the hub and starts another at the same address, with the same store. */
  restartHub(): Promise<void>;
  /** The same, but with the store as a killed hub would leave it now; the next hub waits until `awayFor` has resolved. */
  replaceKilledHub(awayFor?: () => Promise<unknown>): Promise<void>;
  /** The code of a new sign-in link. */
  mintCode(): Promise<string>;
  close(): Promise<void>;
}

export interface AssistantOptions {
  readonly limits?: HubOptions["limits"];
  readonly browser?: ChromiumOptions;
  readonly pages?: (hub: string) => Record<string, Page>;
  /** Origins that may be parents, in addition to the app's. */
  readonly allowed?: readonly string[];
  /** More options of the hub. */
  readonly hub?: Partial<HubOptions>;
  /** The hostname of the app: a name below `.test` is a different site than the window's. */
  readonly host?: string;
}

export async function createAssistantWorld(options: AssistantOptions = {}): Promise<AssistantWorld> {
  const served: Record<string, Page> = {};
  const app = await servePages(served);
  const origin = options.host === undefined ? app.origin : app.originFor(options.host);
  const said: string[] = [];
  const home = await mkdtemp(join(tmpdir(), "pagewire-assistant-"));
  const start = (port: number) =>
    createHub({
      port,
      agentToken: () => worldToken,
      allowedOrigins: () => [origin, ...(options.allowed ?? [])],
      ai: createObedientModel(said),
      store: () => openStore({ database: join(home, "hub.db") }),
      limits: { parentCallTime: 600_000, ...options.limits },
      ...options.hub,
    });
  let hub = await start(0);
  Object.assign(served, { "/": assistantPage(hub.url), ...options.pages?.(hub.url) });
  // A spinner would be drawn all the time while a call runs.
  const args = ["--force-prefers-reduced-motion", ...(options.browser?.args ?? [])];
  const browser = await openChromium({ ...options.browser, args });

  async function mintCode(): Promise<string> {
    const headers = { authorization: `Bearer ${worldToken}`, "content-type": "application/json" };
    const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers, body: "{}" });
    return ((await response.json()) as { code: string }).code;
  }

  const signIn = await browser.open(`${hub.url}/#code=${await mintCode()}`);
  await signIn.waitFor("Object.values(localStorage).some((value) => value.includes('pagewire-app.'))");
  await signIn.close();

  return {
    get hub() {
      return hub;
    },
    browser,
    app,
    said,
    served,
    openApp: (path = "/") => browser.open(origin + path),
    async openAssistant(page) {
      const window = await page.popup(() => page.click("#open"));
      await page.waitFor("bridge.getConnectionState() === 'connected'");
      await ready(window);
      return window;
    },
    async restartHub() {
      const { port } = hub;
      await hub.close();
      hub = await start(port);
    },
    async replaceKilledHub(awayFor) {
      const { port } = hub;
      const files = ["hub.db", "hub.db-wal"].map((name) => join(home, name));
      for (const file of files) await copyFile(file, `${file}.left`);
      await hub.close();
      for (const file of files) await rename(`${file}.left`, file);
      await awayFor?.();
      hub = await start(port);
    },
    mintCode,
    async close() {
      await browser.close();
      await hub.close();
      await app.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Waits until the window has its conversation and the hub knows the parent's tools. */
export async function ready(window: Tab): Promise<void> {
  await window.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  await window.waitFor("Boolean(document.querySelector('ai-agent').conversation)");
  await window.waitFor("/\\d tools?\\n/.test(document.querySelector('.top-bar').innerText)");
}

const messageCount = "document.querySelector('ai-agent').messages.length";

/** Makes the model call tools: each line is `call <tool> <json>`. Types the lines into the composer and sends them. */
export async function ask(window: Tab, ...lines: readonly string[]): Promise<void> {
  await window.waitFor("document.querySelector('.composer [aria-label=Send]:not([hidden])')");
  const before = await window.evaluate<number>(messageCount);
  await window.type(".composer textarea", lines.join("\n"));
  await window.press("Enter");
  await window.waitFor(`${messageCount} > ${before}`);
}

/** The model's last answer, once it is there: one line per call, with the result that the model received. */
export async function answer(window: Tab): Promise<string> {
  return window.waitFor<string>(
    `(() => {
      const agent = document.querySelector("ai-agent");
      const last = agent.messages.at(-1);
      return !agent.loading && last?.role === "assistant" && typeof last.content === "string" && last.content;
    })()`,
  );
}

/** The buttons of the assistant's approval question. */
export const labels = ".approval .choices button";

/** The answers to the pending question, once clicks on them count. */
export async function question(assistant: Tab): Promise<readonly string[]> {
  await assistant.activate();
  // A click that gives the window the focus is no answer.
  await assistant.waitFor(`document.hasFocus() && document.querySelector("${labels}[aria-disabled=false]") !== null`);
  return assistant.evaluate((css: string) => [...document.querySelectorAll(css)].map((one) => one.textContent), labels);
}

/** Clicks the answer with this label, as a person does. */
export async function decide(assistant: Tab, label: string): Promise<void> {
  const isBehindMore = !["Allow once", "Don't allow"].includes(label);
  await question(assistant);
  if (isBehindMore && !(await assistant.evaluate<boolean>("document.querySelector('.approval .more').open")))
    await assistant.click(".approval .more summary");
  // Unfolding moves the question within two frames, and clicks do not count for a moment from then on.
  await assistant.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await question(assistant);
  await assistant.evaluate(
    (css: string, text: string) => {
      for (const one of document.querySelectorAll(css)) one.toggleAttribute("data-chosen", one.textContent === text);
    },
    labels,
    label,
  );
  await assistant.click("[data-chosen]");
}

/** How often the app's tool with this tag ran and was aborted, over all documents of its origin. */
export async function countsOf(app: Tab, tag: string): Promise<{ readonly ran: number; readonly aborted: number }> {
  return app.evaluate(
    (name: string) => ({
      ran: Number(localStorage.getItem(`ran:${name}`) ?? 0),
      aborted: Number(localStorage.getItem(`aborted:${name}`) ?? 0),
    }),
    tag,
  );
}

/** Waits until a tool with this tag runs. */
export async function started(app: Tab, tag: string): Promise<void> {
  await app.waitFor((name: string) => localStorage.getItem(`ran:${name}`) !== null, { values: [tag] });
}

/** The app: a button, a bridge, and tools that work, wait, fail and misbehave. `options` are added to
 * the bridge's; `script` runs last. */
export function assistantPage(hub: string, { bridge = "AgentBridge", options = "", script = "" } = {}): string {
  return `<!doctype html><title>App</title>
<button id="open">Open AI assistant</button>
<script type="module">
import { ${bridge} } from "${hub}/agent-window.js";
const states = (window.states = []);
const bridge = (window.bridge = new ${bridge}({
  agentOrigin: "${hub}",
  ${options}
  onConnectionChange: (state, previous, reason) => states.push([previous, state, reason ?? null]),
}));
${toolsOfTheApp}
document.querySelector("#open").addEventListener("click", () => (window.agentWindow = bridge.openAgent()));
${script}
</script>`;
}

const toolsOfTheApp = `
const count = (kind, tag) => {
  const key = kind + ":" + tag;
  localStorage.setItem(key, Number(localStorage.getItem(key) ?? 0) + 1);
};
const parameters = { type: "object", properties: { tag: { type: "string" }, ms: { type: "number" } }, required: ["tag"], additionalProperties: false };
const handlers = {
  echo: ({ tag }) => ({ tag }),
  wait: ({ tag, ms = 0 }) => new Promise((resolve) => setTimeout(resolve, ms, { tag })),
  hold: ({ tag }) => new Promise((resolve) => { (window.held ??= {})[tag] = () => resolve({ tag }); }),
  never: () => new Promise(() => {}),
  fail: ({ tag }) => { throw new Error("The shelf " + tag + " is empty."); },
  nothing: () => { throw undefined; },
  big: ({ ms }) => "x".repeat(ms),
  steps: async ({ tag }, { progress }) => {
    for (let step = 1; step <= 3; step++) { progress(step, 3, tag + " " + step); await 0; }
    return { tag };
  },
  write: ({ tag }) => ({ written: tag }),
};
window.offer = (name, handler = handlers[name]) => {
  bridge.onToolCall(name, (input, context) => {
    count("ran", input.tag);
    context.signal.addEventListener("abort", () => count("aborted", input.tag));
    return handler(input, context);
  });
  return { name, description: name, parameters, ...(name === "write" ? {} : { annotations: { readOnlyHint: true } }) };
};
bridge.registerTools(Object.keys(handlers).map((name) => window.offer(name)));
`;
