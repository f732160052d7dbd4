// The dashboard in a real browser, served by a real hub, with an agent that calls its tools.
import { fileURLToPath } from "node:url";
import { connectHub } from "pagewire/hub-client";
import type { HubCall, HubClient, HubOutcome } from "pagewire/hub-client";
import { WebSocket } from "ws";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import { freePort } from "../support/free-port.ts";
import type { HubProcess } from "./support/hub-process.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

/** The built `pagewire` command. */
export const pagewireCommand = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The dashboard, a browser that shows it, and a client that calls it. */
export interface Demo {
  readonly hub: HubProcess;
  /** The dashboard's own origin. */
  readonly origin: string;
  readonly browser: Browser;
  readonly client: HubClient;
  /** The most recently opened tab. */
  readonly tab: Tab;
  /** Opens the dashboard on a wide screen and waits until it is connected. */
  open(): Promise<void>;
  /** Waits until agents can use the dashboard's tools. */
  offered(): Promise<void>;
  /** Closes the tab and forgets what it stored. */
  leave(): Promise<void>;
  /** An element's text, in one line. */
  textOf(selector: string): Promise<string>;
  countOf(selector: string): Promise<number>;
  /** The text in the tile of a key figure. */
  figureOf(target: string): Promise<string>;
  /** Emulates a preference of the user, such as prefers-reduced-motion. */
  prefer(name: string, value: string): Promise<void>;
  resize(width: number): Promise<void>;
  /** Calls a tool, and waits until the page shows that the call has ended. */
  call(name: string, input?: HubCall["arguments"], more?: Partial<HubCall>): Promise<HubOutcome>;
  close(): Promise<void>;
}

/** Starts the hub, the browser and the client; call `open` next. */
export async function startDemo(): Promise<Demo> {
  // With a fixed port, a restarted hub serves its demo at the same address.
  const hub = await startHub({ args: ["--model", "rehearsal", "--demo-port", String(await freePort())] });
  const origin = await demoOrigin(hub);
  const browser = await openChromium();
  const client = await connectHub({ url: hub.url, WebSocket, token: await hub.token(), agent: { name: "tester" } });
  let opened: Tab | undefined;

  function openTab(): Tab {
    if (opened === undefined) throw new Error("The dashboard is not open: call open() first.");
    return opened;
  }

  const textOf = (selector: string): Promise<string> =>
    openTab().evaluate(
      (css) => document.querySelector(css)?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "",
      selector,
    );

  async function resize(width: number): Promise<void> {
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 };
    await openTab().send("Emulation.setDeviceMetricsOverride", metrics);
  }

  // Without this a call would wait for the previous test's tab, which the hub still expects back.
  async function offered(): Promise<void> {
    const look = async (): Promise<boolean> =>
      (await client.tabs()).some(({ state, tools }) => state === "connected" && tools.length > 0);
    await waitUntil(look, () => "The hub does not list the dashboard's tools.");
  }

  return {
    hub,
    origin,
    browser,
    client,
    get tab() {
      return openTab();
    },
    async open() {
      opened = await browser.open(`${origin}/`);
      await resize(1440);
      await opened.waitFor("document.querySelector('.dot.connected') !== null");
      await offered();
    },
    offered,
    async leave() {
      await openTab().evaluate("localStorage.clear()");
      await openTab().close();
    },
    textOf,
    countOf: (selector) => openTab().evaluate((css) => document.querySelectorAll(css).length, selector),
    figureOf: (target) => textOf(`[data-target="${target}"] .tile-figure`),
    async prefer(name, value) {
      await openTab().send("Emulation.setEmulatedMedia", { features: [{ name, value }] });
    },
    resize,
    async call(name, input = {}, more = {}) {
      const outcome = await client.call({ name, arguments: input, ...more });
      await openTab().waitFor("document.querySelector('#activity .call:not(.ended)') === null");
      return outcome;
    },
    async close() {
      client.close();
      await Promise.all([hub.close(), browser.close()]);
    },
  };
}

/** The address of a hub's demo: the hub redirects /demo there. */
export async function demoOrigin({ url }: Pick<HubProcess, "url">): Promise<string> {
  const { headers } = await fetch(`${url}/demo/`, { redirect: "manual" });
  return new URL(headers.get("location") ?? "", url).origin;
}

/** The structured answer of a call; throws the call's error. */
export async function answerOf<Answer>(outcome: Promise<HubOutcome>): Promise<Answer> {
  const { result, message } = await outcome;
  if (result?.["structuredContent"] === undefined) throw new Error(message ?? JSON.stringify(result));
  return result["structuredContent"] as Answer;
}
