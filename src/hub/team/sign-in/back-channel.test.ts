import { SignJWT, importJWK } from "jose";
import type { JWK, JWTPayload } from "jose";
import { expect, test } from "vitest";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import type { TestBrowser } from "../test-support/browser.test-helper.ts";
import { newKey, rsaKey } from "../test-support/start-provider.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
  startTeamHub,
} from "../test-support/team-hub.test-helper.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
const form = { "Content-Type": "application/x-www-form-urlencoded" };

async function isSignedIn(browser: TestBrowser, hub: string): Promise<boolean> {
  return openPage(browser, hub).then(
    () => true,
    () => false,
  );
}

/** A hub whose provider's key a test has. */
async function startSigned() {
  const key = await rsaKey();
  const provider = await startIdentityProvider({ configuration: { jwks: { keys: [key] } } });
  const hub = await startHubOf([optionsFor(provider)]);
  await registerHub(provider, [hub.url]);
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const claims = (more: JWTPayload = {}): JWTPayload => ({
    ...{ iss: provider.issuer, aud: "hub", sub: "ada", jti: crypto.randomUUID() },
    ...{ iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60, events: { [event]: {} } },
    ...more,
  });
  const sign = async (payload: JWTPayload, { by = key, typ = "logout+jwt" }: { by?: JWK; typ?: string } = {}) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: "RS256", typ, ...(by.kid !== undefined && { kid: by.kid }) })
      .sign(await importJWK(by, "RS256"));
  const post = async (body: string) =>
    openBrowser().send(`${hub.url}/sign-in/back-channel`, { method: "POST", body, headers: form });
  const send = async (token: string) => (await post(new URLSearchParams({ logout_token: token }).toString())).status;
  return { hub, provider, browser, key, claims, sign, post, send };
}

test("OI12: signing out at the provider ends the person's sign-ins here, by the provider's own message", async () => {
  const { url, provider } = await startTeamHub();
  const [browser, other] = [openBrowser(), openBrowser()];
  for (const each of [browser, other]) await signInWith(each, url);
  const { searchParams } = new URL(
    (await browser.go(`${url}/sign-in`, ({ origin }) => origin === provider.issuer)).url,
  );
  expect(searchParams.get("client_id")).toBe("hub");
  const asked = await browser.go(`${provider.issuer}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? "";
  const body = new URLSearchParams({ xsrf, logout: "yes" }).toString();
  await browser.send(`${provider.issuer}/session/end/confirm`, { method: "POST", body, headers: form });
  await expect.poll(() => isSignedIn(browser, url)).toBe(false);
  // The sign-in of another session at the provider stays.
  expect(await isSignedIn(other, url)).toBe(true);
});

test("OI12: a logout token names a subject: all sign-ins from before it end, later ones and those of others do not", async () => {
  const { hub, provider, browser, claims, sign, send } = await startSigned();
  provider.people.set("bob", {});
  provider.signInAs("bob");
  const bobs = openBrowser();
  await signInWith(bobs, hub.url);
  const early = await sign(claims({ iat: Math.floor(Date.now() / 1000) - 100 }));
  expect([await send(early), await isSignedIn(browser, hub.url)]).toEqual([200, true]);
  expect(await send(await sign(claims()))).toBe(200);
  expect([await isSignedIn(browser, hub.url), await isSignedIn(bobs, hub.url)]).toEqual([false, true]);
});

test("OI13: a logout token that is not good, or was used, ends nothing and is 400, not to be kept", async () => {
  const { hub, browser, claims, sign, post, send } = await startSigned();
  const now = Math.floor(Date.now() / 1000);
  const without = (name: string): JWTPayload => ({ ...claims(), [name]: undefined });
  const bad: readonly JWTPayload[] = [
    ...["iss", "aud", "iat", "jti", "events", "sub"].map(without),
    claims({ nonce: "x" }),
    claims({ events: {} }),
    claims({ events: { [event]: true } }),
    claims({ iss: "https://evil.example" }),
    claims({ aud: "another" }),
    claims({ exp: now - 100 }),
    claims({ iat: now - 3600, exp: now + 60 }),
    { ...without("sub"), sid: 5 },
  ];
  for (const each of bad) expect(await send(await sign(each)), JSON.stringify(each)).toBe(400);
  expect(await send(await sign(claims(), { by: await newKey("RS256") }))).toBe(400);
  expect(await send(await sign(claims(), { typ: "at+jwt" }))).toBe(400);
  for (const token of ["", "x", "a.b.c", `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims()))}.`])
    expect(await send(token), token).toBe(400);
  for (const body of ["", "{}", "logout_token=a&logout_token=b"]) {
    const { status, headers } = await post(body);
    expect([status, headers.get("cache-control")]).toEqual([400, "no-store"]);
  }
  expect(await isSignedIn(browser, hub.url)).toBe(true);
  const good = await sign(claims());
  const { status, headers, text } = await post(new URLSearchParams({ logout_token: good }).toString());
  expect([status, headers.get("cache-control"), text]).toEqual([200, "no-store", ""]);
  expect(await isSignedIn(browser, hub.url)).toBe(false);
  await signInWith(browser, hub.url);
  expect([await send(good), await isSignedIn(browser, hub.url)]).toEqual([400, true]);
});

test("while the provider's keys cannot be had, its message is to come again", async () => {
  const { hub, provider, claims, sign, send } = await startSigned();
  const token = await sign(claims());
  await provider.close();
  const { status } = await openBrowser().send(`${hub.url}/healthz`);
  expect(status).toBe(200);
  const later = await startHubOf([optionsFor(provider)]);
  const body = new URLSearchParams({ logout_token: token }).toString();
  const asked = await openBrowser().send(`${later.url}/sign-in/back-channel`, { method: "POST", body, headers: form });
  expect([asked.status, asked.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await send(token)).toBe(200);
});
