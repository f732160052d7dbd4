import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import type { TestBrowser } from "../test-support/browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
  startTeamHub,
} from "../test-support/team-hub.test-helper.ts";
import type { SignedInPage } from "../test-support/team-hub.test-helper.ts";

const site = "https://127.0.0.1";
const cookieOf = (browser: TestBrowser) => browser.cookies.get(site)?.get("__Host-pagewire");

/** The status of a use of the page's token, and of the cookie for another page. */
async function statuses(browser: TestBrowser, hub: string, page: SignedInPage): Promise<readonly number[]> {
  const used = await browser.ask(hub, "GET /api/app", { token: await page.bearer() });
  const again = await openPage(browser, hub).then(
    () => 200,
    (error: Error) => Number(/No session: (\d+)/.exec(error.message)?.[1]),
  );
  return [used.status, again];
}

async function signedIn(hub: { readonly url: string }) {
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  return { browser, page: await openPage(browser, hub.url) };
}

test("OI2: the store has a digest of the cookie, and the provider's tokens sealed", async () => {
  const store = createMemoryStore();
  const hub = await startTeamHub({}, { store: () => store });
  const { browser } = await signedIn(hub);
  const cookie = cookieOf(browser) ?? "";
  expect(cookie).toMatch(/^[\w-]{43}$/);
  const kept = [...(await store.records("sign-ins", "acme/ada"))];
  expect(kept).toHaveLength(1);
  const text = JSON.stringify(kept);
  expect(text).not.toContain(cookie);
  expect(text).not.toMatch(/eyJ/);
});

test("OI9, OI10: a person sees their sign-ins, and ends one: its cookie and its pages' tokens end at once", async () => {
  const hub = await startTeamHub();
  const [one, other] = [await signedIn(hub), await signedIn(hub)];
  hub.provider.signInAs("bob");
  hub.provider.people.set("bob", { groups: ["staff"] });
  const bobs = await signedIn(hub);
  const listed = async ({ browser, page }: typeof one) => {
    const { body } = await browser.ask(hub.url, "GET /api/sessions", { token: await page.bearer() });
    return (body as { readonly sessions: readonly { readonly id: string; readonly isCurrent?: true }[] }).sessions;
  };
  const all = await listed(one);
  expect(all.map(({ isCurrent }) => isCurrent)).toEqual([true, undefined]);
  expect(all[0]).toMatchObject({ provider: "acme", at: expect.any(Number), expiresAt: expect.any(Number) });
  const remove = async (id: string | undefined) => {
    const token = await one.page.bearer();
    return (await one.browser.ask(hub.url, `DELETE /api/sessions/${id}`, { token })).status;
  };
  expect(await remove((await listed(bobs))[0]?.id)).toBe(404);
  expect(await remove(all[1]?.id)).toBe(204);
  expect(await remove(all[1]?.id)).toBe(404);
  expect(await statuses(other.browser, hub.url, other.page)).toEqual([401, 401]);
  expect(await statuses(one.browser, hub.url, one.page)).toEqual([200, 200]);
  expect(await statuses(bobs.browser, hub.url, bobs.page)).toEqual([200, 200]);
});

test("OI8: only a page of the hub gets a token for the cookie, bound to its key", async () => {
  const hub = await startTeamHub();
  const { browser, page } = await signedIn(hub);
  const body = { key: "x" };
  for (const origin of ["https://evil.example", `http://127.0.0.1:${hub.port + 1}`, "null"])
    expect((await browser.ask(hub.url, "POST /api/session", { body: {}, origin })).status).toBe(403);
  const plain = { "Content-Type": "text/plain", Origin: hub.url };
  const sent = await browser.send(`${hub.url}/api/session`, { method: "POST", body: "{}", headers: plain });
  expect(sent.status).toBe(400);
  for (const wrong of [{}, body, [], null])
    expect((await browser.ask(hub.url, "POST /api/session", { body: wrong })).status).toBe(400);
  expect((await browser.ask(hub.url, "GET /api/app", { token: page.token })).status).toBe(401);
  expect((await browser.ask(hub.url, "GET /api/app")).status).toBe(401);
});

test("OI11: signing out ends the sign-in here and names the address where it ends at the provider", async () => {
  const hub = await startTeamHub();
  const { browser, page } = await signedIn(hub);
  const { status, body } = await browser.ask(hub.url, "POST /api/sign-out", { token: await page.bearer() });
  expect([status, body]).toEqual([200, { ok: true, logout: expect.any(String) }]);
  expect(cookieOf(browser)).toBeUndefined();
  expect(await statuses(browser, hub.url, page)).toEqual([401, 401]);
  const { searchParams } = new URL((body as { readonly logout: string }).logout);
  expect(searchParams.get("post_logout_redirect_uri")).toBe(`${hub.url}/`);
  expect(decodeJwt(searchParams.get("id_token_hint") ?? "")).toMatchObject({ sub: "ada", aud: "hub" });
  const asked = await browser.go((body as { readonly logout: string }).logout);
  expect(asked.text).toContain('name="xsrf"');
});

test("OI11: a long ID token is left out of the address at which a person signs out", async () => {
  const hub = await startTeamHub();
  hub.provider.people.set("ada", { groups: Array.from({ length: 300 }, () => crypto.randomUUID()) });
  const { browser, page } = await signedIn(hub);
  const { body } = await browser.ask(hub.url, "POST /api/sign-out", { token: await page.bearer() });
  const { logout } = body as { readonly logout: string };
  expect(logout.length).toBeLessThan(4000);
  expect([...new URL(logout).searchParams.keys()].sort()).toEqual(["client_id", "post_logout_redirect_uri"]);
});

test("OI11: signing out ends the sign-in here also where the provider knows no way to sign out, or is away", async () => {
  const provider = await startIdentityProvider();
  provider.provider.use(async (context, next) => {
    await next();
    if (context.path.startsWith("/.well-known/")) Reflect.deleteProperty(Object(context.body), "end_session_endpoint");
  });
  const hub = await startHubOf([optionsFor(provider)]);
  await registerHub(provider, [hub.url]);
  const [one, other] = [await signedIn(hub), await signedIn(hub)];
  for (const { browser, page } of [one, other]) {
    const { status, body } = await browser.ask(hub.url, "POST /api/sign-out", { token: await page.bearer() });
    expect([status, body]).toEqual([200, { ok: true }]);
    expect(await statuses(browser, hub.url, page)).toEqual([401, 401]);
    await provider.close();
  }
});

test("a browser that signs in again is signed in once", async () => {
  const hub = await startTeamHub();
  const { browser, page } = await signedIn(hub);
  hub.provider.people.set("bob", { groups: ["staff"] });
  hub.provider.signInAs("bob");
  browser.cookies.delete(`http://127.0.0.1`);
  await signInWith(browser, hub.url);
  const again = await openPage(browser, hub.url);
  expect((await browser.ask(hub.url, "GET /api/app", { token: await page.bearer() })).status).toBe(401);
  const { body } = await browser.ask(hub.url, "GET /api/app", { token: await again.bearer() });
  expect(body).toMatchObject({ principal: "acme/bob" });
});

test("a person has as many sign-ins as the limit allows: the oldest ends", async () => {
  const hub = await startTeamHub({}, { limits: { appSessionsPerPrincipal: 2 } });
  const all = [await signedIn(hub), await signedIn(hub), await signedIn(hub)];
  const found = [];
  for (const { browser, page } of all) found.push(await statuses(browser, hub.url, page));
  expect(found[0]).toEqual([401, 401]);
  expect(found.slice(1).map(([, cookie]) => cookie)).toEqual([200, 200]);
});

test("OI10: a sign-in outlives a restart of the hub, for as long as it was to last", async () => {
  const store = Object.assign(createMemoryStore(), { close: async () => {} });
  const hub = await startTeamHub({}, { store: () => store });
  const { browser } = await signedIn(hub);
  const { port } = hub;
  await hub.close();
  const later = await startHubOf([optionsFor(hub.provider)], { port, store: () => store });
  expect(await statuses(browser, later.url, await openPage(browser, later.url))).toEqual([200, 200]);
});

test("OI7: a person whom an admin blocks is signed out, and cannot sign in", async () => {
  const store = createMemoryStore();
  const hub = await startTeamHub({ adminGroups: ["admins"] }, { store: () => store });
  const { browser, page } = await signedIn(hub);
  hub.provider.people.set("bob", { groups: ["admins"] });
  hub.provider.signInAs("bob");
  const admin = await signedIn(hub);
  const block = async (blocked: boolean) => {
    const token = await admin.page.bearer();
    const asked = "POST /api/team/people/acme%2Fada";
    return (await admin.browser.ask(hub.url, asked, { token, body: { blocked } })).status;
  };
  expect(await block(true)).toBe(200);
  expect(await statuses(browser, hub.url, page)).toEqual([401, 401]);
  hub.provider.signInAs("ada");
  const again = openBrowser();
  const { status, text } = await again.go(`${hub.url}/sign-in`);
  expect([status, cookieOf(again)]).toEqual([403, undefined]);
  expect(text).toContain("You were blocked at this hub.");
  expect(await block(false)).toBe(200);
  // The earlier sign-ins stay ended.
  expect(await statuses(browser, hub.url, page)).toEqual([401, 401]);
  await signInWith(again, hub.url);
  expect(await openPage(again, hub.url)).toMatchObject({ token: expect.any(String) });
  const refused = () => store.audit({ kinds: ["sign-in"], outcome: "refused", name: "acme", limit: 100 });
  await expect
    .poll(refused)
    .toEqual([expect.objectContaining({ principal: "acme/ada", name: "acme", decidedBy: "claims" })]);
});

test("the audit has each sign-in and how it ended, under its provider", async () => {
  const store = createMemoryStore();
  const hub = await startTeamHub({}, { store: () => store });
  const { browser, page } = await signedIn(hub);
  await browser.ask(hub.url, "POST /api/sign-out", { token: await page.bearer() });
  const kept = async () =>
    (await store.audit({ kinds: ["sign-in"], name: "acme", limit: 100 })).map(
      ({ principal, outcome, decidedBy }) => `${principal} ${outcome} ${decidedBy}`,
    );
  await expect.poll(kept).toEqual(["acme/ada signed-out user", "acme/ada signed-in provider"]);
});
