// Access tokens of identity providers that were signed by others, for others, or are none, brought to a hub of a team.
import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair, importJWK } from "jose";
import { expect, test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { newKey } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import { besiegeTeam, now, signerOf } from "./besieged-team.test-helper.ts";
import type { BesiegedTeam } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** The answer to a token, and whether its challenge is one line of this hub's words. */
async function bring({ hub }: BesiegedTeam, token: string, path = "/api/team/me") {
  const { status, headers, text } = await openBrowser().send(`${hub.url}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const challenge = headers.get("www-authenticate") ?? "";
  const isPlain = /^Bearer [ -~]+$/.test(challenge) && !challenge.includes("evil") && !text.includes(token);
  return status === 401 && isPlain ? "refused" : `${status} ${challenge}`;
}

test("OA11, OA12: tokens of other keys, issuers, audiences, times and kinds are refused, without a word of theirs", async () => {
  const team = await besiegeTeam({ clientId: "hub" });
  const { claims, sign } = signerOf(team);
  expect(await bring(team, await sign())).toMatch(/^200/);
  const { d: _, ...publicKey } = team.acmeKey;
  const asSecret = [JSON.stringify(publicKey), await exportSPKI((await importJWK(publicKey, "ES256")) as never)];
  const own = await generateKeyPair("ES256", { extractable: true });
  const ownKey = { ...(await exportJWK(own.privateKey)), kid: team.acmeKey.kid ?? "" };
  const hs = (text: string) =>
    new SignJWT(claims())
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: team.acmeKey.kid ?? "" })
      .sign(new TextEncoder().encode(text));
  const tokens = {
    "no algorithm": new UnsecuredJWT(claims()).encode(),
    "the public key as a secret": await hs(asSecret[0] ?? ""),
    "the public key in PEM as a secret": await hs(asSecret[1] ?? ""),
    "the client's secret": await hs("the-secret-of-all-clients-of-this-test"),
    "another key under a known id": await sign({}, {}, ownKey),
    "its own key": await sign({}, { jwk: await exportJWK(own.publicKey) }, ownKey),
    "an address of keys": await sign({}, { jku: "https://evil.example/keys" }, ownKey),
    "another resource": await sign({ aud: "https://other.example/mcp" }),
    "the hub without its path": await sign({ aud: team.hub.url }),
    "a resource alike": await sign({ aud: `${team.resource}/` }),
    "no audience": await sign({ aud: undefined }),
    "no audiences": await sign({ aud: [] }),
    "the hub's own client": await sign({ aud: "hub" }),
    "the hub's own client, too": await sign({ aud: ["hub", team.resource] }),
    "the other provider's issuer": await sign({ iss: team.globex.issuer }),
    "an issuer alike": await sign({ iss: `${team.acme.issuer}/` }),
    "an unknown issuer": await sign({ iss: 'https://evil.example", error="evil' }),
    "no issuer": await sign({ iss: undefined }),
    "an issuer that is a list": await sign({ iss: [team.acme.issuer] }),
    expired: await sign({ iat: now() - 600, exp: now() - 60 }),
    "no end": await sign({ exp: undefined }),
    "an end that is a text": await sign({ exp: "tomorrow" }),
    "not valid yet": await sign({ nbf: now() + 600 }),
    "issued in a year": await sign({ iat: now() + 31e6, exp: now() + 32e6 }),
    "issued in a minute": await sign({ iat: now() + 60 }),
    "no subject": await sign({ sub: undefined }),
    "an empty subject": await sign({ sub: "" }),
    "a subject that is a list": await sign({ sub: ["ada"] }),
    "an id token by its nonce": await sign({ nonce: "x" }, { typ: "JWT" }),
    "an id token by its hash": await sign({ at_hash: "x" }, { typ: "JWT" }),
    "an id token by its kind": await sign({ typ: "ID" }, { typ: "JWT" }),
    "an id token of Cognito": await sign({ token_use: "id" }, { typ: "JWT" }),
    "a refresh token": await sign({ typ: "Refresh" }, { typ: "JWT" }),
    "a logout token": await sign({ events: {} }, { typ: "logout+jwt" }),
    "a bound token": await sign({ cnf: { jkt: "x" } }),
    "a critical extension": await sign({}, { crit: ["evil"], evil: true } as never).catch(() => "a.b.c"),
    "a header in the subject": await sign({ sub: "ada\r\nSet-Cookie: evil=1", aud: "x" }),
    "a header in the audience": await sign({ aud: '"\r\nevil: 1' }),
    "an opaque token": "x".repeat(43),
    "a key of nobody's": "pagewire-key.AAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
  };
  const tally = startTally(
    "access-tokens",
    "access tokens of another key, issuer, audience, time or kind, or with headers in their claims",
    "refused",
  );
  for (const [name, token] of Object.entries(tokens)) tally.add(name, await bring(team, token));
  tally.add("opaque tokens asked about", team.asked("/token/introspection"), 0);
  expect(await bring(team, await sign())).toMatch(/^200/);
  tally.close();
});

test("OA12: an id token is no access token, where the audience is that of the hub's own client", async () => {
  const team = await besiegeTeam({ audiences: ["hub"] });
  const { sign } = signerOf(team);
  const tally = startTally("access-tokens", "id tokens where access tokens have the same audience", "refused");
  const id = { aud: "hub", scope: undefined, client_id: undefined };
  tally.add("an access token", (await bring(team, await sign({ aud: "hub" }, { typ: "JWT" }))).slice(0, 3), "200");
  tally.add("with a nonce", await bring(team, await sign({ ...id, nonce: "x" }, { typ: "JWT" })));
  tally.add("without a nonce", await bring(team, await sign(id, { typ: "JWT" })));
  tally.add("without a type", await bring(team, await sign(id, { typ: undefined as never })));
  tally.close();
});

test("OA13: unknown keys do not make the hub ask the provider more than once a second", async () => {
  const team = await besiegeTeam();
  const { sign } = signerOf(team);
  expect(await bring(team, await sign())).toMatch(/^200/);
  const [before, begun] = [team.asked("/jwks"), performance.now()];
  const key = await newKey("ES256");
  const tally = startTally("access-tokens", "tokens of a hundred unknown keys at once", "refused");
  const all = Array.from({ length: 100 }, async (_, at) => bring(team, await sign({}, { kid: `evil-${at}` }, key)));
  // The ones without a place to wait get 429.
  for (const [at, outcome] of (await Promise.all(all)).entries())
    tally.add(`${at}`, outcome.startsWith("429") ? "refused" : outcome);
  const most = Math.ceil((performance.now() - begun) / 1000) + 1;
  tally.add("questions", team.asked("/jwks") - before <= most ? "refused" : team.asked("/jwks") - before);
  tally.close();
});

test("OA1: a good token opens nothing in an address, a cookie or a body", async () => {
  const team = await besiegeTeam();
  const token = await signerOf(team).sign();
  const tally = startTally("access-tokens", "good tokens in addresses, cookies, forms and other headers", "refused");
  const url = `${team.hub.url}/api/team/me`;
  const ways = {
    "the query": [`${url}?access_token=${token}`, {}],
    "the query, by another name": [`${url}?token=${token}`, {}],
    "a cookie": [url, { Cookie: `access_token=${token}; __Host-pagewire=${token}` }],
    "another scheme": [url, { Authorization: `Basic ${btoa(`:${token}`)}` }],
    "two in one": [url, { Authorization: `Bearer ${token}, Bearer ${token}` }],
    "another header": [url, { "X-Authorization": `Bearer ${token}`, "X-Access-Token": token }],
  } as const;
  for (const [name, [address, headers]] of Object.entries(ways)) {
    const { status } = await openBrowser().send(address, { headers });
    tally.add(name, status === 401 || status === 400 ? "refused" : `${status}`);
  }
  tally.add("in the log", team.hub.output().includes(token), false);
  tally.close();
});
