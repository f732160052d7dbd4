// Logout tokens that are another's, or something else, at a hub with two providers whose people and clients have the same names.
import { SignJWT, importJWK } from "jose";
import type { JWK, JWTPayload } from "jose";
import { expect, test } from "vitest";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import { newKey } from "../test-support/start-provider.test-helper.ts";
import type { TestProvider } from "../test-support/start-provider.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
} from "../test-support/team-hub.test-helper.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";

interface Signer {
  readonly key: JWK;
  readonly provider: TestProvider;
}

async function startSigner(): Promise<Signer> {
  const key = await newKey("RS256");
  return { key, provider: await startIdentityProvider({ configuration: { jwks: { keys: [key] } } }) };
}

async function sign({ provider, key }: Signer, payload: JWTPayload, kid = key.kid ?? ""): Promise<string> {
  const at = Math.floor(Date.now() / 1000);
  const usual = { iss: provider.issuer, aud: "hub", jti: crypto.randomUUID(), iat: at, exp: at + 60 };
  return new SignJWT({ ...usual, events: { [event]: {} }, ...payload })
    .setProtectedHeader({ alg: "RS256", typ: "logout+jwt", kid })
    .sign(await importJWK(key, "RS256"));
}

/** Ada of acme is signed in; a globex has an ada, too. */
async function startBoth() {
  const [acme, globex] = await Promise.all([startSigner(), startSigner()]);
  const issued: Record<string, string>[] = [];
  acme.provider.provider.use(async (context, next) => {
    await next();
    if (context.path === "/token") issued.push(context.body as Record<string, string>);
  });
  const hub = await startHubOf([
    // As where tokens of agents are for the client itself.
    optionsFor(acme.provider, { audiences: ["hub"] }),
    optionsFor(globex.provider, { name: "globex" }),
  ]);
  for (const { provider } of [acme, globex]) await registerHub(provider, [hub.url]);
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const page = await openPage(browser, hub.url);
  const idToken = issued[0]?.["id_token"] ?? "";
  const { sid = "" } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as { sid?: string };
  return {
    ...{ hub, acme, globex, browser, idToken, sid },
    isSignedIn: async () => (await browser.ask(hub.url, "GET /api/app", { token: await page.bearer() })).status === 200,
    async send(token: string) {
      const headers = { "Content-Type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams({ logout_token: token }).toString();
      return (await openBrowser().send(`${hub.url}/sign-in/back-channel`, { method: "POST", body, headers })).status;
    },
  };
}

test("OI12, OI13: a logout token of one provider ends no sign-in of another's people, even if it names them", async () => {
  const { acme, globex, sid, send, isSignedIn } = await startBoth();
  expect(sid).toMatch(/./);
  // Good, but about people of globex.
  for (const about of [{ sub: "ada" }, { sid }, { sub: "ada", sid }])
    expect(await send(await sign(globex, about))).toBe(200);
  // In acme's name, with globex's key, under its name and under that of acme's.
  const iss = acme.provider.issuer;
  for (const kid of [globex.key.kid, acme.key.kid])
    expect(await send(await sign(globex, { iss, sub: "ada", sid }, kid))).toBe(400);
  // Of acme, but about another person's session or another's subject.
  for (const about of [{ sub: "bob", sid }, { sub: "bob" }, { sid: "another" }])
    expect(await send(await sign(acme, about))).toBe(200);
  expect(await isSignedIn()).toBe(true);
  expect([await send(await sign(acme, { sub: "ada", sid })), await isSignedIn()]).toEqual([200, false]);
});

test("OI13: an ID token is no logout token, and a logout token is no access token", async () => {
  const { hub, acme, idToken, browser, send, isSignedIn } = await startBoth();
  expect(idToken.split(".")).toHaveLength(3);
  expect([await send(idToken), await isSignedIn()]).toEqual([400, true]);
  for (const more of [{}, { scope: "admin" }, { scp: "admin", client_id: "hub" }]) {
    const token = await sign(acme, { sub: "ada", ...more });
    expect((await browser.ask(hub.url, "GET /api/app", { token })).status).toBe(401);
  }
});

test("OI13: a flood of forged logout tokens asks the provider for keys once a second, and good ones count", async () => {
  const { acme, sid, send, isSignedIn } = await startBoth();
  let asked = 0;
  acme.provider.provider.use(async ({ path }, next) => {
    if (path === "/jwks") asked++;
    await next();
  });
  const began = Date.now();
  const forger = { ...acme, key: await newKey("RS256") };
  const forged = await Promise.all(
    Array.from({ length: 60 }, async () => send(await sign(forger, { sub: "ada" }, crypto.randomUUID()))),
  );
  expect(new Set(forged)).toEqual(new Set([400]));
  expect(asked).toBeLessThanOrEqual(2 + (Date.now() - began) / 1000);
  expect(await isSignedIn()).toBe(true);
  expect([await send(await sign(acme, { sid })), await isSignedIn()]).toEqual([200, false]);
});
