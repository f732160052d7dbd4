// Logout tokens at the back channel, which anyone on the network can send to: forged, another's, old, or none.
import { SignJWT, UnsecuredJWT, exportSPKI, importJWK } from "jose";
import { expect, test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { makeKey } from "../../../src/hub/test-support/page-key.test-helper.ts";
import { newKey } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import { signInWith } from "../../../src/hub/team/test-support/team-hub.test-helper.ts";
import { askFrom, besiegeTeam, now, signWith, tokensOf } from "./besieged-team.test-helper.ts";
import type { BesiegedTeam } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
const type = { typ: "logout+jwt" };

/** Ada is signed in at acme; her browser's id token is known to the attacker. */
async function signedIn(team: BesiegedTeam) {
  const issued: Record<string, string>[] = [];
  team.acme.provider.use(async (context, next) => {
    await next();
    if (context.path === "/token") issued.push(context.body as Record<string, string>);
  });
  const browser = openBrowser();
  await signInWith(browser, team.hub.url);
  const idToken = issued[0]?.["id_token"] ?? "";
  const { sid } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as { sid: string };
  const { key } = await makeKey({ url: team.hub.url });
  const isSignedIn = async () =>
    (await browser.ask(team.hub.url, "POST /api/session", { body: { key } })).status === 200;
  return { idToken, sid, isSignedIn };
}

test("OI12, OI13: no logout token but one of the person's own provider, for this hub and of now, signs a person out", async () => {
  const team = await besiegeTeam();
  const { idToken, sid, isSignedIn } = await signedIn(team);
  expect(sid).toMatch(/./);
  const ask = askFrom(team);
  const send = async (body: string) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    return (await ask("POST /sign-in/back-channel", undefined, { body, headers })).status;
  };
  const bring = (token: string) => send(new URLSearchParams({ logout_token: token }).toString());
  const { acme, globex, acmeKey, globexKey, resource } = team;
  const claims = (more: object = {}) => ({
    ...{ iss: acme.issuer, aud: "hub", jti: crypto.randomUUID(), iat: now(), exp: now() + 60, sub: "ada", sid },
    ...{ events: { [event]: {} }, ...more },
  });
  const sign = (more: object = {}, header: object = {}, key = acmeKey) =>
    signWith(key, claims(more), { ...type, kid: acmeKey.kid ?? "", ...header });
  const { d: _, ...publicKey } = acmeKey;
  const asSecret = [JSON.stringify(publicKey), await exportSPKI((await importJWK(publicKey, "ES256")) as never)];
  const hs = (secret: string) =>
    new SignJWT(claims())
      .setProtectedHeader({ alg: "HS256", ...type, kid: acmeKey.kid ?? "" })
      .sign(Buffer.from(secret));
  const evil = await newKey("ES256");
  const { d: __, ...evilPublic } = evil;
  const changed = (await sign()).split(".");
  const forged = {
    "another key": await sign({}, { kid: evil.kid }, evil),
    "another key under a known id": await sign({}, {}, evil),
    "its own key": await sign({}, { jwk: evilPublic }, evil),
    "an address of keys": await sign({}, { jku: "https://evil.example/keys" }, evil),
    "the other provider's key": await sign({}, { kid: globexKey.kid }, globexKey),
    "no algorithm": new UnsecuredJWT(claims()).encode(),
    "the public key as a secret": await hs(asSecret[0] ?? ""),
    "the public key in PEM as a secret": await hs(asSecret[1] ?? ""),
    "the client's secret": await hs("the-secret-of-all-clients-of-this-test"),
    "claims that were changed": [
      changed[0],
      Buffer.from(JSON.stringify(claims())).toString("base64url"),
      changed[2],
    ].join("."),
    "another client": await sign({ aud: "other" }),
    "the hub's resource": await sign({ aud: resource }),
    "no audience": await sign({ aud: undefined }),
    "no audiences": await sign({ aud: [] }),
    "an unknown issuer": await sign({ iss: "https://evil.example" }),
    "the other provider's issuer": await sign({ iss: globex.issuer }),
    "no issuer": await sign({ iss: undefined }),
    "an issuer that is a list": await sign({ iss: [acme.issuer] }),
    expired: await sign({ iat: now() - 120, exp: now() - 60 }),
    "issued an hour ago": await sign({ iat: now() - 3600 }),
    "issued in an hour": await sign({ iat: now() + 3600, exp: now() + 7200 }),
    "no time": await sign({ iat: undefined }),
    "no id": await sign({ jti: undefined }),
    "a nonce": await sign({ nonce: "x" }),
    "an empty nonce": await sign({ nonce: "" }),
    "no events": await sign({ events: undefined }),
    "another event": await sign({ events: { "http://schemas.openid.net/event/other": {} } }),
    "an event that is no object": await sign({ events: { [event]: true } }),
    "events that are a text": await sign({ events: event }),
    nobody: await sign({ sub: undefined, sid: undefined }),
    "a subject that is a list": await sign({ sub: ["ada"] }),
    "a session that is an object": await sign({ sid: { $ne: "" } }),
    "an access token's type": await sign({}, { typ: "at+jwt" }),
    "an id token": idToken,
    "an access token": (await tokensOf(team)).ada,
    "no token": "",
    "dots only": "..",
  };
  const tally = startTally("sign-in", "logout tokens of another key, issuer, client, time, kind or form", "refused");
  for (const [name, token] of Object.entries(forged)) {
    const status = await bring(token);
    tally.add(name, status === 400 && (await isSignedIn()) ? "refused" : `${status}, ${await isSignedIn()}`);
  }
  tally.add("two tokens", await send(`logout_token=${await sign()}&logout_token=${await sign()}`), 400);
  tally.add("still signed in", await isSignedIn(), true);
  tally.close();

  const good = startTally("sign-in", "good logout tokens about others, or of another provider's ada", "not signed out");
  const theirs = (more: object = {}) => signWith(globexKey, claims({ iss: globex.issuer, ...more }), type);
  for (const [name, token] of Object.entries({
    "of the other provider, by subject and session": await theirs(),
    "of the other provider, by session": await theirs({ sub: undefined }),
    "of the other provider, by subject": await theirs({ sid: undefined }),
    "of the other provider, by principal": await theirs({ sub: "acme/ada", sid: undefined }),
    "about another person's session": await sign({ sub: "amy" }),
    "about another session": await sign({ sid: "x" }),
    "from before the sign-in": await sign({ sid: undefined, iat: now() - 200 }),
  })) {
    await bring(token);
    good.add(name, (await isSignedIn()) ? "not signed out" : "signed out");
  }
  good.close();
});

test("OI13: a logout token that was used ends nothing of a later sign-in", async () => {
  const team = await besiegeTeam();
  const ask = askFrom(team);
  const first = await signedIn(team);
  const claims = { iss: team.acme.issuer, aud: "hub", jti: "once", iat: now() + 5, exp: now() + 60, sub: "ada" };
  const token = await signWith(team.acmeKey, { ...claims, events: { [event]: {} } }, type);
  const send = async () => {
    const body = new URLSearchParams({ logout_token: token }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    return (await ask("POST /sign-in/back-channel", undefined, { body, headers })).status;
  };
  const tally = startTally("sign-in", "a logout token that was used, brought again after the next sign-in", "refused");
  expect([await send(), await first.isSignedIn()]).toEqual([200, false]);
  const later = await signedIn(team);
  const all = await Promise.all(Array.from({ length: 10 }, send));
  for (const [at, status] of all.entries()) tally.add(`${at}`, status === 400 ? "refused" : `${status}`);
  tally.add("signed in", await later.isSignedIn(), true);
  tally.close();
});
