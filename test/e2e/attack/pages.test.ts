// Attacks of a page of a foreign origin on a hub from a real browser: all fail.
import { routes } from "../../../src/hub/http/routes.ts";
import type { Route } from "../../../src/hub/http/routes.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import type { Browser } from "../support/chromium.ts";
import { servePages } from "../support/page-server.ts";
import type { Page, PageServer } from "../support/page-server.ts";
import { shopPage } from "../support/shop.ts";
import type { Tab } from "../support/tab.ts";
import { waitUntil } from "../support/wait.ts";
import { callerOf, connected, countsOf, listTabs, offered } from "../support/world.ts";
import type { CallByHttp } from "../support/world.ts";
import { hostRules, openForeignPages } from "./foreign-pages.test-helper.ts";
import type { ForeignPages } from "./foreign-pages.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;
let browser: Browser;
let shops: PageServer;
let shop: Tab;
let call: CallByHttp;
let foreign: ForeignPages;

beforeAll(async () => {
  const pages: Record<string, Page> = {};
  shops = await servePages(pages);
  const origin = shops.originFor("shop.test");
  hub = await startLocalHub(["--no-demo", "--terminal", "--allow-origin", origin]);
  pages["/"] = shopPage(hub.url);
  call = callerOf(hub.url, hub.token);
  // Disables the browser's own protection of this machine, so that only the hub's is left.
  const features = { disable: ["LocalNetworkAccessChecks"] };
  browser = await launchChromium({ hostRules, features, args: ["--allow-file-access-from-files"] });
  shop = await browser.open(`${origin}/`);
  await connected(shop);
  await offered(shop, call);
  foreign = await openForeignPages(browser, hub);
});

afterAll(async () => {
  await browser?.close();
  await foreign?.close();
  await shops?.close();
  await hub?.close();
});

const pathOf = (route: Route) => route.path.replace("*", route.serves === "call" ? "echo" : "index.html");
const plain = routes.filter((route) => !route.isUpgrade);
const upgrades = routes.filter((route) => route.isUpgrade);
const isRebound = (address: string) => address !== hub.url;

async function nothingHappened(): Promise<void> {
  expect(await countsOf(shop, "evil")).toEqual({ ran: 0, aborted: 0 });
  expect(await listTabs(call)).toHaveLength(1);
  expect(await hub.metric("pagewire_tabs")).toBe(1);
  // The test's own agent.
  expect(await hub.metric("pagewire_agents")).toBe(1);
  expect(await hub.metric("pagewire_conversations")).toBe(0);
}

const nothing = "no readable answer, no effect";

/** The ways in which a script can send a request, with all options. */
const ways: Readonly<Record<string, RequestInit>> = {
  cors: { mode: "cors", headers: { "content-type": "text/plain" } },
  "cors, with cookies": { mode: "cors", credentials: "include", headers: { "content-type": "text/plain" } },
  "cors, as JSON with a guessed token": {
    mode: "cors",
    headers: { "content-type": "application/json", authorization: "Bearer pagewire", "pagewire-tab": "any" },
  },
  "no-cors": { mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" } },
};

test("fetch from a foreign page reads nothing from any route but public files, and calls nothing", async () => {
  const tries = plain.map((route) => ({ path: pathOf(route), method: route.method }));
  for (const [way, init] of Object.entries(ways)) {
    const tally = startTally("pages", `fetch (${way}) to every route, from each kind of foreign page`, nothing);
    for (const { kind, tab, hub: address } of foreign.all) {
      const seen = await tab.evaluate(fetchAll, address, tries, init);
      for (const [at, { type, status, text }] of seen.entries()) {
        const route = plain[at] as Route;
        const isPublicFile = route.access === "public" && route.serves === "files" && way !== "cors, with cookies";
        const isUnread = type === "error" || (type === "opaque" && text === "") || (isPublicFile && status < 400);
        const isNothing = isRebound(address) ? type === "error" || status === 421 : isUnread;
        tally.add(`${kind}: ${route.method} ${route.path}`, isNothing ? nothing : `${type} ${status} ${text}`);
      }
    }
    await nothingHappened();
    tally.close();
  }
});

type Try = { readonly path: string; readonly method: string };

async function fetchAll(address: string, tries: readonly Try[], init: RequestInit) {
  return Promise.all(
    tries.map(async ({ path, method }) => {
      const body = method === "POST" ? '{"tag":"evil"}' : null;
      try {
        const response = await fetch(address + path, { ...init, method, body });
        return { type: response.type, status: response.status, text: (await response.text()).slice(0, 100) };
      } catch {
        return { type: "error", status: 0, text: "" };
      }
    }),
  );
}

test("a form of a foreign page calls nothing", async () => {
  const tally = startTally("pages", "a form to every guarded route, from each kind of foreign page", nothing);
  const tries = plain.filter(({ access, method }) => access !== "public" && /GET|POST/.test(method));
  for (const { kind, tab, hub: address } of foreign.all)
    for (const route of tries) {
      await tab.evaluate(submit, address + pathOf(route), route.method);
      tally.add(`${kind}: ${route.method} ${route.path}`, nothing);
    }
  await nothingHappened();
  tally.close();
});

function submit(action: string, method: string): Promise<void> {
  return new Promise((resolve) => {
    const frame = document.querySelector("iframe");
    const form = document.createElement("form");
    Object.assign(form, { action, method, target: "sink", enctype: "text/plain" });
    const input = document.createElement("input");
    Object.assign(input, { name: '{"tag":"evil","x":"', value: '"}' });
    form.append(input);
    document.body.append(form);
    frame?.addEventListener("load", () => resolve(), { once: true });
    form.submit();
  });
}

test("an EventSource of a foreign page receives nothing", async () => {
  const tally = startTally("pages", "an EventSource at every route, from each kind of foreign page", "error");
  const paths = [...new Set(plain.map(pathOf))];
  for (const { kind, tab, hub: address } of foreign.all)
    for (const [at, word] of (await tab.evaluate(listenAll, address, paths)).entries())
      tally.add(`${kind}: ${paths[at]}`, word);
  await nothingHappened();
  tally.close();
});

function listenAll(address: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(
    paths.map(
      (path) =>
        new Promise<string>((resolve) => {
          const source = new EventSource(address + path);
          const settle = (word: string) => {
            source.close();
            resolve(word);
          };
          source.onmessage = () => settle("message");
          source.onopen = () => settle("open");
          source.onerror = () => settle("error");
        }),
    ),
  );
}

test("a WebSocket of a foreign page receives at most a refusal, and attaches nothing", async () => {
  const tally = startTally("pages", "a WebSocket at every upgrade, with a whole page's and agent's frames", nothing);
  for (const { kind, tab, hub: address } of foreign.all)
    for (const route of upgrades) {
      const heard = await tab.evaluate(speak, address.replace("http", "ws") + pathOf(route));
      const must = route.access === "page" && !isRebound(address) ? ["refused"] : [];
      tally.add(`${kind}: ${route.path}`, JSON.stringify(heard) === JSON.stringify(must) ? nothing : heard);
    }
  await nothingHappened();
  tally.close();
});

function speak(url: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const types: string[] = [];
    const hello = { versions: [1], tab: "evil-evil", app: "shop", focused: true, running: [], agent: { name: "evil" } };
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "hello", ...hello }));
      socket.send('{"type":"offer"}\n{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}');
      socket.send('{"type":"call","id":"1","method":"tools/call","name":"echo"}\n{"tag":"evil"}');
    };
    socket.onmessage = ({ data }) => types.push((JSON.parse(String(data)) as { type: string }).type);
    socket.onclose = () => resolve(types);
  });
}

test("P11: a page of a foreign origin with the script tag is told the one command that allows it, and offers nothing", async () => {
  const origin = foreign.server.originFor("other.test");
  const tab = await browser.open(`${origin}/`);
  await tab.evaluate((src: string) => {
    const script = document.createElement("script");
    Object.assign(script, { src });
    document.body.append(script);
  }, `${hub.url}/pagewire.js`);
  await tab.waitFor("globalThis.pagewire?.state.status === 'refused'");
  const state = await tab.evaluate<{ code: string; command: string }>("pagewire.state");
  expect(state).toMatchObject({ code: "origin-not-allowed", command: `npx pagewire allow ${origin}` });
  await nothingHappened();
  await tab.close();
});

const refusals = ({ console: { messages } }: Tab) =>
  messages.filter(({ text }) => text.includes("frame-ancestors") && text.includes("blocked")).length;

function frame(src: string): Promise<void> {
  return new Promise((resolve) => {
    const one = document.createElement("iframe");
    Object.assign(one, { src, onload: () => resolve() });
    document.body.append(one);
  });
}

test("no foreign page frames a page of the hub's, and only an allowed one the agent's window", async () => {
  const tally = startTally("pages", "a page of the hub's in a foreign page's frame", "not shown");
  for (const { kind, tab } of foreign.all.filter((page) => !isRebound(page.hub)))
    for (const path of ["/", "/agent/index.html", "/terminal", "/terminal/index.html"]) {
      const before = refusals(tab);
      await tab.evaluate(frame, hub.url + path);
      await waitUntil(
        async () => refusals(tab) > before,
        () => `${path} is shown in a frame of ${kind}: ${JSON.stringify(tab.console.messages)}`,
        5000,
      );
      tally.add(`${kind}: ${path}`, "not shown");
    }
  await shop.evaluate(frame, `${hub.url}/`);
  await shop.evaluate(frame, `${hub.url}/terminal`);
  await waitUntil(
    async () => refusals(shop) > 0,
    () => "The terminal's page is shown in a frame.",
  );
  expect(refusals(shop)).toBe(1);
  tally.close();
});
