// Sign-ins at several hubs, which share a public name, a database and a bus.
import { SignJWT, importJWK } from "jose";
import { expect, test } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { newDatabase } from "../../../../test/support/start-postgres.ts";
import { startHubs } from "../../cluster/hubs.test-helper.ts";
import { openStore } from "../../store/index.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import { newKey } from "../test-support/start-provider.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startIdentityProvider,
  teamOf,
} from "../test-support/team-hub.test-helper.ts";
import type { SignedInPage } from "../test-support/team-hub.test-helper.ts";

const hub = "https://hub.example.com";
const app = "https://app.example.com";

async function startTeamHubs() {
  const database = await newDatabase();
  const key = await newKey("RS256");
  const provider = await startIdentityProvider({ configuration: { jwks: { keys: [key] } } });
  await registerHub(provider, [hub]);
  const hubs = await startHubs({
    ...{ team: teamOf([optionsFor(provider)]), tls: () => certificate, publicHosts: ["hub.example.com"] },
    ...{ store: () => openStore({ database }), allowedOrigins: () => [app] },
  });
  let { port } = hubs.a;
  const browser = openBrowser({ "hub.example.com": () => port });
  return { ...hubs, provider, key, browser, to: (one: typeof hubs.a) => void ({ port } = one) };
}

test("OI5, OI10: a sign-in that began at one hub and ended at another is good at all, and ends at all at once", async () => {
  const { a, b, c, browser, to } = await startTeamHubs();
  to(a);
  const back = await browser.go(`${hub}/sign-in`, ({ pathname }) => pathname === "/sign-in/callback");
  to(b);
  expect((await browser.send(back.url)).status).toBe(302);
  const rest = await openEverywhere({ a, b, c, browser, to });
  to(c);
  const token = await rest.pages[0]?.bearer();
  expect((await browser.ask(hub, "POST /api/sign-out", { ...(token !== undefined && { token }) })).status).toBe(200);
  await rest.hasEnded();
});

test("OI12: what the provider says to one hub ends a sign-in at all: tokens of pages, sockets, the cookie", async () => {
  const { a, b, c, provider, key, browser, to } = await startTeamHubs();
  to(a);
  await signInWith(browser, hub);
  const rest = await openEverywhere({ a, b, c, browser, to });
  const at = Math.floor(Date.now() / 1000);
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const claims = { iss: provider.issuer, aud: "hub", sub: "ada", jti: "1", iat: at, exp: at + 60, events };
  const signed = new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "logout+jwt", kid: key.kid ?? "" });
  const body = new URLSearchParams({ logout_token: await signed.sign(await importJWK(key, "RS256")) }).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const send = () => browser.send(`${hub}/sign-in/back-channel`, { method: "POST", body, headers });
  to(c);
  expect((await send()).status).toBe(200);
  await rest.hasEnded();
  // Again, at another hub.
  to(b);
  expect((await send()).status).toBe(400);
});

type Opening = Pick<Awaited<ReturnType<typeof startTeamHubs>>, "a" | "b" | "c" | "browser" | "to">;

/** At each hub a page of the hub, and one of the company's app with a socket. */
async function openEverywhere({ a, b, c, browser, to }: Opening) {
  const cookies = new Map(browser.cookies.get(hub));
  const pages: SignedInPage[] = [];
  const sockets: TestPage[] = [];
  for (const each of [a, b, c]) {
    to(each);
    pages.push(await openPage(browser, hub));
    const { body } = await browser.ask(hub, "POST /api/page-tokens", { origin: app, body: {} });
    const { token } = body as { readonly token: string };
    const at = `https://127.0.0.1:${each.port}`;
    sockets.push(await connectPage(at, { origin: app, token, tab: `tab-${each.port}`, ca: certificate.cert }));
  }
  return {
    pages,
    async hasEnded() {
      for (const socket of sockets) expect(await socket.closeName()).toBe("token-expired");
      browser.cookies.set(hub, cookies);
      for (const each of [a, b, c]) {
        to(each);
        await expect(openPage(browser, hub)).rejects.toThrow("No session: 401");
        for (const page of pages)
          expect((await browser.ask(hub, "GET /api/app", { token: await page.bearer() })).status).toBe(401);
      }
    },
  };
}

test("OI3: a way back that was good at one hub is not good at another", async () => {
  const { a, b, browser, to } = await startTeamHubs();
  to(a);
  const back = await browser.go(`${hub}/sign-in`, ({ pathname }) => pathname === "/sign-in/callback");
  const cookies = new Map(browser.cookies.get(hub));
  expect((await browser.send(back.url)).status).toBe(302);
  browser.cookies.set(hub, cookies);
  to(b);
  expect((await browser.send(back.url)).status).toBe(400);
  await signInWith(browser, hub);
});
