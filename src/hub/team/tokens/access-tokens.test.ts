import { expect, test } from "vitest";
import { expired, invalid, setUpTokens as setUp } from "../test-support/access-tokens.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { audience, startIssuer } from "../test-support/start-issuer.test-helper.ts";
import type { TestIssuer } from "../test-support/start-issuer.test-helper.ts";
import { asker, pathTo } from "../test-support/team-world.test-helper.ts";

test("OA11: a token that the provider signed for this hub says who is there", async () => {
  const { tokens, issuer, noted, now } = await setUp({ adminGroups: ["chiefs"] });
  const at = Math.floor(now() / 1000) * 1000;
  for (const alg of ["ES256", "RS256", "PS256", "EdDSA"]) {
    await issuer.rotate(alg);
    const token = await issuer.sign({ jti: alg, scope: "openid tools", groups: ["chiefs"] });
    expect(await tokens.verify(token)).toEqual({
      ...{ principal: "acme/ada", credential: "client agent", tokenId: alg, scopes: ["tools"] },
      ...{ issuedAt: at, expiresAt: at + 60_000 },
    });
  }
  expect(noted[0]).toEqual(["acme/ada", expect.objectContaining({ groups: ["chiefs"], isAdmin: true }), at]);
});

type Claimed = Parameters<TestIssuer["sign"]>[0];
type Refused = [name: string, claims: Claimed, header?: Parameters<TestIssuer["sign"]>[1], code?: object];

const refused: readonly Refused[] = [
  ["another audience", { aud: "https://other.example/mcp" }],
  ["no audience", { aud: undefined }],
  ["a part of the audience", { aud: "https://hub.example" }],
  ["no end", { exp: undefined }],
  ["a past end", { exp: 1 }, {}, expired],
  ["a start in the future", { nbf: 9e9 }],
  ["an issue in the future", { iat: 9e9 }],
  ["no subject", { sub: undefined }],
  ["an empty subject", { sub: "" }],
  ["a subject that is no text", { sub: 7 as unknown as string }],
  ["another issuer", { iss: "https://evil.example" }],
  ["no issuer", { iss: undefined }],
  ["an unknown key", {}, { kid: "none" }],
  ["the public key as a secret", {}, { alg: "HS256" }],
];

test.each(refused)("OA11: a token with %s is refused", async (_, ...given) => {
  const [claims, header, error = invalid] = given;
  const { tokens, issuer } = await setUp();
  await expect(tokens.verify(await issuer.sign(claims, header))).rejects.toMatchObject(error);
});

test("OA11: what is no token of a provider, or was changed, is refused", async () => {
  const { tokens, issuer } = await setUp();
  const [head, body, signature] = (await issuer.sign()).split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const bodies = (await issuer.sign({ sub: "eve" })).split(".")[1];
  for (const token of ["", "x", "a.b.c", `${none}.${body}.`, `${head}.${bodies}.${signature}`, `${head}.${body}.`])
    await expect(tokens.verify(token)).rejects.toMatchObject(invalid);
});

const others: readonly Refused[] = [
  ["a nonce", { nonce: "n" }],
  ["a hash of an access token", { at_hash: "h" }],
  ["events of a logout", { events: {} }],
  ["the type of an id token, as Keycloak says it", { typ: "ID" }],
  ["the use of an id token, as Cognito says it", { token_use: "id" }],
  ["the hub's own client as its audience", { aud: [audience, "hub"] }],
  ["the type of a logout token", {}, { typ: "logout+jwt" }],
  ["a key that it is bound to", { cnf: { jkt: "k" } }],
];

test.each(others)("OA12: a token with %s is no access token", async (_, claims, header) => {
  const { tokens, issuer } = await setUp({ clientId: "hub" });
  await expect(tokens.verify(await issuer.sign(claims, header))).rejects.toMatchObject(invalid);
});

test("OA12: where a provider marks its access tokens, no other is one", async () => {
  const { tokens, issuer } = await setUp({ tokenType: "at+jwt" });
  await expect(tokens.verify(await issuer.sign({}, { typ: "JWT" }))).rejects.toMatchObject(invalid);
  await tokens.verify(await issuer.sign({}, { typ: "application/at+jwt" }));
  const plain = await setUp();
  await plain.tokens.verify(await plain.issuer.sign({}, { typ: "JWT" }));
});

test("OA10: a token is checked by the provider that it names, and by no other", async () => {
  const { made, issuer, now } = await setUp();
  const other = await startIssuer(now);
  const tokens = made([issuer, other]);
  const [own, theirs] = await Promise.all([issuer.sign(), other.sign()]);
  expect((await tokens.verify(own)).principal).toBe("acme/ada");
  expect((await tokens.verify(theirs)).principal).toBe("other1/ada");
  const forged = await other.sign({ iss: issuer.issuer });
  const fetches = other.fetches;
  await expect(tokens.verify(forged)).rejects.toMatchObject(invalid);
  expect(other.fetches).toBe(fetches);
});

test("OA17: with maxTokenAge an old token has expired, and one without its time is refused", async () => {
  const { tokens, issuer, time, now } = await setUp({ maxTokenAge: 60_000 });
  const at = Math.floor(now() / 1000);
  const token = await issuer.sign({ exp: at + 3600 });
  expect((await tokens.verify(token)).expiresAt).toBe((at + 60) * 1000);
  time.now += 66_000;
  await expect(tokens.verify(token)).rejects.toMatchObject(expired);
  await expect(tokens.verify(await issuer.sign({ iat: undefined }))).rejects.toMatchObject(invalid);
});

test("OA18: a verified token is verified again after five minutes, and not after its end", async () => {
  const { tokens, issuer, time, now } = await setUp();
  const at = Math.floor(now() / 1000);
  const [long, brief] = [await issuer.sign({ exp: at + 3600 }), await issuer.sign({ exp: at + 30 })];
  const first = await tokens.verify(long);
  expect(await tokens.verify(long)).toBe(first);
  await tokens.verify(brief);
  time.now += 36_000;
  await expect(tokens.verify(brief)).rejects.toMatchObject(expired);
  expect(await tokens.verify(long)).toBe(first);
  time.now += 5 * 60_000;
  expect(await tokens.verify(long)).not.toBe(first);
});

test("somebody in no group of members is refused without being sent to sign in again", async () => {
  const { tokens, issuer, noted } = await setUp({ memberGroups: ["staff"] });
  await expect(tokens.verify(await issuer.sign({ groups: ["guests"] }))).rejects.toMatchObject({
    code: "option-refused",
  });
  await tokens.verify(await issuer.sign({ groups: ["staff"] }));
  expect(noted.map(([, { isMember }]) => isMember)).toEqual([false, true]);
});

test("OA20: the hub's scopes have the provider's names, whole or short, and a provider may name none", async () => {
  const { tokens, issuer } = await setUp({ scopes: { tools: "api://pagewire/use", admin: "boss" } });
  const scopesOf = async (claims: Claimed) => (await tokens.verify(await issuer.sign(claims))).scopes;
  expect(await scopesOf({ scope: "openid api://pagewire/use" })).toEqual(["tools"]);
  expect(await scopesOf({ scope: undefined, scp: ["use", "boss"] })).toEqual(["tools", "admin"]);
  expect(await scopesOf({ scope: "tools admin tools:destructive" })).toEqual(["tools:destructive"]);
  expect(await scopesOf({ scope: undefined })).toEqual(["tools"]);
  expect(await scopesOf({ scope: "openid" })).toEqual([]);
});

test("OA18: a token that was verified before is refused once its person is blocked, or their access ended", async () => {
  const { issuer, sign } = await startIssuer();
  const provider = { name: "acme", issuer, audiences: [audience], adminGroups: ["boss"] };
  const hub = await startHub({ team: { secret: "s".repeat(32), providers: [provider] } });
  const admin = asker(hub, await sign({ sub: "eve", groups: ["boss"], scope: "admin" }));
  const [ada, bob] = [await sign(), await sign({ sub: "bob" })];
  const statusOf = async (token: string) =>
    (await fetch(`${hub.url}/api/status`, { headers: { Authorization: `Bearer ${token}` } })).status;
  for (const token of [ada, bob, ada, bob]) expect(await statusOf(token)).toBe(200);
  await admin(`POST ${pathTo("acme/ada")}`, { blocked: true });
  expect(await statusOf(ada)).toBe(403);
  await admin(`POST ${pathTo("acme/ada")}`, { blocked: false });
  expect(await statusOf(ada)).toBe(401);
  await admin(`DELETE ${pathTo("acme/bob")}/access`);
  expect(await statusOf(bob)).toBe(401);
});
