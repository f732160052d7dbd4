import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { refreshTokenGrant, tokenRevocation } from "openid-client";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { startHub } from "../../test-support/hub.test-helper.ts";
import {
  expired,
  invalid,
  playProvider,
  setUpTokens,
  testClock,
  tooMany,
  unavailable,
  verifierOf,
} from "../test-support/access-tokens.test-helper.ts";
import { getTokens, publicClient } from "../test-support/get-tokens.test-helper.ts";
import { audience, respondJson } from "../test-support/start-issuer.test-helper.ts";
import { clientSecret, startProvider } from "../test-support/start-provider.test-helper.ts";

const asked = { introspection: true, clientId: "hub", clientSecret };
const other = "https://other.example/mcp";

/** A real provider of opaque tokens for two resources, and of signed ones for a third. */
async function setUpReal() {
  const clock = testClock();
  const scope = "tools tools:destructive";
  const resources = { [audience]: { scope, format: "opaque" }, [other]: { scope, format: "opaque" } } as const;
  const hub = {
    client_id: "hub",
    client_secret: clientSecret,
    redirect_uris: ["https://hub.example/sign-in/callback"],
  };
  const provider = await startProvider({ resources, clients: [publicClient, hub] });
  return { ...clock, provider, ...verifierOf([provider], { ...clock, ...asked, adminGroups: ["staff"] }) };
}

test("OA30: an opaque token of a real provider says who is there, what it is for and until when", async () => {
  const { tokens, provider, noted, now } = await setUpReal();
  const { access_token: token } = await getTokens(provider, { resource: audience });
  expect(token).not.toContain(".");
  expect(await tokens.verify(token)).toMatchObject({
    principal: "acme/ada",
    credential: "client cli",
    scopes: ["tools"],
  });
  expect(noted[0]?.slice(0, 2)).toMatchObject(["acme/ada", { groups: ["staff"], isAdmin: true }]);
  const more = await getTokens(provider, { resource: audience, scope: "tools tools:destructive" });
  const { scopes, expiresAt = 0 } = await tokens.verify(more.access_token);
  expect(scopes).toEqual(["tools", "tools:destructive"]);
  // The provider's own clock is another than the test's.
  expect(Math.abs(expiresAt - now() - 300_000)).toBeLessThan(60_000);
});

test("OA30: a token for another resource, a refresh token and a made-up one are refused", async () => {
  const { tokens, provider } = await setUpReal();
  const elsewhere = await getTokens(provider, { resource: other });
  await expect(tokens.verify(elsewhere.access_token)).rejects.toMatchObject(invalid);
  const scope = "tools offline_access openid";
  const { refresh_token: refresh = "", config } = await getTokens(provider, { resource: audience, scope });
  await expect(tokens.verify(refresh)).rejects.toMatchObject(invalid);
  const again = await refreshTokenGrant(config, refresh, { resource: audience });
  expect((await tokens.verify(again.access_token)).principal).toBe("acme/ada");
  await expect(tokens.verify("made-up")).rejects.toMatchObject(expired);
});

test("OA31: a token that is revoked at the provider is refused 30 seconds later at the latest", async () => {
  const { tokens, provider, time } = await setUpReal();
  const { access_token: token, config } = await getTokens(provider, { resource: audience });
  await tokens.verify(token);
  await tokenRevocation(config, token);
  time.now += 29_000;
  await tokens.verify(token);
  time.now += 1000;
  await expect(tokens.verify(token)).rejects.toMatchObject(expired);
});

test("OA31: what the provider refused is asked about again after five seconds", async () => {
  let isActive = false;
  const { tokens, questions, time } = await playProvider(() => ({ active: isActive }));
  for (const _ of "abc") await expect(tokens.verify("t")).rejects.toMatchObject(expired);
  isActive = true;
  await expect(tokens.verify("t")).rejects.toMatchObject(expired);
  expect(questions).toHaveLength(1);
  time.now += 5000;
  await tokens.verify("t");
  expect(questions).toHaveLength(2);
});

test("OA31: what an answer says of a person is as new as the answer, however old the token is", async () => {
  const { tokens, noted, at, now } = await playProvider(() => ({ iat: at - 3600 }));
  const { issuedAt } = await tokens.verify("t");
  expect(noted).toEqual([["acme/ada", expect.anything(), now()]]);
  expect(issuedAt).toBe((at - 3600) * 1000);
});

test("OA30: a signed token is verified by its signature, also where opaque ones are asked about", async () => {
  const { tokens, questions, issuer } = await playProvider(() => ({ active: false }));
  expect((await tokens.verify(await issuer.sign())).principal).toBe("acme/ada");
  await expect(tokens.verify(await issuer.sign({ aud: other }))).rejects.toMatchObject(invalid);
  expect(questions).toHaveLength(0);
});

test("OA30: a provider of opaque tokens needs no keys, and no signed token of it holds", async () => {
  const { tokens, issuer } = await playProvider(() => ({}));
  issuer.about["jwks_uri"] = undefined;
  expect((await tokens.verify("opaque")).principal).toBe("acme/ada");
  await expect(tokens.verify(await issuer.sign())).rejects.toMatchObject(invalid);
});

type Said = [name: string, said: (at: number) => object, error?: object];

const refused: readonly Said[] = [
  ["is not active", () => ({ active: false }), expired],
  ["is for another audience", () => ({ aud: [other, `${audience}/`] })],
  ["is for nobody", () => ({ aud: undefined })],
  ["has an audience of another type", () => ({ aud: { [audience]: true } })],
  ["has another issuer", () => ({ iss: "https://evil.example" })],
  ["has expired", (at) => ({ exp: at }), expired],
  ["begins later", (at) => ({ nbf: at + 6 })],
  ["is issued later than now", (at) => ({ iat: at + 6 })],
  ["is issued at the end of all time", () => ({ iat: 1e300 })],
  ["is bound to a key", () => ({ cnf: { jkt: "k" } })],
  ["is of another type", () => ({ token_type: "DPoP" })],
  ["is a refresh token, as Keycloak says it", () => ({ typ: "Refresh" })],
  ["is a refresh token, as Ory Hydra says it", () => ({ token_use: "refresh_token" })],
  ["does not say whose it is", () => ({ sub: undefined })],
];

test.each(refused)("OA30: an opaque token that %s is refused", async (_, said, error = invalid) => {
  const { tokens, at } = await playProvider(() => said(at));
  await expect(tokens.verify("t")).rejects.toMatchObject(error);
});

const taken: readonly Said[] = [
  ["names several audiences", () => ({ aud: [other, audience] })],
  ["is issued and begins a moment later than now, by another clock", (at) => ({ iat: at + 4, nbf: at + 4 })],
  ["names its type and kind", () => ({ token_type: "bearer", typ: "Bearer", token_use: "access_token" })],
  ["says nothing of its times", () => ({ iat: undefined, exp: undefined })],
  ["ends after all time", () => ({ exp: 1e300 })],
  ["is without scopes", () => ({ scope: undefined })],
];

test.each(taken)("OA30: an opaque token that %s is good", async (_, said) => {
  const { tokens, at, now } = await playProvider(() => said(at));
  const admitted = await tokens.verify("t");
  expect(admitted).toMatchObject({ principal: "acme/ada", scopes: ["tools"] });
  expect(admitted.expiresAt).toBeLessThanOrEqual(now() + 5 * 60_000);
});

type Answer = (response: ServerResponse) => void;
const html: Answer = (response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Welcome");

const unread: readonly [name: string, answer: unknown][] = [
  ["an error", ((response) => respondJson(response, { error: "server_error" }, 500)) satisfies Answer],
  ["a page", html],
  ["broken JSON", ((response) => void response.writeHead(200).end('{"active":')) satisfies Answer],
  ["a list", ((response) => respondJson(response, [])) satisfies Answer],
  ["an activity that is a text", { active: "true" }],
  ["an end that is a text", { exp: "2100-01-01" }],
  ["a start that is a list", { nbf: [] }],
  ["an issuer that is a number", { iss: 7 }],
  ["another type than a text", { token_type: {} }],
  ["more than a megabyte", { more: "x".repeat(1_000_001) }],
  ["a redirect", ((response) => void response.writeHead(307, { Location: "/elsewhere" }).end()) satisfies Answer],
  ["a lost connection", ((response) => void response.destroy()) satisfies Answer],
];

test.each(unread)("OA32: a provider that answers %s is away, and no token is called invalid", async (_, answer) => {
  const { tokens, issuer } = await playProvider(() => answer);
  await expect(tokens.verify("t")).rejects.toMatchObject(unavailable);
  expect(issuer.asked("/elsewhere")).toBe(0);
});

test("OA32: while a provider does not answer, one request of an address waits, and the others do not", async () => {
  const held: ServerResponse[] = [];
  let isHanging = true;
  const { tokens, questions, logged } = await playProvider(() =>
    isHanging ? (response: ServerResponse) => void held.push(response) : {},
  );
  const first = tokens.verify("first");
  await expect(first).rejects.toMatchObject(unavailable);
  const probe = tokens.verify("probe");
  for (let at = 0; at < 50; at++) await expect(tokens.verify(`other ${at}`)).rejects.toMatchObject(unavailable);
  const elsewhere = tokens.verify("elsewhere", "192.0.2.1");
  await expect.poll(() => held.length).toBe(3);
  expect(questions).toEqual(["first", "probe", "elsewhere"]);
  expect(logged).toEqual(["identity-unavailable"]);
  isHanging = false;
  for (const response of held) respondJson(response, { active: false });
  for (const each of [probe, elsewhere]) await expect(each).rejects.toMatchObject(expired);
  await Promise.all(Array.from({ length: 10 }, (_, at) => tokens.verify(`later ${at}`)));
});

test("OA33: a token that many bring at once is asked about once", async () => {
  const { tokens, questions } = await playProvider(() => ({}));
  const all = await Promise.all(Array.from({ length: 100 }, (_, at) => tokens.verify("t", `192.0.2.${at}`)));
  expect(new Set(all).size).toBe(1);
  await tokens.verify("t");
  expect(questions).toEqual(["t"]);
});

test("OA33: made-up tokens of one address keep nobody else's from being asked about", async () => {
  const held: (() => void)[] = [];
  const { tokens, questions } = await playProvider((token) =>
    token.startsWith("junk")
      ? (response: ServerResponse) => void held.push(() => respondJson(response, { active: false }))
      : {},
  );
  const junk = Array.from({ length: 400 }, (_, at) => tokens.verify(`junk ${at}`, "192.0.2.66"));
  const settled = Promise.allSettled(junk);
  await expect(junk[399]).rejects.toMatchObject(tooMany);
  for (let at = 0; at < 20; at++) await tokens.verify(`honest ${at}`, "192.0.2.1");
  await expect.poll(() => held.length).toBe(16);
  for (const answer of held) answer();
  const codes = (await settled).map((each) => each.status === "rejected" && each.reason.code);
  expect(codes.filter((code) => code === "requests-too-many")).toHaveLength(384);
  expect(questions).toHaveLength(36);
  // Known tokens are no questions.
  await tokens.verify("honest 0", "192.0.2.66");
});

test("OA33: at a hub each address has its share, also behind a proxy and at the socket of agents", async () => {
  const held: ServerResponse[] = [];
  const { issuer } = await playProvider((token) =>
    token.startsWith("junk") ? (response: ServerResponse) => void held.push(response) : {},
  );
  const provider = { ...asked, name: "acme", issuer: issuer.issuer, audiences: [audience] };
  const hub = await startHub({ team: { secret: clientSecret, providers: [provider] }, proxies: ["127.0.0.1"] });
  const from = (address: string) => ({ "X-Forwarded-For": address, "X-Forwarded-Proto": "https" });
  const ask = async (token: string, address: string) => {
    const headers = { Authorization: `Bearer ${token}`, ...from(address) };
    const { status, headers: said } = await fetch(`${hub.url}/api/status`, { headers });
    return { status, retryAfter: said.get("Retry-After") };
  };
  const flood = Array.from({ length: 16 }, (_, at) => ask(`junk ${at}`.replace(" ", "-"), "192.0.2.66"));
  await expect.poll(() => held.length).toBe(16);
  expect(await ask("junk-more", "192.0.2.66")).toEqual({ status: 429, retryAfter: "1" });
  expect(await ask("honest", "192.0.2.1")).toEqual({ status: 200, retryAfter: null });
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/agent`, { headers: from("192.0.2.66") });
  await once(socket, "open");
  const hello = { type: "hello", versions: [1], agent: { name: "a", version: "1" }, token: "junk-socket" };
  socket.send(JSON.stringify(hello));
  const [answer] = (await once(socket, "message")) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ type: "refused", code: "requests-too-many" });
  for (const response of held) respondJson(response, { active: false });
  for (const each of await Promise.all(flood)) expect(each.status).toBe(401);
});

const refusing: readonly [way: string, answer: Answer][] = [
  ["as RFC 6749 says", (response) => respondJson(response, { error: "invalid_client" }, 401)],
  ["with a challenge", (response) => void response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end()],
  ["without words", (response) => void response.writeHead(401).end()],
  ["with a 400", (response) => respondJson(response, { error: "invalid_client" }, 400)],
];

test.each(refusing)("OA34: a client that is refused by its header %s names itself in the body", async (_, refuse) => {
  const { tokens, questions } = await playProvider((__, { headers }) => (headers.authorization ? refuse : {}));
  await tokens.verify("a");
  await tokens.verify("b");
  expect(questions).toEqual(["a", "a", "b"]);
});

test("OA34: a hub that the provider knows in no way calls no token invalid", async () => {
  const { tokens, questions } = await playProvider(() => refusing[0]?.[1]);
  await expect(tokens.verify("a")).rejects.toMatchObject(unavailable);
  expect(questions).toHaveLength(2);
});

test("OA34: a client's secret of any letters arrives in both ways", async () => {
  const made = await setUpTokens({ ...asked, clientId: "a b:c", clientSecret: "ä%+ &=:/" });
  const seen: (string | undefined)[] = [];
  made.issuer.about["introspection_endpoint"] = `${made.issuer.issuer}/introspect`;
  made.issuer.answers.set("/introspect", async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const [id = "", secret = ""] = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64")
      .toString()
      .split(":");
    const plain = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
    seen.push(...(id ? [plain(id), plain(secret)] : [form.get("client_id") ?? "", form.get("client_secret") ?? ""]));
    if (id) return respondJson(response, { error: "invalid_client" }, 401);
    respondJson(response, { active: true, aud: audience, sub: "ada" });
  });
  await made.tokens.verify("t");
  expect(seen).toEqual(["a b:c", "ä%+ &=:/", "a b:c", "ä%+ &=:/"]);
});
