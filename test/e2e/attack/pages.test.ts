// What a page of a foreign origin can do in a real browser: nothing.
import { routes } from "pagewire/hub";
import type { Route } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { countsOf, createWorld, listTabs } from "./support/world.ts";
import type { World } from "./support/world.ts";

let world: World;
let shop: Tab;
let strangers: PageServer;
let evil: Tab;

beforeAll(async () => {
  world = await createWorld();
  shop = await world.openShop();
  strangers = await servePages({ "/": "<!doctype html><title>Evil</title><iframe name='sink'></iframe>" });
  evil = await world.browser.open(`${strangers.originFor("evil.test")}/`);
});

afterAll(async () => {
  await world.close();
  await strangers.close();
});

const pathOf = (route: Route) => route.path.replace("*", route.serves === "call" ? "echo" : "index.html");
const plain = routes.filter((route) => !route.isUpgrade);
const guarded = plain.filter((route) => route.access !== "public");
const upgrades = routes.filter((route) => route.isUpgrade);

async function nothingHappened(): Promise<void> {
  expect(await countsOf(shop, "evil")).toEqual({ ran: 0, aborted: 0 });
  expect(await listTabs(world.call)).toHaveLength(1);
}

function note(way: string, count: number): void {
  recordFault("strangers", {
    fault: `foreign page tries every route by ${way}`,
    expected: "refused, no side effect",
    observed: "refused, no side effect",
    count,
  });
}

test.each(["cors", "no-cors"] as const)(
  "E50: fetch (%s) from a foreign origin reads nothing from any route and calls nothing",
  async (mode) => {
    for (const route of plain) {
      const seen = await evil.evaluate(
        async (url: string, method: string, requestMode: RequestMode) => {
          try {
            const body = method === "POST" ? '{"tag":"evil"}' : null;
            const response = await fetch(url, {
              method,
              mode: requestMode,
              body,
              credentials: "include",
              headers: { "content-type": "text/plain" },
            });
            return { type: response.type, text: await response.text() };
          } catch {
            return { type: "error", text: "" };
          }
        },
        world.hub.url + pathOf(route),
        route.method,
        mode,
      );
      expect(seen.text, pathOf(route)).toBe("");
      expect(["error", "opaque"], pathOf(route)).toContain(seen.type);
    }
    await nothingHappened();
    note(`fetch (${mode})`, plain.length);
  },
);

test("E51: a form of a foreign origin calls nothing", async () => {
  for (const route of guarded) {
    await evil.evaluate(
      (action: string, method: string) =>
        new Promise<void>((resolve) => {
          const frame = document.querySelector("iframe");
          const form = document.createElement("form");
          Object.assign(form, { action, method, target: "sink", enctype: "text/plain" });
          const input = document.createElement("input");
          Object.assign(input, { name: '{"tag":"evil","x":"', value: '"}' });
          form.append(input);
          document.body.append(form);
          frame?.addEventListener("load", () => resolve(), { once: true });
          form.submit();
        }),
      world.hub.url + pathOf(route),
      route.method,
    );
  }
  await nothingHappened();
  note("form", guarded.length);
});

test("E52: an EventSource of a foreign origin hears nothing", async () => {
  for (const route of plain) {
    const heard = await evil.evaluate(
      (url: string) =>
        new Promise((resolve) => {
          const source = new EventSource(url);
          const settle = (word: string) => {
            source.close();
            resolve(word);
          };
          source.onmessage = () => settle("message");
          source.onopen = () => settle("open");
          source.onerror = () => settle("error");
        }),
      world.hub.url + pathOf(route),
    );
    expect(heard, pathOf(route)).toBe("error");
  }
  await nothingHappened();
  note("EventSource", plain.length);
});

test("E53: a WebSocket of a foreign origin hears at most that it is refused, and attaches nothing", async () => {
  for (const route of upgrades) {
    const heard = await evil.evaluate(
      (url: string) =>
        new Promise<{ messages: string[]; code: number }>((resolve) => {
          const socket = new WebSocket(url);
          const messages: string[] = [];
          socket.onopen = () => {
            const hello = {
              type: "hello",
              versions: [1],
              tab: "evil-evil",
              app: "shop",
              focused: true,
              running: [],
              agent: { name: "evil" },
            };
            socket.send(JSON.stringify(hello));
            socket.send('{"type":"offer"}\n{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}');
            socket.send('{"type":"call","id":"1","method":"tools/call","name":"echo"}\n{"tag":"evil"}');
          };
          socket.onmessage = ({ data }) => messages.push(String(data));
          socket.onclose = ({ code }) => resolve({ messages, code });
        }),
      world.hub.url.replace("http", "ws") + route.path,
    );
    const types = heard.messages.map((message) => (JSON.parse(message) as { type: string }).type);
    expect(types, route.path).toEqual(route.access === "page" ? ["refused"] : []);
  }
  await nothingHappened();
  note("WebSocket", upgrades.length);
});

test("E54, P11: a page of a foreign origin with the script tag is told the one command that allows it, and offers nothing", async () => {
  const tab = await world.browser.open(`${strangers.originFor("other.test")}/`);
  await tab.evaluate((src: string) => {
    const script = document.createElement("script");
    Object.assign(script, { src });
    document.body.append(script);
  }, `${world.hub.url}/pagewire.js`);
  await tab.waitFor("globalThis.pagewire?.state.status === 'refused'");
  const state = await tab.evaluate<{ code: string; command: string }>("pagewire.state");
  expect(state).toMatchObject({
    code: "origin-not-allowed",
    command: `npx pagewire allow ${strangers.originFor("other.test")}`,
  });
  await nothingHappened();
  await tab.close();
});
