// Starts a real Chromium and owns its process. Nothing that page lifecycle, focus, throttling or
// pop-ups depend on is disabled, which is why this is not Playwright.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { findChromium } from "../../../scripts/find-chromium.mjs";
import { createCdp } from "./cdp.ts";
import type { Cdp } from "./cdp.ts";
import { spawnOwned } from "./processes.ts";
import type { OwnedProcess } from "./processes.ts";
import type { Tab } from "./tab.ts";
import { Tabs } from "./tabs.ts";
import type { OpenOptions } from "./tabs.ts";
import { within } from "./wait.ts";

export interface ChromiumOptions {
  readonly args?: readonly string[];
  readonly features?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] };
  /** The value of --host-resolver-rules. By default every name below .test resolves to this machine. */
  readonly hostRules?: string;
}

/** A profile of a running Chromium, with its tabs. */
export interface Browser {
  /** Opens an address in a tab and waits until it is loaded. */
  open(url: string, options?: OpenOptions): Promise<Tab>;
  /** All open tabs, including pop-ups. */
  tabs(): Promise<Tab[]>;
  /** Closes all tabs but these, including crashed ones; without tabs that stay, waits until their shared workers have ended. */
  closeTabs(staying?: readonly Tab[]): Promise<void>;
  /** Ends the shared and service workers whose address contains this; returns how many there were. */
  closeWorkers(urlPart: string): Promise<number>;
  /** Starts a script in the shared and service workers whose address contains this, without waiting for its end. */
  startInWorkers(urlPart: string, expression: string): Promise<number>;
  /** Sends the browser a command of the debugging protocol. */
  send<Result = Record<string, unknown>>(method: string, params?: object): Promise<Result>;
  /** Closes its tabs, and removes the profile. */
  close(): Promise<void>;
}

/** A Chromium of its own, which quits as a user would when it is closed. */
export interface ChromiumProcess extends Browser {
  readonly pid: number;
  /** Sends SIGKILL to the whole browser. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to the whole browser: none of its processes run until continue(). */
  stop(): void;
  continue(): void;
}

/** Starts Chromium; it never outlives this process. */
export async function launchChromium(options: ChromiumOptions = {}): Promise<ChromiumProcess> {
  const chromium = await startChromium(options);
  const { owned, cdp, tabs, end } = chromium;

  async function quit(): Promise<void> {
    owned.signal("SIGCONT");
    // Chromium may exit before it answers; this only waits for the end of its process.
    await Promise.allSettled([
      within(Promise.all([cdp.send("Browser.close"), owned.exited]), () => "Chromium does not quit.", 5000),
    ]);
    await end();
  }

  return {
    ...browserOf(tabs),
    pid: owned.child.pid ?? 0,
    send: cdp.send,
    kill: end,
    stop: () => owned.signal("SIGSTOP"),
    continue: () => owned.signal("SIGCONT"),
    close: quit,
  };
}

/** By their arguments. */
const shared = new Map<string, Promise<StartedChromium>>();

/**
 * A profile of its own, in memory, in a Chromium that the tests of a worker share: that takes a part of what starting one does.
 * It ends with the worker.
 */
export async function openChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { cdp } = await sharedChromium(options);
  const profile = await cdp.send<{ browserContextId: string }>("Target.createBrowserContext");
  const tabs = new Tabs(cdp, profile.browserContextId);
  await within(tabs.startProfile(), () => "Chromium does not open a tab.");
  let closing: Promise<unknown> | undefined;
  return {
    ...browserOf(tabs),
    send: (method, params) => cdp.send(method, { ...params, ...profile }),
    close: async () => void (await (closing ??= cdp.send("Target.disposeBrowserContext", profile))),
  };
}

function sharedChromium(options: ChromiumOptions): Promise<StartedChromium> {
  const key = argumentsFor("", options).join(" ");
  const started = shared.get(key) ?? startChromium(options);
  shared.set(key, started);
  const forget = () => shared.delete(key);
  void started.then(({ owned }) => owned.exited).then(forget, forget);
  return started;
}

interface StartedChromium {
  readonly owned: OwnedProcess;
  readonly cdp: Cdp;
  readonly tabs: Tabs;
  /** Kills it, and removes its profile. */
  end(): Promise<void>;
}

async function startChromium(options: ChromiumOptions): Promise<StartedChromium> {
  const path = findChromium();
  if (path === undefined) throw new Error("No Chromium found: install it, or set PAGEWIRE_CHROMIUM to its path.");
  const profile = await mkdtemp(join(tmpdir(), "pagewire-chromium-"));
  const owned = await spawnOwned(path, argumentsFor(profile, options), {
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    folder: profile,
  });
  const [, , , toBrowser, fromBrowser] = owned.child.stdio;
  const cdp = createCdp(toBrowser as Writable, fromBrowser as Readable, () => lastWords(owned.output()));

  async function end(): Promise<void> {
    owned.signal("SIGKILL");
    await owned.exited;
    cdp.close("the browser has ended");
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  try {
    const tabs = new Tabs(cdp);
    await within(tabs.start(), () => "Chromium does not answer.");
    return { owned, cdp, tabs, end };
  } catch (error) {
    await end();
    throw new Error(`${path} could not be started:\n${owned.output()}`, { cause: error });
  }
}

function browserOf(tabs: Tabs): Omit<Browser, "send" | "close"> {
  return {
    open: (url, where) => tabs.open(url, where),
    tabs: () => tabs.list(),
    closeTabs: (staying = []) => tabs.closeAll(staying.map(({ id }) => id)),
    closeWorkers: (urlPart) => tabs.closeWorkers(urlPart),
    startInWorkers: (urlPart, expression) => tabs.startInWorkers(urlPart, expression),
  };
}

/** The end of Chromium's output, without its complaints about a missing desktop. */
function lastWords(output: string): string {
  const lines = output.split("\n").filter((line) => line !== "" && !line.includes("dbus"));
  return lines.slice(-20).join("\n");
}

/** As in newer versions: a page with a socket may enter the back/forward cache, which closes the socket. */
const socketsBesideCache = "DisconnectWebSocketOnBFCache";

/** Chromium starts a process for a site that may come next. With each browser one ends unused, an eighth of what its start costs. */
const unusedRenderers = "SpareRendererForSitePerProcess";

function argumentsFor(
  profile: string,
  { args = [], features = {}, hostRules = "MAP *.test 127.0.0.1" }: ChromiumOptions,
): string[] {
  return [
    "--headless=new",
    // Chromium refuses to sandbox itself for root, and many containers cannot.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
    `--host-resolver-rules=${hostRules}`,
    `--enable-features=${[socketsBesideCache, ...(features.enable ?? [])].join(",")}`,
    `--disable-features=${[unusedRenderers, ...(features.disable ?? [])].join(",")}`,
    ...args,
    "about:blank",
  ];
}
