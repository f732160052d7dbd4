import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { setUpTokens as setUp, invalid, tooMany, unavailable } from "../test-support/access-tokens.test-helper.ts";
import { respondJson } from "../test-support/start-issuer.test-helper.ts";
import type { TestIssuer } from "../test-support/start-issuer.test-helper.ts";

const hour = 3_600_000;
/** Asked for after OpenID Connect Discovery, which this issuer does not have. */
const metadataPath = "/.well-known/oauth-authorization-server";

/** Has a path answered only when the test says so. */
function hold({ answers }: TestIssuer, path: string): ServerResponse[] {
  const held: ServerResponse[] = [];
  answers.set(path, (_, response) => void held.push(response));
  return held;
}

/** The keys as they are now, for an answer that is given later. */
async function keysOf({ issuer }: TestIssuer): Promise<unknown> {
  return (await fetch(`${issuer}/jwks`)).json();
}

test("OA13: a rotated key works within a second, and made-up keys bring about no more questions than that", async () => {
  const { tokens, issuer } = await setUp();
  await tokens.verify(await issuer.sign());
  await issuer.rotate();
  const begun = performance.now();
  const junk = Array.from({ length: 50 }, (_, at) => issuer.sign({}, { kid: `junk ${at}` }));
  const results = await Promise.allSettled((await Promise.all(junk)).map((token) => tokens.verify(token)));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(50);
  await tokens.verify(await issuer.sign());
  const seconds = (performance.now() - begun) / 1000;
  expect(issuer.fetches).toBeGreaterThan(1);
  expect(issuer.fetches).toBeLessThanOrEqual(2 + Math.ceil(seconds));
});

test("OA13: a new key works while one address floods the hub with tokens of made-up keys", async () => {
  const { tokens, issuer } = await setUp();
  await tokens.verify(await issuer.sign());
  const before = issuer.fetches;
  const junk = await Promise.all(Array.from({ length: 300 }, (_, at) => issuer.sign({}, { kid: `junk ${at}` })));
  await issuer.rotate();
  const begun = performance.now();
  const flood = Promise.allSettled(junk.map((token) => tokens.verify(token, "192.0.2.66")));
  const honest = [await issuer.sign(), await issuer.sign({ jti: "2" })];
  await Promise.all(honest.map((token, at) => tokens.verify(token, `192.0.2.${at}`)));
  const codes = (await flood).map((each) => each.status === "rejected" && each.reason.code);
  expect(codes.filter((code) => code === tooMany.code)).toHaveLength(284);
  expect(codes.filter((code) => code === invalid.code)).toHaveLength(16);
  const seconds = (performance.now() - begun) / 1000;
  expect(issuer.fetches - before).toBeLessThanOrEqual(1 + Math.ceil(seconds));
});

test("OA13: a key that is newer than a fetch under way is fetched again", async () => {
  const { tokens, issuer, time } = await setUp();
  await tokens.verify(await issuer.sign());
  const old = await keysOf(issuer);
  await issuer.rotate();
  const held = hold(issuer, "/jwks");
  time.now += 1000;
  const junk = tokens.verify(await issuer.sign({}, { kid: "junk" }));
  await expect.poll(() => held.length).toBe(1);
  const verified = tokens.verify(await issuer.sign());
  issuer.answers.clear();
  // The clock of this test stands still: the next fetch may begin.
  time.now += 1000;
  if (held[0]) respondJson(held[0], old);
  await expect(junk).rejects.toMatchObject(invalid);
  expect((await verified).principal).toBe("acme/ada");
});

test("OA14: while a provider is away, known keys go on, and other tokens are not called invalid", async () => {
  const { tokens, issuer, time, made } = await setUp();
  await tokens.verify(await issuer.sign());
  const [later, unknown] = [await issuer.sign({ jti: "later" }), await issuer.sign({}, { kid: "new" })];
  issuer.isAway = true;
  await tokens.verify(later);
  await expect(tokens.verify(unknown)).rejects.toMatchObject(unavailable);
  await expect(made([issuer]).verify(later)).rejects.toMatchObject(unavailable);
  time.now += 6 * 60_000;
  await tokens.verify(await issuer.sign());
  issuer.isAway = false;
  const tryAgain = () => {
    time.now += 1000;
    return tokens.verify(unknown).catch((error: unknown) => error);
  };
  await expect.poll(tryAgain).toMatchObject(invalid);
});

test("OA14: a provider that is away when the hub begins is asked once a second", async () => {
  const { tokens, issuer, time } = await setUp();
  const token = await issuer.sign();
  issuer.isAway = true;
  for (let each = 0; each < 3; each++) await expect(tokens.verify(token)).rejects.toMatchObject(unavailable);
  issuer.isAway = false;
  await expect(tokens.verify(token)).rejects.toMatchObject(unavailable);
  time.now += 1000;
  await tokens.verify(token);
});

test("OA15: a key that the provider withdrew is not good for long", async () => {
  const { tokens, issuer, time } = await setUp();
  const at = Math.floor(time.now / 1000);
  const token = await issuer.sign({ exp: at + 3600 });
  await tokens.verify(token);
  await issuer.rotate();
  await tokens.verify(token);
  time.now += 5 * 60_000 + 1;
  await expect(tokens.verify(token)).rejects.toMatchObject(invalid);
});

test("OA14: while a provider is away, known keys go on for a day, and one request of many waits", async () => {
  const { tokens, issuer, time } = await setUp();
  const exp = Math.floor(time.now / 1000) + 48 * 3600;
  const signed = await Promise.all(Array.from({ length: 8 }, (_, at) => issuer.sign({ exp, jti: `${at}` })));
  const [first = "", second = "", third = "", ...more] = signed;
  await tokens.verify(first);
  const held = hold(issuer, metadataPath);
  time.now += 5 * 60_000;
  const waiting = tokens.verify(first);
  await expect.poll(() => held.length).toBe(1);
  await tokens.verify(second);
  held[0]?.destroy();
  await waiting;
  // It is asked in the background then.
  time.now += 1000;
  await tokens.verify(third);
  await expect.poll(() => held.length).toBe(2);
  held[1]?.destroy();
  issuer.isAway = true;
  time.now += 23 * hour;
  await tokens.verify(more[0] ?? "");
  time.now += hour;
  await expect(tokens.verify(more[1] ?? "")).rejects.toMatchObject(unavailable);
  issuer.isAway = false;
  issuer.answers.clear();
  const tryAgain = () => {
    time.now += 1000;
    return tokens.verify(more[1] ?? "").catch(() => undefined);
  };
  await expect.poll(tryAgain).toMatchObject({ principal: "acme/ada" });
});

test("OA14: where a provider hangs when the hub begins, one request waits after the first, and the others do not", async () => {
  const { tokens, issuer, time } = await setUp();
  const held = hold(issuer, metadataPath);
  const signed = await Promise.all(Array.from({ length: 30 }, (_, at) => issuer.sign({ jti: `${at}` })));
  const first = Promise.allSettled(signed.slice(0, 10).map((token) => tokens.verify(token)));
  await expect.poll(() => held.length).toBe(1);
  held[0]?.destroy();
  for (const each of await first) expect(each).toMatchObject({ status: "rejected", reason: unavailable });
  time.now += 1000;
  const probe = tokens.verify(signed[10] ?? "");
  await expect.poll(() => held.length).toBe(2);
  for (const token of signed.slice(11)) await expect(tokens.verify(token)).rejects.toMatchObject(unavailable);
  issuer.answers.clear();
  if (held[1]) respondJson(held[1], { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/jwks` });
  await probe;
  await Promise.all(signed.map((token) => tokens.verify(token)));
});

test("OA14: a provider that answers no more is given up after five seconds", async () => {
  const { tokens, issuer } = await setUp();
  hold(issuer, "/jwks");
  await expect(tokens.verify(await issuer.sign())).rejects.toMatchObject(unavailable);
});

test("OA15: a clock that is set back keeps no old keys", async () => {
  const { tokens, issuer, time } = await setUp();
  const old = { iat: undefined };
  const [first, second] = [await issuer.sign(old), await issuer.sign({ ...old, jti: "2" })];
  await tokens.verify(first);
  await issuer.rotate();
  time.now -= hour;
  await expect(tokens.verify(second)).rejects.toMatchObject(invalid);
});

test("OA15: endpoints that the provider has moved are found without a restart", async () => {
  const { tokens, issuer, time } = await setUp();
  const exp = Math.floor(time.now / 1000) + 3600;
  await tokens.verify(await issuer.sign({ exp }));
  issuer.answers.set("/keys", (_, response) => void keysOf(issuer).then((keys) => respondJson(response, keys)));
  issuer.about["jwks_uri"] = `${issuer.issuer}/keys`;
  time.now += 5 * 60_000;
  await tokens.verify(await issuer.sign({ exp, jti: "2" }));
  expect(issuer.asked("/keys")).toBe(1);
});
