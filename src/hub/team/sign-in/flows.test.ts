import { createHash } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import type { TestBrowser } from "../test-support/browser.test-helper.ts";
import {
  callbackOf,
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
  startTeamHub,
} from "../test-support/team-hub.test-helper.ts";
import { IdentityClient } from "./identity-client.ts";

const site = "https://127.0.0.1";
const session = "__Host-pagewire";

const isSignedIn = (browser: TestBrowser) => browser.cookies.get(site)?.has(session) === true;

test("OI1: a person signs in, and a page of the hub gets a token that is theirs in person", async () => {
  const { url } = await startTeamHub();
  const browser = openBrowser();
  await signInWith(browser, url);
  expect([...(browser.cookies.get(site)?.keys() ?? [])]).toEqual([session]);
  const page = await openPage(browser, url);
  const { status, body } = await browser.ask(url, "GET /api/app", { token: await page.bearer() });
  expect([status, body]).toEqual([200, expect.objectContaining({ principal: "acme/ada" })]);
  expect((await browser.ask(url, "GET /api/waits", { token: await page.bearer() })).status).toBe(200);
});

test("OI1, OI2: the sign-in asks for a code with PKCE, state and nonce, and the cookies are the host's own", async () => {
  const { url, provider } = await startTeamHub();
  const { headers } = await openBrowser().send(`${url}/sign-in?provider=acme`);
  const to = new URL(headers.get("location") ?? "");
  expect(to.origin).toBe(provider.issuer);
  expect(Object.fromEntries(to.searchParams)).toEqual({
    client_id: "hub",
    scope: "openid offline_access",
    response_type: "code",
    redirect_uri: `${url}/sign-in/callback`,
    state: expect.stringMatching(/^.{43}$/),
    nonce: expect.stringMatching(/^.{43}$/),
    code_challenge: expect.stringMatching(/^.{43}$/),
    code_challenge_method: "S256",
  });
  const [flow = "", ...others] = headers.getSetCookie();
  expect(others).toEqual([]);
  expect(flow).toMatch(/^__Host-pagewire-flow=[\w-]+; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/);
  const browser = openBrowser();
  const back = await browser.send(await callbackOf(browser, url));
  expect(back.headers.getSetCookie().at(-1)).toMatch(
    /^__Host-pagewire=[\w-]{43}; Path=\/; Max-Age=28800; Secure; HttpOnly; SameSite=Lax$/,
  );
});

test("OI3: a way back is good in its own browser only, once, and as the provider made it", async () => {
  const { url } = await startTeamHub();
  const browser = openBrowser();
  const back = await callbackOf(browser, url);
  const kept = new Map(browser.cookies.get(site));
  const changed = (change: (address: URL) => void) => {
    const address = new URL(back);
    change(address);
    return address;
  };
  const forged = [
    changed(({ searchParams }) => searchParams.set("state", "x".repeat(43))),
    changed(({ searchParams }) => searchParams.append("state", "x")),
    changed(({ searchParams }) => searchParams.delete("state")),
    changed((address) => (address.pathname = "/sign-in/callback/acme")),
  ];
  for (const address of forged) expect((await browser.send(address)).status, address.href).toBe(400);
  // Another browser, as where an attacker sends a victim to the end of the attacker's own sign-in.
  const victim = openBrowser();
  expect((await victim.send(back)).status).toBe(400);
  await callbackOf(victim, url);
  expect((await victim.send(back)).status).toBe(400);
  expect([isSignedIn(victim), isSignedIn(browser)]).toEqual([false, false]);
  expect((await browser.send(back)).status).toBe(302);
  // Again, and with the cookie of then.
  expect((await browser.send(back)).status).toBe(400);
  const thief = openBrowser();
  thief.cookies.set(site, kept);
  expect((await thief.send(back)).status).toBe(400);
  expect(isSignedIn(thief)).toBe(false);
});

test.each([
  ["another issuer", (address: URL) => address.searchParams.set("iss", "https://evil.example")],
  ["no issuer", (address: URL) => address.searchParams.delete("iss")],
  ["a forged code", (address: URL) => address.searchParams.set("code", "x".repeat(43))],
  ["an error", (address: URL) => address.searchParams.set("error", "access_denied")],
])("OI3: a way back with %s signs nobody in", async (_, change) => {
  const { url } = await startTeamHub();
  const browser = openBrowser();
  const back = await callbackOf(browser, url);
  change(back);
  const { status, text, headers } = await browser.send(back);
  expect(status).toBe(400);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  expect(text).not.toMatch(/evil|access_denied|xxx/);
  expect(isSignedIn(browser)).toBe(false);
  expect((await browser.ask(url, "POST /api/session", { body: { key: "x" } })).status).toBe(400);
});

test("OI4: with several providers, the answer of one is not good for the sign-in that began with another", async () => {
  const [acme, globex] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  globex.signInAs("eve");
  globex.people.set("eve", { groups: ["staff"] });
  const hub = await startHubOf([optionsFor(acme), optionsFor(globex, { name: "globex", title: "<Globex>" })]);
  await Promise.all([acme, globex].map((each) => registerHub(each, [hub.url])));
  const browser = openBrowser();
  const choice = await browser.send(`${hub.url}/sign-in?returnTo=/console`);
  expect(choice.text).toContain('<a href="/sign-in?provider=globex&amp;returnTo=%2Fconsole">&lt;Globex&gt;</a>');
  expect((await browser.send(`${hub.url}/sign-in?provider=%3Cscript%3E`)).status).toBe(404);
  // The provider that was asked sends the browser on to another's sign-in, and that one back with its code.
  const theirs = await callbackOf(openBrowser(), hub.url, "provider=globex");
  const back = await callbackOf(browser, hub.url);
  for (const name of ["code", "iss"]) {
    const mixed = new URL(back);
    mixed.searchParams.set(name, theirs.searchParams.get(name) ?? "");
    expect((await browser.send(mixed)).status, name).toBe(400);
    expect(isSignedIn(browser)).toBe(false);
    back.href = (await callbackOf(browser, hub.url)).href;
  }
  await signInWith(browser, hub.url, "provider=globex");
  const page = await openPage(browser, hub.url);
  const { body } = await browser.ask(hub.url, "GET /api/app", { token: await page.bearer() });
  expect(body).toMatchObject({ principal: "globex/eve" });
});

test("OI4: a provider that does not name itself sends people back to an address of its own", async () => {
  const [acme, globex] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  const named = vi.spyOn(IdentityClient.prototype, "namesItself").mockResolvedValue(false);
  onTestFinished(() => named.mockRestore());
  const hub = await startHubOf([optionsFor(acme), optionsFor(globex, { name: "globex" })]);
  for (const [each, name] of [[acme, "acme"] as const, [globex, "globex"] as const])
    await registerHub(each, [hub.url], { redirect_uris: [`${hub.url}/sign-in/callback/${name}`] });
  const browser = openBrowser();
  const isBack = ({ pathname }: URL) => pathname.startsWith("/sign-in/callback");
  const { url } = await browser.go(`${hub.url}/sign-in?provider=acme`, isBack);
  expect(url.pathname).toBe("/sign-in/callback/acme");
  for (const path of ["/sign-in/callback/globex", "/sign-in/callback"]) {
    const mixed = new URL(url);
    mixed.pathname = path;
    expect((await browser.send(mixed)).status, path).toBe(400);
  }
  expect([(await browser.send(url)).status, isSignedIn(browser)]).toEqual([302, true]);
});

test("OI5: flows that nobody finishes leave nothing at the hub, and another hub of the team finishes one", async () => {
  const provider = await startIdentityProvider();
  const store = Object.assign(createMemoryStore(), { close: async () => {} });
  const writes = [vi.spyOn(store, "setRecord"), vi.spyOn(store.homes, "take")];
  const options = { store: () => store, publicHosts: ["hub.example.com"] };
  const [one, two] = [
    await startHubOf([optionsFor(provider)], options),
    await startHubOf([optionsFor(provider)], options),
  ];
  const hub = "https://hub.example.com";
  await registerHub(provider, [hub]);
  let { port } = one;
  const open = () => openBrowser({ "hub.example.com": () => port });
  for (let count = 0; count < 50; count++) {
    const browser = open();
    const { headers } = await browser.send(`${hub}/sign-in?provider=acme`);
    const state = new URL(headers.get("location") ?? "").searchParams.get("state");
    const back = `${hub}/sign-in/callback?code=x&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    expect((await browser.send(back)).status).toBe(400);
  }
  for (const each of writes) expect(each).not.toHaveBeenCalled();
  const browser = open();
  const back = await callbackOf(browser, hub);
  ({ port } = two);
  expect((await browser.send(back)).status).toBe(302);
  const page = await openPage(browser, hub);
  ({ port } = one);
  expect((await browser.ask(hub, "GET /api/app", { token: await page.bearer() })).status).toBe(200);
});

test("a person whose groups the provider left out reads why, and is not signed in", async () => {
  const { url, provider, records } = await startTeamHub({ groupsClaim: "teams" });
  provider.people.set("ada", { name: "Ada" });
  provider.provider.use(async (context, next) => {
    await next();
    if (context.path !== "/me") return;
    context.body = { ...(context.body as object), _claim_names: { teams: "src1" }, _claim_sources: { src1: {} } };
  });
  const browser = openBrowser();
  const { status, text } = await browser.send(await callbackOf(browser, url));
  expect([status, isSignedIn(browser)]).toEqual([400, false]);
  expect(text).toContain("more groups than your identity provider writes into &quot;teams&quot;");
  expect(JSON.stringify(records)).toContain("assigned to this application");
});

test("OI7: a person in none of the groups reads why, and is not signed in", async () => {
  const { url } = await startTeamHub({ memberGroups: ["board"] });
  const browser = openBrowser();
  const { status, text, headers } = await browser.send(await callbackOf(browser, url));
  expect([status, isSignedIn(browser)]).toEqual([403, false]);
  expect(text).toContain("You are in none of the groups that may use this hub.");
  const [, style = ""] = /<style>(.*)<\/style>/.exec(text) ?? [];
  const digest = createHash("sha256").update(style).digest("base64");
  expect(headers.get("content-security-policy")).toContain(`'sha256-${digest}'`);
});

test("nobody signs in over http, without a client at the provider, or in another mode", async () => {
  const provider = await startIdentityProvider();
  const clear = await startHub({ team: { secret: "s".repeat(32), providers: [optionsFor(provider)] } });
  const none = await startHubOf([{ name: "acme", issuer: provider.issuer }]);
  const local = await startHub();
  const browser = openBrowser();
  for (const { url } of [clear, none, local]) {
    for (const path of ["/sign-in?provider=acme", "/sign-in/callback?code=x&state=x"])
      expect((await browser.send(`${url}${path}`)).status).toBe(404);
    expect((await browser.send(`${url}/sign-in/back-channel`, { method: "POST", body: "x" })).status).toBe(404);
    expect((await browser.ask(url, "POST /api/session", { body: {} })).status).toBe(404);
  }
  expect(await browser.ask(clear.url, "GET /api/sign-in")).toEqual({ status: 200, body: { providers: [] } });
  expect((await browser.ask(local.url, "GET /api/sign-in")).status).toBe(404);
});

test("a provider that is away is in the log from the start, and is a page that says so", async () => {
  const provider = await startIdentityProvider();
  await provider.close();
  const { url, records } = await startHubOf([optionsFor(provider)]);
  const said = { event: "identity-unavailable", message: expect.stringContaining("ECONNREFUSED") as string };
  await expect.poll(() => records).toContainEqual(expect.objectContaining(said));
  const browser = openBrowser();
  const { status, headers, text } = await browser.send(`${url}/sign-in?provider=acme`);
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  expect(text).toContain("The identity provider does not answer");
});

test("a provider that refuses the hub's own client is in the log, with what it said", async () => {
  const { url, records } = await startTeamHub({ clientSecret: "a secret that is not the hub's" });
  const browser = openBrowser();
  const { status } = await browser.send(await callbackOf(browser, url));
  expect(status).toBe(503);
  const said = { event: "request-refused", message: expect.stringContaining("invalid_client") as string };
  expect(records).toContainEqual(expect.objectContaining(said));
});
