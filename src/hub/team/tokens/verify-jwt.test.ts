import { expect, test } from "vitest";
import { expired, invalid, setUpTokens as setUp } from "../test-support/access-tokens.test-helper.ts";
import { audience, startIssuer } from "../test-support/start-issuer.test-helper.ts";
import type { TestHeader, TestIssuer } from "../test-support/start-issuer.test-helper.ts";

type Claimed = Readonly<Record<string, unknown>>;

/** An app whose name is the audience of both its id tokens and the access tokens for its API. */
const app = "6e74172b-be56-4843-9ff4-e66a39bb12e3";
const bare = { client_id: undefined, scope: undefined };
const plain = { typ: "JWT" };
const untyped = { typ: undefined };

interface Shape {
  readonly name: string;
  readonly claims: Claimed;
  readonly header?: TestHeader;
  /** By default that of the app. */
  readonly audiences?: readonly string[];
}

/** As the vendors' documentation shows them. */
const accessTokens: readonly Shape[] = [
  {
    name: "Microsoft Entra ID, version 2",
    claims: { ...bare, aud: app, azp: "desk", azpacr: "0", scp: "tools", ver: "2.0", oid: "o", tid: "t", uti: "u" },
    header: plain,
  },
  {
    name: "Microsoft Entra ID, version 1",
    claims: { ...bare, aud: "api://pagewire", appid: "desk", appidacr: "1", scp: "tools", ver: "1.0", tid: "t" },
    header: { ...plain, x5t: "abc" },
    audiences: ["api://pagewire"],
  },
  {
    name: "Microsoft Entra ID, for an app by itself",
    claims: { ...bare, aud: app, azp: "job", azpacr: "1", roles: ["run"], ver: "2.0", idtyp: "app" },
    header: plain,
  },
  {
    name: "Keycloak",
    claims: {
      ...bare,
      aud: ["pagewire", "account"],
      typ: "Bearer",
      azp: "desk",
      sid: "s",
      acr: "1",
      scope: "email tools",
    },
    header: plain,
    audiences: ["pagewire"],
  },
  {
    name: "Keycloak before 25",
    claims: { ...bare, aud: "pagewire", typ: "Bearer", azp: "desk", nonce: "n", session_state: "s", scope: "tools" },
    header: plain,
    audiences: ["pagewire"],
  },
  {
    name: "Auth0",
    claims: { ...bare, aud: [audience, "https://acme.auth0.com/userinfo"], azp: "desk", scope: "openid tools" },
    header: plain,
    audiences: [audience],
  },
  {
    name: "Auth0, without scopes",
    claims: { ...bare, aud: audience, azp: "desk", permissions: ["run"] },
    header: plain,
    audiences: [audience],
  },
  {
    name: "Auth0, for a program, with a name as its API",
    claims: { ...bare, aud: "pagewire", azp: "job", gty: "client-credentials" },
    header: plain,
    audiences: ["pagewire"],
  },
  {
    name: "Auth0 with RFC 9068",
    claims: { aud: [audience, "https://acme.auth0.com/userinfo"], client_id: "desk", jti: "j", scope: "tools" },
    header: { typ: "at+jwt" },
    audiences: [audience],
  },
  {
    name: "Okta",
    claims: { ...bare, aud: "api://default", ver: 1, jti: "AT.j", cid: "desk", uid: "u", scp: ["openid", "tools"] },
    header: untyped,
    audiences: ["api://default"],
  },
  {
    name: "Amazon Cognito",
    claims: {
      aud: undefined,
      token_use: "access",
      client_id: app,
      scope: "tools",
      "cognito:groups": ["staff"],
      username: "ada",
    },
    header: untyped,
  },
  { name: "RFC 9068", claims: { aud: app, scope: undefined }, header: { typ: "application/at+jwt" } },
];

test.each(accessTokens)("OA12: an access token of $name is taken", async ({ claims, header, audiences = [app] }) => {
  const { tokens, issuer } = await setUp({ audiences });
  expect((await tokens.verify(await issuer.sign(claims, header))).principal).toBe("acme/ada");
});

/** Of an app of the same provider, for which the hub's audiences stand as well. */
const others: readonly Shape[] = [
  {
    name: "an id token of Microsoft Entra ID",
    claims: {
      ...bare,
      aud: app,
      name: "Ada",
      oid: "o",
      preferred_username: "ada",
      rh: "r",
      tid: "t",
      uti: "u",
      ver: "2.0",
    },
    header: plain,
  },
  { name: "an id token with roles", claims: { ...bare, aud: app, roles: ["run"], groups: ["chiefs"] }, header: plain },
  { name: "an id token of Keycloak", claims: { ...bare, aud: app, typ: "ID", azp: app, sid: "s" }, header: plain },
  { name: "a refresh token of Keycloak", claims: { ...bare, aud: app, typ: "Refresh", scope: "tools" }, header: plain },
  { name: "an id token of Auth0", claims: { ...bare, aud: app, email: "ada@acme.example", sid: "s" }, header: plain },
  {
    name: "an id token of Okta",
    claims: { ...bare, aud: app, ver: 1, jti: "ID.j", amr: ["pwd"], idp: "0oa", auth_time: 1 },
    header: untyped,
  },
  {
    name: "an id token of Amazon Cognito",
    claims: { ...bare, aud: app, token_use: "id", "cognito:username": "ada", email_verified: true },
    header: untyped,
  },
  { name: "an id token of Google", claims: { ...bare, aud: app, azp: app, hd: "acme.example" }, header: plain },
  { name: "an id token with a nonce and scopes", claims: { aud: app, nonce: "n" }, header: plain },
  { name: "an id token with a hash of a code", claims: { aud: app, c_hash: "h" }, header: plain },
  {
    name: "an access token of Amazon Cognito for another app",
    claims: { aud: undefined, token_use: "access", client_id: "x" },
  },
  { name: "a token without an audience", claims: { aud: undefined, client_id: app } },
  { name: "a token of several kinds", claims: { aud: app, token_use: ["access"] } },
  { name: "a token that names its kind as nothing", claims: { aud: app, typ: null } },
  { name: "a signed list of events", claims: { aud: app }, header: { typ: "secevent+jwt" } },
  { name: "a proof of a key", claims: { aud: app }, header: { typ: "dpop+jwt" } },
  { name: "a token with an odd type", claims: { aud: app }, header: { typ: 7 as unknown as string } },
];

test.each(others)("OA12: $name is refused", async ({ claims, header }) => {
  const { tokens, issuer } = await setUp({ audiences: [app] });
  await expect(tokens.verify(await issuer.sign(claims, header))).rejects.toMatchObject(invalid);
});

test("OA12: with several audiences an id token for one of them is refused", async () => {
  const { tokens, issuer } = await setUp({ audiences: [audience, app] });
  await expect(tokens.verify(await issuer.sign({ ...bare, aud: app }, plain))).rejects.toMatchObject(invalid);
  await expect(tokens.verify(await issuer.sign({ ...bare, aud: [app, "x"] }, plain))).rejects.toMatchObject(invalid);
});

/** Another's token with what should make the hub take another key than the issuer's. */
const headers: readonly [name: string, header: (attacker: TestIssuer) => TestHeader][] = [
  ["a key of its own", () => ({ jwk: { kty: "EC", crv: "P-256", x: "x", y: "y" } })],
  ["an address of keys", ({ issuer }) => ({ jku: `${issuer}/jwks` })],
  ["an address of certificates", ({ issuer }) => ({ x5u: `${issuer}/jwks` })],
  ["certificates", () => ({ x5c: ["MIIB"] })],
];

test.each(headers)("OA11: a forged token with %s is refused, and nothing is fetched for it", async (_, header) => {
  const { tokens, issuer, now } = await setUp();
  const attacker = await startIssuer(now);
  const [own = ""] = (await issuer.sign()).split(".");
  const { kid } = JSON.parse(Buffer.from(own, "base64url").toString()) as { kid: string };
  const forged = await attacker.sign({ iss: issuer.issuer }, { kid, ...header(attacker) });
  await expect(tokens.verify(forged)).rejects.toMatchObject(invalid);
  expect(attacker.fetches).toBe(0);
});

const odd: readonly [name: string, claims: Claimed | string, header?: TestHeader][] = [
  ["an unknown critical extension", {}, { crit: ["x"], x: 1 }],
  ["another token as its payload", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.", { cty: "JWT" }],
  ["a list as its payload", "[]"],
  ["nothing as its payload", "null"],
  ["claims twice", '{"sub":"ada","sub":"eve"}'],
  ["a list of issuers", { iss: ["https://id.example"] }],
  ["a list of subjects", { sub: ["ada"] }],
  ["an audience of another type", { aud: { [audience]: true } }],
  ["an audience in a list in a list", { aud: [[audience]] }],
  ["an end that is a text", { exp: "9e9" }],
  ["an end that is a list", { exp: [9e9] }],
  ["an issue that is a text", { iat: "now" }],
  ["a start that is a date", { nbf: "2020-01-01" }],
  ["an issue at the end of all time", { iat: 1e300 }],
  ["a binding that is nothing", { cnf: null }],
];

test.each(odd)("OA11: a signed token with %s is refused", async (_, claims, header) => {
  const { tokens, issuer } = await setUp();
  await expect(tokens.verify(await issuer.sign(claims, header))).rejects.toMatchObject(invalid);
});

test("OA11: a token that is too long is refused before anything is read of it", async () => {
  const { tokens, issuer } = await setUp();
  const token = await issuer.sign({ more: "x".repeat(100_000) });
  await expect(tokens.verify(token)).rejects.toMatchObject(invalid);
  expect(issuer.fetches).toBe(0);
});

test("OA11: a key of another algorithm verifies nothing", async () => {
  const { tokens, issuer } = await setUp();
  await issuer.rotate("RS256");
  const token = await issuer.sign();
  const [head = "", ...rest] = token.split(".");
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as object;
  for (const alg of ["PS256", "RS512", "HS256", "ES256", "none", "None", "", 7, null]) {
    const changed = Buffer.from(JSON.stringify({ ...header, alg })).toString("base64url");
    await expect(tokens.verify([changed, ...rest].join("."))).rejects.toMatchObject(invalid);
  }
  await tokens.verify(token);
});

test("OA11: clocks may differ by five seconds, and a token without end in sight ends at a time that a date can be", async () => {
  const { tokens, issuer, now } = await setUp();
  const at = Math.floor(now() / 1000);
  const soon = at + 60;
  await tokens.verify(await issuer.sign({ iat: at + 4, nbf: at + 4, exp: soon }));
  await tokens.verify(await issuer.sign({ iat: at - 60, exp: at - 3 }));
  await expect(tokens.verify(await issuer.sign({ iat: at + 7, exp: soon }))).rejects.toMatchObject(invalid);
  await expect(tokens.verify(await issuer.sign({ nbf: at + 7, exp: soon }))).rejects.toMatchObject(invalid);
  await expect(tokens.verify(await issuer.sign({ exp: at - 5 }))).rejects.toMatchObject(expired);
  const { expiresAt = 0 } = await tokens.verify(await issuer.sign({ exp: 1e300 }));
  expect(new Date(expiresAt).getTime()).toBe(8.64e15);
});
