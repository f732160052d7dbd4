import { expect, test } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { askOwn, errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { pathTo, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";
import type { TeamHub } from "../../team/test-support/team-world.test-helper.ts";
import { openBrowser } from "../../team/test-support/browser.test-helper.ts";
import { openPage, signInWith, startTeamHub as startSignInHub } from "../../team/test-support/team-hub.test-helper.ts";
import { createRate } from "../../team/rate.ts";

const origin = "https://app.example.com";
const allowedOrigins = () => [origin];

function askToken(hub: TeamHub, token: string, body: object) {
  return askOwn(hub, "POST /api/page-tokens", { token, origin: undefined, body: JSON.stringify(body) });
}

test("TM91: an app's server gets a token for a page of a person of its organisation, which ends with the person's access", async () => {
  const hub = await startTeamHub({ allowedOrigins });
  const { body } = await askToken(hub, hub.keys.acme, { origin, app: "shop", subject: "ada", expiresIn: 60_000 });
  expect(Number(body?.["expiresAt"]) - Date.now()).toBeGreaterThan(50_000);
  const token = String(body?.["token"]);
  const page = await connectPage(hub.url, { origin, token, app: "shop" });
  const elsewhere = connectPage(hub.url, { origin: "https://other.example.com", token });
  await expect(elsewhere).rejects.toThrow("token-invalid");
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: true });
  expect(await page.closeName()).toBe("token-expired");
  expect(errorOf(await askToken(hub, hub.keys.acme, { origin, subject: "ada" }))).toEqual([404, "route-not-found"]);
});

test("TM22: what a service account's key got ends with the key, tokens of pages too", async () => {
  const hub = await startTeamHub({ allowedOrigins });
  const made = await hub.acme("POST services", { name: "shop", scopes: ["admin"] });
  const asked = await askToken(hub, String(made.body?.["key"]), { origin, subject: "ada" });
  const token = String(asked.body?.["token"]);
  const page = await connectPage(hub.url, { origin, token });
  expect((await hub.acme("POST services/shop/keys", {})).status).toBe(200);
  expect(await page.closeName()).toBe("token-expired");
  await expect(connectPage(hub.url, { origin, token })).rejects.toThrow("token-expired");
});

test("TM91: nobody gets a token for a person of another organisation, or without the scope, or for an origin that is not allowed", async () => {
  const hub = await startTeamHub({ allowedOrigins });
  for (const subject of ["eve", "globex/eve", "../globex/eve", "nobody"])
    expect(errorOf(await askToken(hub, hub.keys.acme, { origin, subject }))).toEqual([404, "route-not-found"]);
  const made = await hub.acme("POST services", { name: "tools", scopes: ["tools:destructive"] });
  const key = String(made.body?.["key"]);
  expect(errorOf(await askToken(hub, key, { origin, subject: "ada" }))).toEqual([403, "scope-needed"]);
  const evil = { origin: "https://evil.example", subject: "ada" };
  expect(errorOf(await askToken(hub, hub.keys.acme, evil))).toEqual([403, "origin-not-allowed"]);
});

test.each([
  [{}],
  [{ origin: `${origin}/` }],
  [{ origin: 5 }],
  [{ origin, subject: "" }],
  [{ origin, subject: ["ada"] }],
  [{ origin }],
  [{ origin, subject: "ada", app: "" }],
  [{ origin, subject: "ada", app: "x".repeat(201) }],
  [{ origin, subject: "ada", expiresIn: 1 }],
  [{ origin, subject: "ada", expiresIn: "1h" }],
  [{ origin, subject: "ada", expiresIn: 3_600_001 }],
])("TM90: what is not well-formed is refused: %j", async (body) => {
  const hub = await startTeamHub({ allowedOrigins });
  expect(errorOf(await askToken(hub, hub.keys.acme, body))).toEqual([400, "request-malformed"]);
});

test("TM92: a page of an allowed origin may read its answer, a page of another one nothing", async () => {
  const hub = await startTeamHub({ allowedOrigins });
  for (const method of ["OPTIONS", "POST"]) {
    const answer = await askOwn(hub, `${method} /api/page-tokens`, {
      origin,
      token: hub.keys.acme,
      ...(method === "POST" && { body: "{}" }),
    });
    // An agent's token is none of a page's.
    expect(answer.status).toBe(method === "POST" ? 401 : 204);
    const { headers } = answer;
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("access-control-allow-headers")).toBe("Content-Type");
    expect(headers.get("vary")).toBe("Origin");
    for (const other of [
      "https://evil.example",
      "https://app.example.com.evil.example",
      "http://app.example.com",
      "null",
    ]) {
      const refused = await askOwn(hub, `${method} /api/page-tokens`, {
        origin: other,
        ...(method === "POST" && { body: "{}" }),
      });
      expect([refused.status >= 400, refused.headers.get("access-control-allow-origin")]).toEqual([true, null]);
    }
  }
});

test("TM94: a page of an allowed origin gets a token by the cookie of the person in its browser, until that is signed out", async () => {
  const hub = await startSignInHub({}, { allowedOrigins });
  const browser = openBrowser();
  const ask = (from: string, body: object = {}) =>
    browser.ask(hub.url, "POST /api/page-tokens", { origin: from, body: { app: "shop", ...body } });
  expect(await ask(origin)).toMatchObject({ status: 401, body: { error: { code: "token-required" } } });
  await signInWith(browser, hub.url);
  const { status, body } = await ask(origin);
  expect(status).toBe(200);
  const { token } = body as { readonly token: string };
  expect(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
    ...{ sub: "acme/ada", origin, app: "shop", aud: "pagewire:page" },
  });
  expect(await ask(origin, { origin: "https://other.example.com" })).toMatchObject({ status: 400 });
  expect(await ask(origin, { subject: "bob" })).toMatchObject({
    status: 403,
    body: { error: { code: "option-refused" } },
  });
  expect(await ask("https://evil.example")).toMatchObject({ status: 403 });
  // An agent's route, which no cookie opens.
  expect(await ask(hub.url, { origin })).toMatchObject({ status: 401 });
  const { hostname } = new URL(hub.url);
  const site = `https://${hostname}`;
  const cookie = new Map(browser.cookies.get(site));
  const page = await openPage(browser, hub.url);
  const shown = await connectPage(hub.url, { origin, token, app: "shop", ca: certificate.cert });
  const byPage = { token: await page.bearer(), body: { origin } };
  expect(await browser.ask(hub.url, "POST /api/page-tokens", byPage)).toMatchObject({ status: 200 });
  await browser.ask(hub.url, "POST /api/sign-out", { token: await page.bearer() });
  browser.cookies.set(site, cookie);
  expect(await ask(origin)).toMatchObject({ status: 401 });
  // So does what a page of the app began with its token.
  expect(await shown.closeName()).toBe("token-expired");
  const late = connectPage(hub.url, { origin, token, app: "shop", ca: certificate.cert });
  await expect(late).rejects.toThrow("token-expired");
});

test("TM10: each token of a page is in the audit, with who got it, for whom and for which origin", async () => {
  const hub = await startTeamHub({ allowedOrigins });
  await askToken(hub, hub.keys.acme, { origin, app: "shop", subject: "ada" });
  const records = () => hub.store.audit({ kinds: ["token"], limit: 9 });
  await expect.poll(records).toMatchObject([
    {
      ...{ principal: "acme:service/admin", name: "acme/ada", origin, app: "shop", outcome: "made" },
      ...{ decidedBy: "credential", details: { use: "page", expiresAt: expect.any(Number) } },
    },
  ]);
});

test("TM93: a minute has so many tokens, for each name of its own", () => {
  let now = 1000;
  const take = createRate(2, () => now);
  for (const name of ["a", "a", "b", "b"]) take(name);
  expect(() => take("a")).toThrow(expect.objectContaining({ code: "requests-too-many", retryAfter: 60_000 }));
  now += 60_000;
  take("a");
});
