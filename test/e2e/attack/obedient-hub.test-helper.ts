// A hub in jwt mode as a process of its own, with a model that obeys everything it reads, and a browser in which Alice is
// signed in: her mail has the agent's window, and a page in another tab wants to steal the contents of her mail.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signAgentToken, signPageToken } from "pagewire/hub";
import { ready } from "../agent-window.test-helper.ts";
import { openChromium } from "../support/chromium.ts";
import type { Browser } from "../support/chromium.ts";
import { startHub } from "../support/hub-process.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { servePages } from "../support/page-server.ts";
import type { Page } from "../support/page-server.ts";
import { serveObedientModel } from "../support/serve-obedient-model.ts";
import type { Tab } from "../support/tab.ts";
import { waitUntil } from "../support/wait.ts";
import { callerOf, connected, listTabs, offered } from "../support/world.ts";
import type { CallByHttp } from "../support/world.ts";

const secret = "a secret that is only for these tests, and long";
const expiresIn = 3600;

export interface ObedientHub {
  readonly hub: HubProcess;
  readonly browser: Browser;
  /** The origin of a page's host, such as mail.test. */
  origin(host: string): string;
  /** The pages of the hosts, by path; pages can be added at any time. */
  readonly served: Record<string, Page>;
  pageToken(person: string): Promise<string>;
  agentToken(person: string): Promise<string>;
  agent(person: string): Promise<CallByHttp>;
  /** Opens a page and waits until the hub has its tools for Alice. */
  openTab(host: string, path: string): Promise<Tab>;
  /** Waits until the hub offers a tool to Alice's agents. */
  isOffered(tool: string): Promise<void>;
  /** Opens the agent's window from a page with a click; there the model may use the tools of other tabs. */
  openWindow(app: Tab): Promise<Tab>;
  /** Opens the hub's home page, where the model has the tools of all tabs. */
  openHome(): Promise<Tab>;
  close(): Promise<void>;
}

/** `state` is the initial contents of the state directory. */
export async function startObedientHub(
  args: readonly string[] = [],
  state: Readonly<Record<string, string>> = {},
): Promise<ObedientHub> {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-obedient-"));
  const secretFile = join(folder, "secret");
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const stateFolder = join(folder, "state");
  mkdirSync(stateFolder, { mode: 0o700 });
  for (const [name, text] of Object.entries(state)) writeFileSync(join(stateFolder, name), text, { mode: 0o600 });
  const served: Record<string, Page> = {};
  const [pages, model] = await Promise.all([servePages(served), serveObedientModel()]);
  const allowed = ["--allow-origin", pages.originFor("mail.test")];
  const hub = await startHub({
    home: stateFolder,
    args: ["--no-demo", "--model", "openai/obedient", "--jwt-secret-file", secretFile, ...allowed, ...args],
    env: { OPENAI_API_KEY: "a key", OPENAI_BASE_URL: model.origin },
  });
  // A frame with an opaque origin gets no user activation that could open a window.
  const browser = await openChromium({ args: ["--disable-popup-blocking", "--force-prefers-reduced-motion"] });
  const agentToken = (person: string) => signAgentToken({ secret, subject: person, expiresIn });
  const agent = async (person: string) => callerOf(hub.url, await agentToken(person));

  const headers = { authorization: `Bearer ${await agentToken("alice")}` };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  const signIn = await browser.open(((await response.json()) as { readonly url: string }).url);
  await signIn.waitFor("Object.values(localStorage).some((value) => value.includes('pagewire-app.'))");
  await signIn.close();

  return {
    hub,
    browser,
    served,
    origin: pages.originFor,
    pageToken: (person) => signPageToken({ secret, subject: person, expiresIn }),
    agentToken,
    agent,
    async openTab(host, path) {
      const tab = await browser.open(pages.originFor(host) + path);
      await connected(tab);
      await offered(tab, await agent("alice"));
      return tab;
    },
    async isOffered(tool) {
      const call = await agent("alice");
      await waitUntil(
        async () => (await listTabs(call)).some(({ tools }) => tools.includes(tool)),
        () => `The hub has no tool "${tool}".`,
      );
    },
    async openWindow(app) {
      const assistant = await app.popup(() => app.click("#open"));
      await app.waitFor("bridge.getConnectionState() === 'connected'");
      await ready(assistant);
      await assistant.click("[aria-label=Settings]");
      await assistant.click("dialog[open] [role=switch]");
      await assistant.press("Escape");
      return assistant;
    },
    async openHome() {
      const home = await browser.open(hub.url);
      await home.waitFor("Boolean(document.querySelector('ai-agent')?.conversation)");
      return home;
    },
    async close() {
      await browser.close();
      await Promise.all([hub.close(), pages.close(), model.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** JSON that is safe inside a page's script. */
export function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
