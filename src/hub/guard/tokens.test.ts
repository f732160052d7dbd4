import { UnsecuredJWT } from "jose";
import type { JWTPayload } from "jose";
import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { agentHelloOf, openAgent } from "../agent.test-helper.ts";
import { startHub } from "../hub.test-helper.ts";
import type { TestHub } from "../hub.test-helper.ts";
import { callTool } from "../http.test-helper.ts";
import { connectPage, helloOf, openPage } from "../page.test-helper.ts";
import { sign, startKeyServer } from "./jwks.test-helper.ts";
import { signAgentToken, signPageToken } from "./tokens.ts";

// Long enough for every algorithm with a secret.
const secret = "a-secret-of-at-least-64-characters-for-the-longest-of-the-hashes";
const key = new TextEncoder().encode(secret);
const jwt = { secret };
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Claims that are good for an agent, with changes; a claim that is undefined is left out. */
function claimsOf(changes: Record<string, unknown> = {}): JWTPayload {
  return JSON.parse(JSON.stringify({ sub: "ann", aud: "pagewire:agent", exp: inAnHour(), ...changes })) as JWTPayload;
}

/** How a hub answers a token, asked in each of the four ways to bring it. */
async function answersTo(hub: TestHub, token: string): Promise<readonly string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const byRequest = await fetch(`${hub.url}/metrics`, { headers });
  const body = await byRequest.text();
  const byUpgrade = await openAgent(hub.url, { headerToken: token }).then(
    () => "open",
    (error: Error) => error.message.replace(/\D/g, ""),
  );
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  const page = await openPage(hub.url);
  page.send(helloOf({ token }));
  return [
    byRequest.ok ? "open" : (JSON.parse(body) as { error: { code: string } }).error.code,
    byUpgrade,
    (await agent.verdict()).replace("welcome", "open"),
    (await page.verdict()).replace("welcome", "open"),
  ];
}

const refusedAs = (code: string) => [code, "401", code, code];

test("H20: an agent's token is good for agents only, and a page's for pages only", async () => {
  const hub = await startHub({ jwt });
  const invalid = "token-invalid";
  expect(await answersTo(hub, await signAgentToken({ secret, subject: "ann" }))).toEqual([
    "open",
    "open",
    "open",
    invalid,
  ]);
  expect(await answersTo(hub, await signPageToken({ secret, subject: "ann" }))).toEqual([
    invalid,
    "401",
    invalid,
    "open",
  ]);
});

test("H20: without a token nobody comes in, whatever the origin", async () => {
  const hub = await startHub({ jwt });
  for (const origin of ["https://shop.example", hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send(helloOf({}));
    expect(await page.closeName()).toBe("token-required");
  }
  expect((await fetch(`${hub.url}/metrics`)).status).toBe(401);
});

test("H21: a token that was not signed as it must be is refused, wherever it is brought", async () => {
  const iss = "https://app.example";
  const hub = await startHub({ jwt: { secret, issuer: iss } });
  const aud = ["pagewire:agent", "pagewire:page"];
  const signed = (changes: Record<string, unknown> = {}, alg = "HS256", signingKey = key) =>
    sign(claimsOf({ iss, aud, ...changes }), { alg }, signingKey);
  const good = await signed();
  expect(await answersTo(hub, good)).toEqual(["open", "open", "open", "open"]);
  const [head = "", body = "", signature = ""] = good.split(".");
  const forgedBody = Buffer.from(JSON.stringify(claimsOf({ iss, aud, sub: "bob" }))).toString("base64url");
  const tokens: Readonly<Record<string, string>> = {
    "no token at all": "x",
    "another secret": await signed({}, "HS256", new TextEncoder().encode(`${secret}!`)),
    "another algorithm with the secret": await signed({}, "HS384"),
    "a stronger algorithm with the secret": await signed({}, "HS512"),
    "no algorithm": new UnsecuredJWT(claimsOf({ iss, aud })).encode(),
    "no signature": `${head}.${body}.`,
    "another subject under the old signature": `${head}.${forgedBody}.${signature}`,
    "another issuer": await signed({ iss: "https://evil.example" }),
    "no issuer": await signed({ iss: undefined }),
    "no audience": await signed({ aud: undefined }),
    "audiences alike": await signed({ aud: ["pagewire", "pagewire:agents", "pagewire:"] }),
    "no subject": await signed({ sub: undefined }),
    "an empty subject": await signed({ sub: "" }),
    "a subject that is no text": await signed({ sub: { a: 1 } }),
    "an origin that is no text": await signed({ origin: ["https://shop.example"] }),
    "an app that is no text": await signed({ app: 7 }),
    "no end": await signed({ exp: undefined }),
    "not valid yet": await signed({ nbf: inAnHour() }),
  };
  for (const [name, token] of Object.entries(tokens)) {
    expect(await answersTo(hub, token), name).toEqual(refusedAs("token-invalid"));
  }
  expect(await answersTo(hub, await signed({ exp: inAnHour() - 7200 }))).toEqual(refusedAs("token-expired"));
  recordFault("hub", {
    fault: "Tokens with a wrong signature, algorithm, issuer, audience, subject or end, brought in four ways",
    expected: "refused by name",
    observed: "refused by name",
    count: (Object.keys(tokens).length + 1) * 4,
  });
});

test("H21: with public keys, tokens of these keys are good, and one signed with a public key as its secret is not", async () => {
  const keys = await startKeyServer();
  const hub = await startHub({ jwt: { jwks: keys.url } });
  for (const algorithm of ["RS256", "ES256"] as const) {
    expect((await answersTo(hub, await keys.sign(algorithm, claimsOf())))[0]).toBe("open");
  }
  const forged = [
    ...keys.publicTexts.flatMap((text) =>
      [{ alg: "HS256" }, { alg: "HS256", kid: "RS256" }].map((header) => sign(claimsOf(), header, Buffer.from(text))),
    ),
    sign(claimsOf(), { alg: "HS256" }, key),
    Promise.resolve(new UnsecuredJWT(claimsOf()).encode()),
  ];
  for (const token of await Promise.all(forged)) {
    expect(await answersTo(hub, token)).toEqual(refusedAs("token-invalid"));
  }
  expect(keys.requests).toBe(1);
});

test("H21: while the keys cannot be had, nobody comes in, and the log says why", async () => {
  const keys = await startKeyServer();
  const hub = await startHub({ jwt: { jwks: "http://127.0.0.1:1/keys" } });
  const internal = "internal-error";
  expect(await answersTo(hub, await keys.sign("RS256", claimsOf()))).toEqual([internal, "500", internal, internal]);
  expect(hub.records).toContainEqual(
    expect.objectContaining({ level: "error", message: expect.stringContaining("http://127.0.0.1:1/keys") }),
  );
});

test("H25: a token that signPageToken or signAgentToken made is accepted, for as long as was said", async () => {
  const issuer = "https://app.example";
  const hub = await startHub({ jwt: { secret, issuer } });
  const page = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", issuer, origin: "https://shop.example", app: "shop" }),
  });
  const token = await signAgentToken({ secret, subject: "ann", issuer, expiresIn: 60 });
  expect((await callTool(hub, "work", { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  expect(page.calls).toHaveLength(1);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(claims.exp - claims.iat).toBe(60);
});
