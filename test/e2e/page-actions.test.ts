// Actions in a page without packages: loaded from the hub, under the strictest Content-Security-Policy.
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dialogIn, noDialogIn } from "./support/dialog.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { createWorld } from "./support/world.ts";
import type { HttpOutcome, World } from "./support/world.ts";

let world: World;
let other: PageServer;
/** Answers without end, and emits "left" when a reader disconnects. */
let endless: Server;
const elsewhere: Record<string, Page> = {};
const anyOrigin = { "access-control-allow-origin": "*" };

/** A page with the standard actions, whose fetch has these rules in addition to those that a test needs. */
function pageWith(hub: string, rules: object): Page {
  const origins = [other.origin, originOf(endless)];
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hub}`,
    `connect-src 'self' ${hub} ${hub.replace("http", "ws")} ${origins.join(" ")}`,
    "require-trusted-types-for 'script'",
  ];
  const options = { fetch: { agents: "all", origins, ...rules }, clipboard: { agents: "all" } };
  return {
    body: `<!doctype html><title>Shop</title><h1>Shop</h1>
      <script src="${hub}/pagewire.js" data-app="shop"></script>
      <script type="module" src="/main.js?${encodeURIComponent(JSON.stringify({ hub, options }))}"></script>`,
    headers: { "content-security-policy": policy.join("; ") },
  };
}

const script = `
  const { hub, options } = JSON.parse(decodeURIComponent(new URL(import.meta.url).search.slice(1)));
  globalThis.violations = [];
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    violations.push(violatedDirective + " " + blockedURI);
  });
  const { offerActions, standardActions } = await import(hub + "/actions.js");
  offerActions(pagewire, standardActions(options));`;

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startEndless(): Promise<Server> {
  const server = createServer((_request, response) => {
    const write = () => {
      while (response.write(Buffer.alloc(16_384)));
    };
    response.writeHead(200, anyOrigin).on("drain", write);
    response.on("close", () => server.emit("left"));
    write();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

beforeAll(async () => {
  endless = await startEndless();
  other = await servePages(elsewhere);
  world = await createWorld({
    morePages: (hub) => ({
      "/main.js": { body: script, type: "text/javascript" },
      "/asking": pageWith(hub, {}),
      "/free": pageWith(hub, { ask: "never", maxResponseBytes: 100_000 }),
      "/following": pageWith(hub, { ask: "never", redirects: "follow" }),
      "/me": { body: "Ada", type: "text/plain" },
      "/away": { body: "", status: 302, headers: { location: `${other.origin}/taken` } },
      "/here": { body: "", status: 302, headers: { location: "/me" } },
    }),
  });
  Object.assign(elsewhere, {
    "/data": { body: "data", headers: anyOrigin },
    "/closed": "no CORS here",
    "/taken": { body: "taken", headers: anyOrigin },
    "/to-hub": { body: "", status: 302, headers: { ...anyOrigin, location: `${world.hub.url}/health` } },
  });
});

afterAll(async () => {
  await world?.close();
  await other?.close();
  endless?.close();
});

/** Opens a page, and waits until it is connected and offers its actions. */
async function open(path: string): Promise<Tab> {
  const tab = await world.openShop(path);
  await tab.waitFor("pagewire.toolbox.list().some(({ name }) => name === 'boing')");
  return tab;
}

const textOf = ({ result }: HttpOutcome) => result?.content[0]?.text;
const fieldsOf = ({ result }: HttpOutcome) => result?.structuredContent as Readonly<Record<string, unknown>>;
/** The rule that refused a request, the code, and whether it was sent. */
const ruleIn = (outcome: HttpOutcome) => [
  /`(\w+)`/.exec(outcome.error?.message ?? textOf(outcome) ?? "")?.[1],
  outcome.error?.code ?? codeOf(outcome),
  outcome.ran,
];
const codeOf = ({ result }: HttpOutcome) =>
  (result as { readonly _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta?.["pagewire/code"];

test("no sound before the first click, and every effect under a strict Content-Security-Policy", async () => {
  const tab = await open("/free");
  const beep = await world.call("beep", { duration: 20 });
  expect([beep.outcome, codeOf(beep)]).toEqual(["tool-error", "action-unavailable"]);
  await tab.click("h1");
  expect(textOf(await world.call("beep", { duration: 20 }))).toBe("Beep played.");
  expect(textOf(await world.call("boing", {}))).toBe("Boing!");
  expect(textOf(await world.call("celebrate", { reason: "It works" }))).toBe("Celebration triggered!");
  expect(textOf(await world.call("bobdobbs", {}))).toBe('"Bob" has blessed this workspace.');
  expect(textOf(await world.call("clipboard_write", { text: "copied" }))).toBe("Copied.");
  expect(await tab.evaluate("document.querySelectorAll('pagewire-effect').length")).toBe(3);
  expect(await tab.evaluate("violations")).toEqual([]);
  expect(tab.console.errors).toEqual([]);
  await tab.close();
});

test("where the browser asks for less motion, the effects say that they stand still", async () => {
  const tab = await open("/free");
  const features = [{ name: "prefers-reduced-motion", value: "reduce" }];
  await tab.send("Emulation.setEmulatedMedia", { features });
  for (const name of ["celebrate", "boing", "bobdobbs"]) {
    expect(textOf(await world.call(name, {}))).toContain("It stands still: this browser asks for less motion.");
  }
  expect(await tab.evaluate("violations")).toEqual([]);
  await tab.close();
});

test("a request to the page's own origin carries its cookies, and one to another that is listed does not", async () => {
  const tab = await open("/free");
  await tab.evaluate("void (document.cookie = 'session=ada')");
  expect(fieldsOf(await world.call("fetch", { url: "/me", headers: { "x-test": "1" } }))).toMatchObject({
    status: 200,
    url: world.pages.url("/me"),
    body: "Ada",
    encoding: "utf8",
  });
  expect(world.pages.requests.at(-1)?.headers).toMatchObject({ cookie: "session=ada", "x-test": "1" });
  expect(fieldsOf(await world.call("fetch", { url: other.url("/data") }))).toMatchObject({ body: "data" });
  // Cookies ignore ports, so this one could have been sent.
  expect(other.requests.at(-1)).toMatchObject({ path: "/data" });
  expect(other.requests.at(-1)?.headers.cookie).toBeUndefined();
  const closed = await world.call("fetch", { url: other.url("/closed") });
  expect([codeOf(closed), textOf(closed)]).toEqual(["action-unavailable", expect.stringContaining("(CORS)")]);
  await tab.close();
});

test("neither the hub nor anything else on this computer is fetched, and no request is sent", async () => {
  const tab = await open("/free");
  const { port } = new URL(world.hub.url);
  for (const host of ["127.0.0.1", "localhost", "127.1", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
    expect(ruleIn(await world.call("fetch", { url: `http://${host}:${port}/health` }))).toEqual([
      "hub",
      "action-refused",
      "no",
    ]);
  }
  const before = other.requests.length;
  for (const url of [other.originFor("localhost"), other.originFor("0.0.0.0"), "http://10.0.0.1/"]) {
    expect(ruleIn(await world.call("fetch", { url }))).toEqual(["privateNetworks", "action-refused", "no"]);
  }
  expect(other.requests).toHaveLength(before);
  await tab.close();
});

test("a redirect is refused, and where redirects are followed none leaves the page's own origin", async () => {
  let tab = await open("/free");
  expect(ruleIn(await world.call("fetch", { url: "/here" }))).toEqual(["redirects", "action-refused", "yes"]);
  expect(ruleIn(await world.call("fetch", { url: other.url("/to-hub") }))).toEqual([
    "redirects",
    "action-refused",
    "yes",
  ]);
  await tab.close();
  tab = await open("/following");
  expect(fieldsOf(await world.call("fetch", { url: "/here" }))).toMatchObject({
    body: "Ada",
    url: world.pages.url("/me"),
  });
  expect(codeOf(await world.call("fetch", { url: "/away" }))).toBe("action-unavailable");
  expect(other.requests.filter(({ path }) => path === "/taken")).toEqual([]);
  const toHub = await world.call("fetch", { url: other.url("/to-hub") });
  expect([toHub.result?.isError, toHub.result?.structuredContent]).toEqual([true, undefined]);
  await tab.close();
});

test("an answer that never ends is left when it is too large, and its server is told", async () => {
  const tab = await open("/free");
  const [left, outcome] = await Promise.all([once(endless, "left"), world.call("fetch", { url: originOf(endless) })]);
  expect([left, ruleIn(outcome)]).toEqual([[], ["maxResponseBytes", "action-refused", "yes"]]);
  await tab.close();
});

test("the person is asked in the tab, once or for always, also for the pages to come", async () => {
  let tab = await open("/asking");
  const refused = world.call("fetch", { url: "/me" });
  await (await dialogIn(tab)).click("Refuse");
  expect(ruleIn(await refused)).toEqual(["ask", "action-refused", "no"]);
  const asked = world.call("fetch", { url: "/me" });
  const dialog = await dialogIn(tab);
  const title = `Allow GET to ${world.pages.origin}?`;
  expect(dialog.text).toContain(title);
  // The hub lists it.
  expect(await tab.evaluate("document.querySelector('pagewire-dialog').dialog")).toBe(title);
  await dialog.click("Always allow");
  expect(fieldsOf(await asked)).toMatchObject({ body: "Ada" });
  await tab.close();
  tab = await open("/asking");
  expect(fieldsOf(await world.call("fetch", { url: "/me" }))).toMatchObject({ body: "Ada" });
  expect(await tab.evaluate("violations")).toEqual([]);
  await tab.close();
});

test("a caller that leaves takes its question along", async () => {
  const tab = await open("/asking");
  const aborter = new AbortController();
  const left = world.call("fetch", { url: "/me", method: "POST" }, { signal: aborter.signal });
  await dialogIn(tab);
  aborter.abort();
  await expect(left).rejects.toThrow();
  await noDialogIn(tab);
  await tab.close();
});
