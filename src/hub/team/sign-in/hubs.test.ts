// Sign-ins at several hubs, which share a public name, a database and a bus.
import { expect, test } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { newDatabase } from "../../../../test/support/start-postgres.ts";
import { startHubs } from "../../cluster/hubs.test-helper.ts";
import { openStore } from "../../store/index.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startIdentityProvider,
  teamOf,
} from "../test-support/team-hub.test-helper.ts";

const hub = "https://hub.example.com";
const app = "https://app.example.com";

async function startTeamHubs() {
  const database = await newDatabase();
  const provider = await startIdentityProvider();
  await registerHub(provider, [hub]);
  const hubs = await startHubs({
    ...{ team: teamOf([optionsFor(provider)]), tls: () => certificate, publicHosts: ["hub.example.com"] },
    ...{ store: () => openStore({ database }), allowedOrigins: () => [app] },
  });
  let { port } = hubs.a;
  const browser = openBrowser({ "hub.example.com": () => port });
  return { ...hubs, provider, browser, to: (one: typeof hubs.a) => void ({ port } = one) };
}

test("OI5, OI10: a sign-in that began at one hub and ended at another is good at all, and ends at all at once", async () => {
  const { a, b, c, browser, to } = await startTeamHubs();
  to(a);
  const back = await browser.go(`${hub}/sign-in`, ({ pathname }) => pathname === "/sign-in/callback");
  to(b);
  expect((await browser.send(back.url)).status).toBe(302);
  const cookies = new Map(browser.cookies.get(hub));
  const pages = [];
  const sockets = [];
  for (const each of [a, b, c]) {
    to(each);
    pages.push(await openPage(browser, hub));
    const { body } = await browser.ask(hub, "POST /api/page-tokens", { origin: app, body: {} });
    const { token } = body as { readonly token: string };
    const at = `https://127.0.0.1:${each.port}`;
    sockets.push(await connectPage(at, { origin: app, token, tab: `tab-${each.port}`, ca: certificate.cert }));
  }
  to(c);
  const token = await pages[0]?.bearer();
  expect((await browser.ask(hub, "POST /api/sign-out", { ...(token !== undefined && { token }) })).status).toBe(200);
  for (const socket of sockets) expect(await socket.closeName()).toBe("token-expired");
  browser.cookies.set(hub, cookies);
  for (const each of [a, b, c]) {
    to(each);
    await expect(openPage(browser, hub)).rejects.toThrow("No session: 401");
    for (const page of pages)
      expect((await browser.ask(hub, "GET /api/app", { token: await page.bearer() })).status).toBe(401);
  }
});

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
