import { once } from "node:events";
import { expect, test } from "vitest";
import { closeNameOf } from "../../wire/index.ts";
import { openView, startShellHub } from "../doors/shell/shell.test-helper.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf, exchange, mintCode } from "../test-support/own.test-helper.ts";
import {
  connectTab,
  extension,
  listBrowsers,
  mintBrowserCode,
  openExtension,
  pairBrowser,
  refusedPairing,
  refusedTab,
  removeBrowser,
  tabsOf,
} from "../test-support/extension.test-helper.ts";
import { byHand, connectPage, helloOf, openChannels, openPage } from "../test-support/page.test-helper.ts";
import { openSocket, shop } from "../test-support/peer.test-helper.ts";

const site = "https://news.example";
const command = "npx pagewire extension";

test("EX1: a paired browser's tabs are those of their sites, and say by which browser they came", async () => {
  const hub = await startHub();
  const { token, name, expiresAt } = await pairBrowser(hub, { name: " Ann's\tChrome\u202e " });
  expect([token.startsWith("pagewire-browser."), name, expiresAt]).toEqual([true, "Ann's Chrome", undefined]);
  const page = await connectTab(hub, token, { claims: site, tools: ["read"] });
  await connectTab(hub, token, { claims: "http://localhost:5173", tools: ["other"] });
  expect(JSON.parse((await callTool(hub, "read")).text)).toMatchObject({ outcome: "ok", ran: "yes" });
  expect(page.calls).toHaveLength(1);
  const tabs = await tabsOf(hub);
  expect(tabs.map(({ origin, browser, through }) => [origin, browser, through])).toEqual([
    [site, "Ann's Chrome", "extension"],
    ["http://localhost:5173", "Ann's Chrome", "extension"],
  ]);
  const listed = JSON.parse((await callTool(hub, "list_browser_tabs")).text) as { result: unknown };
  expect(JSON.stringify(listed.result)).toContain("Ann's Chrome");
});

test("EX1: pages of a paired browser share one socket, and one site's tab is not another's", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const open = await openChannels(hub.url, extension);
  const [one, other, again] = await Promise.all(
    [site, "https://shop.example", site].map((claims, at) =>
      open({ token, claims, tab: `${at % 2}`, tools: ["t"] }).greet(),
    ),
  );
  expect(one?.tabId).not.toBe(other?.tabId);
  expect(one?.tabId).toBe(again?.tabId);
  expect(await one?.closeName()).toBe("tab-replaced");
  expect((await listBrowsers(hub))[0]).toMatchObject({ connected: true, tabs: 2 });
});

test("EX2: a code pairs one browser, once, and only an extension", async () => {
  const hub = await startHub();
  const code = await mintBrowserCode(hub);
  await pairBrowser(hub, { code });
  expect(await refusedPairing(hub, { code })).toMatchObject({ code: "code-invalid", command, close: "token-invalid" });
  expect(await refusedPairing(hub, { code: "x" })).toMatchObject({ code: "code-invalid", command });
  for (const origin of ["moz-extension://3e7c6a54-0b4b-4a0e-9a0a-111111111111", "safari-web-extension://ABC-1"])
    expect((await pairBrowser(hub, { origin })).token).toMatch(/^pagewire-browser\./);
  expect(await listBrowsers(hub)).toHaveLength(3);
});

test("EX2: a code of another kind pairs no browser, and one for a browser signs no page in", async () => {
  const hub = await startHub();
  expect(await refusedPairing(hub, { code: await mintCode(hub, hub.token) })).toMatchObject({ code: "code-invalid" });
  expect(errorOf(await exchange(hub, await mintBrowserCode(hub)))).toEqual([401, "code-invalid"]);
  const { token } = await pairBrowser(hub);
  expect(errorOf(await askOwn(hub, "GET /api/app", { token, origin: undefined }))[0]).toBe(401);
  expect(errorOf(await askOwn(hub, "GET /api/app", { token }))[0]).toBe(401);
});

test("EX2: a page of a site that says `pair` is not understood, and its code stays good", async () => {
  const hub = await startHub();
  const code = await mintBrowserCode(hub);
  const page = await openPage(hub.url);
  page.send({ type: "pair", code, name: "Chrome" });
  await page.greet();
  expect(await hub.metric("pagewire_unknown_frames_total")).toBe(1);
  expect((await pairBrowser(hub, { code })).name).toBe("Chrome");
});

test.each([
  ["without a code", { name: "Chrome" }],
  ["without a name", { code: "c" }],
  ["with a name of nothing visible", { code: "c", name: " \u200b\u202e" }],
  ["with a long name", { code: "c", name: "x".repeat(101) }],
])("EX2: a pair frame %s is malformed", async (_, fields) => {
  const hub = await startHub();
  const peer = await openExtension(hub, { type: "pair", ...fields });
  expect((await peer.next("refused")).frame.code).toBe("frame-malformed");
  expect(await peer.closeName()).toBe("frame-malformed");
});

test("EX2: a pair frame that is not the first of its link is refused", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const page = await connectTab(hub, token);
  page.send({ type: "pair", code: await mintBrowserCode(hub), name: "Chrome" });
  expect(await page.closeName()).toBe("frame-malformed");
});

test("EX3: an extension that is not paired, or was removed, is told which command pairs it", async () => {
  const hub = await startHub();
  const needed = {
    code: "token-required",
    command,
    message: `This browser is not paired with the hub. Pair it with: ${command}`,
  };
  expect(await refusedTab(hub, { claims: site })).toMatchObject({ ...needed, close: "token-required" });
  expect(await refusedTab(hub, { claims: site, token: hub.token })).toMatchObject({
    ...needed,
    code: "token-invalid",
    close: "token-invalid",
  });
  expect(await refusedTab(hub, { claims: site, token: "pagewire-browser.made-up" })).toMatchObject({
    code: "token-expired",
    command,
    close: "token-expired",
  });
  expect(await hub.metric("pagewire_tabs")).toBe(0);
});

test("EX3: a token is good for its own extension only, and for no page of a site", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const other = "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba";
  expect(await refusedTab(hub, { origin: other, claims: site, token })).toMatchObject({
    code: "token-invalid",
    command,
  });
  const page = await connectPage(hub.url, { token, claims: site, tools: ["shops"] });
  expect((await tabsOf(hub))[0]).toMatchObject({ tabId: page.tabId, origin: shop });
  expect((await tabsOf(hub))[0]).not.toHaveProperty("browser");
});

test("EX3: a browser's token opens neither a conversation with a model, nor a terminal, nor an agent's socket", async () => {
  const hub = await startShellHub();
  const { token } = await pairBrowser(hub, { code: await mintBrowserCode(hub, hub.key) });
  const headers = { Origin: extension };
  const protocols = ["pagewire.core.1", `pagewire.bearer.${token}`];
  const { socket } = await openSocket(`${hub.url}/ai-agent`, { protocols, headers });
  const [code] = (await once(socket, "close")) as [number];
  expect(closeNameOf(code)).toBe("origin-not-allowed");
  expect((await (await openView(hub, { token }, extension)).closed)[0]).toBe("origin-not-allowed");
  const agents = openSocket(`${hub.url}/agent`, { headers: { ...headers, Authorization: `Bearer ${token}` } });
  await expect(agents).rejects.toThrow("403");
});

test("EX4: an ordinary page's word for its origin is not read, whatever its form", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { claims: site });
  const odd = await openPage(hub.url, { tab: "odd" });
  odd.send({ ...helloOf({ tab: "odd" }), origin: 7 });
  await odd.next("welcome");
  expect((await tabsOf(hub)).map(({ origin }) => origin)).toEqual([shop, shop]);
});

test("EX4: an extension speaks for sites over http and https, and never for the hub's own pages", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const own = [hub.url, hub.url.replace("127.0.0.1", "localhost"), hub.url.replace("http:", "https:")];
  const wrong = [
    "null",
    "file://",
    "http://a.example:80/x",
    "http://a.example:80",
    "HTTP://A.example",
    "",
    "ftp://a.example",
  ];
  for (const claims of [...own, ...wrong, extension, "chrome://settings", undefined])
    expect(await refusedTab(hub, { token, ...(claims === undefined ? {} : { claims }) }), claims).toMatchObject({
      code: "origin-not-allowed",
      close: "origin-not-allowed",
    });
  expect(await refusedTab(hub, { token, claims: `https://${"x".repeat(3000)}` })).toMatchObject({
    code: "frame-malformed",
  });
  expect([await hub.metric("pagewire_tabs"), (await listBrowsers(hub))[0]?.["tabs"]]).toEqual([0, 0]);
});

test("EX4: an extension that is allowed as an origin speaks for its own pages, and its word for another origin is not taken", async () => {
  const hub = await startHub();
  hub.allow(extension);
  const page = await connectPage(hub.url, { origin: extension, claims: site });
  expect(await tabsOf(hub)).toEqual([expect.objectContaining({ tabId: page.tabId, origin: extension })]);
  expect((await tabsOf(hub))[0]).not.toHaveProperty("through");
  hub.disallow(extension);
  expect(await page.closeName()).toBe("token-expired");
});

test("EX5: a removed browser's tabs are closed in the middle of a call, and others go on", async () => {
  const hub = await startHub({ limits: { graceTime: 100 } });
  const [first, second] = [await pairBrowser(hub), await pairBrowser(hub)];
  expect([first.name, second.name]).toEqual(["Chrome", "Chrome 2"]);
  const page = await connectTab(hub, first.token, { tab: "one", tools: ["slow"], handle: byHand });
  const stays = await connectTab(hub, second.token, { tab: "two", tools: ["quick"] });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const ended = agent.call("slow", { id: "c" });
  page.ack((await page.nextCall()).id);
  await page.settled();
  const browsers = await listBrowsers(hub);
  expect((await removeBrowser(hub, browsers[0]?.["id"], hub.token)).status).toBe(204);
  expect((await page.next("refused")).frame).toMatchObject({ code: "token-expired", command });
  expect(await page.closeName()).toBe("token-expired");
  expect((await ended).frame).toMatchObject({ type: "failure", outcome: "outcome-unknown", ran: "maybe" });
  expect(stays.link.open).toBe(true);
  expect((await callTool(hub, "quick")).status).toBe(200);
  expect(await refusedTab(hub, { token: first.token, claims: site })).toMatchObject({ code: "token-expired" });
  expect((await listBrowsers(hub)).map(({ name }) => name)).toEqual(["Chrome 2"]);
  expect(errorOf(await removeBrowser(hub, browsers[0]?.["id"], hub.token))).toEqual([404, "route-not-found"]);
});

test("EX5: a browser that unpairs itself is gone at once, with its tabs, and no other is", async () => {
  const hub = await startHub();
  const [first, second] = [await pairBrowser(hub), await pairBrowser(hub)];
  const page = await connectTab(hub, first.token, { tab: "one" });
  const stays = await connectTab(hub, second.token, { tab: "two" });
  const ended = await openExtension(hub, { type: "unpair", token: first.token });
  expect([await ended.closeName(), await page.closeName()]).toEqual(["normal", "token-expired"]);
  for (const [token, origin] of [
    [first.token, extension],
    [second.token, "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"],
    [hub.token, extension],
  ] as const)
    expect((await (await openExtension(hub, { type: "unpair", token }, origin)).next("refused")).frame.command).toBe(
      command,
    );
  expect((await listBrowsers(hub)).map(({ name }) => name)).toEqual(["Chrome 2"]);
  expect(stays.link.open).toBe(true);
});

test("EX5: browsers that are paired at the same moment get names of their own", async () => {
  const hub = await startHub();
  const long = "x".repeat(100);
  const paired = await Promise.all([long, long, "B", "B", "B"].map((name) => pairBrowser(hub, { name })));
  const names = paired.map(({ name }) => name);
  expect(new Set(names).size).toBe(5);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(100);
});

test("EX5: the tokens of all browsers end when the agents' token is rotated", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const page = await connectTab(hub, token);
  hub.rotate("another-token-of-this-test");
  expect((await page.next("refused")).frame).toMatchObject({
    code: "token-expired",
    command,
    message: expect.stringContaining("the token of the hub was changed"),
  });
  expect(await refusedTab(hub, { token, claims: site })).toMatchObject({ code: "token-expired", command });
  expect(await listBrowsers(hub)).toEqual([]);
});

test("a hub that speaks no version of an extension's wire says so", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const page = await openPage(hub.url, { origin: extension });
  page.send({ ...helloOf({ token, claims: site }), versions: [99] });
  expect((await page.next("refused")).frame.code).toBe("version-unsupported");
});
