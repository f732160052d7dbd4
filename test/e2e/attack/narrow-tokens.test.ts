// Credentials with few scopes, that ended, or of people who lost their access, used where they are not enough.
import { once } from "node:events";
import { expect, test } from "vitest";
import { routes } from "../../../src/hub/http/routes.ts";
import { connectAgent, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { connectPage, openPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { openSocket } from "../../../src/hub/test-support/peer.test-helper.ts";
import { makeKey } from "../../../src/hub/test-support/page-key.test-helper.ts";
import { closeNameOf } from "../../../src/wire/index.ts";
import { certificate } from "../../support/certificates.ts";
import { appOrigin, askFrom, besiegeTeam, now, signerOf, tokensOf } from "./besieged-team.test-helper.ts";
import type { Answer, BesiegedTeam } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

const ca = certificate.cert;
const everything = ["tools", "tools:destructive", "admin"];

/** The outcome of a request that must get nothing. */
const refusal = ({ status, text }: Answer) => ([401, 403].includes(status) ? "refused" : `${status} ${text}`);
const absent = ({ status, text }: Answer) => (status === 404 ? "not there" : `${status} ${text}`);
const read = ({ text }: Answer) => JSON.parse(text) as Readonly<Record<string, string>>;

async function agentVerdict({ hub }: BesiegedTeam, token: string): Promise<string> {
  const agent = await openAgent(hub.url, { ca });
  agent.send({ type: "hello", versions: [1], agent: { name: "x", version: "1" }, token });
  const verdict = await Promise.race([agent.verdict().catch(() => "closed"), agent.closeName()]);
  agent.socket.terminate();
  return verdict === "welcome" ? verdict : "refused";
}

test("OA17: no token is good for longer than a provider's maxTokenAge, whatever it says of its end", async () => {
  const team = await besiegeTeam({ maxTokenAge: 600_000 });
  const { sign } = signerOf(team);
  const ask = askFrom(team);
  const tally = startTally(
    "access-tokens",
    "tokens older than the provider's maxTokenAge, at every kind of door",
    "refused",
  );
  expect((await ask("GET /api/team/me", await sign({ iat: now() - 300 }))).status).toBe(200);
  const minutes = (count: number) => now() - count * 60;
  const tokens = {
    "eleven minutes old": await sign({ iat: minutes(11) }),
    "a day old, good for a year": await sign({ iat: minutes(1440), exp: now() + 31e6 }),
    "of 1970": await sign({ iat: 0 }),
    "without its time": await sign({ iat: undefined }),
    "with a text as its time": await sign({ iat: String(now()) }),
    "with another time beside": await sign({ iat: minutes(11), auth_time: now(), nbf: now(), updated_at: now() }),
  };
  for (const [name, token] of Object.entries(tokens)) {
    for (const asked of ["GET /api/team/me", "GET /api/app", "POST /mcp", "POST /api/call/x", "POST /api/keys"])
      tally.add(
        `${asked}: ${name}`,
        refusal(await ask(asked, token, { body: asked.startsWith("GET") ? undefined : {} })),
      );
    tally.add(`socket: ${name}`, await agentVerdict(team, token));
  }
  tally.close();
});

test("TM90, TM92: a page's token opens its page's socket, of its origin and app, and nothing else", async () => {
  const team = await besiegeTeam();
  const ask = askFrom(team);
  const { amy } = await tokensOf(team);
  const made = await ask("POST /api/page-tokens", amy, { body: { origin: appOrigin, app: "shop" } });
  const { token = "" } = read(made);
  const tally = startTally("access-tokens", "an admin's page token at every route, and for other pages", "refused");
  const guarded = routes.filter(
    ({ access, isUpgrade }) => !isUpgrade && !["public", "visitor", "shell"].includes(access),
  );
  for (const { method, path, access } of guarded) {
    const headers: Record<string, string> = access === "own" ? { Origin: team.hub.url } : {};
    const body = method === "GET" ? undefined : { key: "x", name: "x", origin: appOrigin };
    const answer = await ask(`${method} ${path.replace("*", "x")}`, token, { headers, body });
    const isPlain = ["own", "app"].includes(access) && answer.status < 500 && answer.status >= 400;
    // A challenge is for everyone.
    tally.add(
      `${method} ${path}`,
      isPlain || path === "/api/challenge" || answer.status === 404 ? "refused" : refusal(answer),
    );
  }
  const verdictOf = async (options: Parameters<typeof openPage>[1]) => {
    const page = await openPage(team.hub.url, { ca, token, origin: appOrigin, app: "shop", ...options });
    const verdict = page.greet().then(
      () => "welcome",
      () => "refused",
    );
    const outcome = await verdict;
    page.socket.terminate();
    return outcome;
  };
  tally.add("its own page", await verdictOf({}), "welcome");
  for (const origin of [
    "https://evil.example",
    `${appOrigin}.evil.example`,
    "http://app.example.com",
    "null",
    team.hub.url,
    null,
  ])
    tally.add(`a page of ${origin}`, await verdictOf({ origin }));
  for (const app of ["other", "Shop", "shop "]) {
    const page = await connectPage(team.hub.url, { ca, token, origin: appOrigin, app });
    const { text } = await ask("GET /api/tabs", amy);
    const isShop = text.includes(page.tabId) && text.includes('"app":"shop"') && !text.includes(`"app":"${app}"`);
    tally.add(`the app "${app}"`, isShop ? "refused" : text);
    page.socket.terminate();
  }
  tally.add("a changed token", await verdictOf({ token: token.replace(/.$/, (last) => (last === "A" ? "Q" : "A")) }));
  tally.add("an access token as a page's", await verdictOf({ token: amy }));
  tally.add("an agent's socket", await agentVerdict(team, token));
  for (const origin of ["https://evil.example", team.hub.url]) {
    const options = { protocols: [`pagewire.bearer.${token}`], headers: { Origin: origin }, ca };
    const closed = await openSocket(`${team.hub.url}/ai-agent`, options).then(
      async ({ socket }) => closeNameOf(((await once(socket, "close")) as [number])[0]),
      () => "refused",
    );
    tally.add(`a conversation of ${origin}`, /^(refused|token-|origin-)/.test(closed ?? "") ? "refused" : closed);
  }
  tally.close();
});

test("TM25 to TM28: a key makes no keys, is for no more than its maker, and ends with its person's access", async () => {
  const team = await besiegeTeam({ memberGroups: ["staff"] });
  const { sign } = signerOf(team);
  const ask = askFrom(team);
  const { ada, amy, eve } = await tokensOf(team);
  const make = (token: string, more: object = {}) =>
    ask("POST /api/keys", token, { body: { name: "laptop", ...more } });
  const isGood = async (key: string) => (await ask("GET /api/team/me", key)).status === 200;
  const { id = "", key = "" } = read(await make(ada, { scopes: ["tools:destructive"] }));
  const { key: adminKey = "" } = read(await make(amy, { scopes: ["admin"] }));
  expect([await isGood(key), await isGood(adminKey)]).toEqual([true, true]);

  const more = startTally(
    "keys",
    "keys that make, list or end keys and sign-ins, also by a page that they sign in",
    "refused",
  );
  for (const [whose, mine] of Object.entries({ person: key, admin: adminKey })) {
    const { code } = read(await ask("POST /api/codes", mine, { body: {} }));
    const page = await makeKey({ url: team.hub.url });
    const headers = { Origin: team.hub.url };
    const signedIn = await ask("POST /api/sign-in", undefined, { headers, body: { code, key: page.key } });
    const app = read(signedIn)["token"] ?? "";
    expect(signedIn.status).toBe(200);
    for (const asked of [
      "GET /api/keys",
      "POST /api/keys",
      `DELETE /api/keys/${id}`,
      "GET /api/sessions",
      "DELETE /api/sessions/x",
    ]) {
      const body = asked.startsWith("POST") ? { name: "evil" } : undefined;
      more.add(`${whose}: ${asked}`, refusal(await ask(asked, mine, { body })));
      const { challenge = "" } = read(await ask("POST /api/challenge", undefined, { headers }));
      const bearer = await page.bearer(app, { challenge });
      more.add(`${whose}, by a page: ${asked}`, refusal(await ask(asked, bearer, { headers, body })));
    }
    const body = { origin: appOrigin, subject: "amy" };
    more.add(`${whose}: a token for another`, refusal(await ask("POST /api/page-tokens", mine, { body })));
  }
  more.close();

  const wider = startTally("keys", "keys for more than their maker may, for ever, or of others", "refused");
  const few = await sign({ scope: "tools" });
  const bossWithout = await sign({ sub: "amy", scope: "tools tools:destructive", groups: ["staff", "boss"] });
  for (const scopes of [["admin"], everything, ["tools", "admin"]])
    for (const [name, token] of Object.entries({ "who is no admin": ada, "an admin without the scope": bossWithout }))
      wider.add(`${scopes.join()} by ${name}`, refusal(await make(token, { scopes })));
  wider.add("by a token for tools", refusal(await make(few, { scopes: ["tools"] })));
  for (const scopes of [
    "admin",
    ["*"],
    ["ADMIN"],
    ["admin "],
    [["admin"]],
    [],
    null,
    { 0: "admin" },
    ["tools", "__proto__"],
  ])
    wider.add(JSON.stringify(scopes), (await make(ada, { scopes })).status, 400);
  for (const time of [
    { expiresIn: 1e15 },
    { expiresAt: 1e15 },
    { expiresAt: null },
    { expiresIn: -1 },
    { expiresIn: "1y" },
  ])
    wider.add(JSON.stringify(time), (await make(ada, time)).status, 400);
  const named = {
    principal: "acme/amy",
    whose: "acme/amy",
    subject: "amy",
    person: "acme/amy",
    key: adminKey,
    id: "x",
  };
  const { key: ownKey = "" } = read(await make(ada, named));
  wider.add("with others' names", read(await ask("GET /api/team/me", ownKey))["principal"], "acme/ada");
  const { key: adminsKey = "" } = read(await make(amy, { scopes: ["tools"] }));
  const governing = { "an ordinary key": ownKey, "an admin's key for tools": adminsKey };
  const tokens = { "who is no admin": ada, "an admin without the scope": bossWithout };
  for (const [name, token] of Object.entries({ ...governing, ...tokens }))
    wider.add(`people, by ${name}`, refusal(await ask("GET /api/team/people", token)));
  wider.close();

  const others = startTally("keys", "others' keys, by their ids, in the own and another organisation", "not there");
  for (const [name, token] of Object.entries({ amy, eve }))
    for (const path of [
      id,
      `${id}%00`,
      `%2e%2e%2fkeys%2f${id}`,
      `acme%2fada%2f${id}`,
      encodeURIComponent(encodeURIComponent(`acme/ada/${id}`)),
      "*",
      "%2f",
    ])
      others.add(`${name}: ${path}`, absent(await ask(`DELETE /api/keys/${path}`, token)));
  others.add("still good", await isGood(key), true);
  const [, holder = "", secret = ""] = key.split(".");
  const [, adminHolder = "", adminSecret = ""] = adminKey.split(".");
  for (const forged of [
    `${adminHolder}.${secret}`,
    `${holder}.${adminSecret}`,
    `${holder}.${secret}A`,
    `${holder}.${id}`,
    `${holder}.`,
    `.${secret}`,
  ])
    others.add(forged, (await isGood(`pagewire-key.${forged}`)) ? "good" : "not there");
  others.close();

  const ended = startTally(
    "keys",
    "keys that were removed, have expired, or whose person is blocked or left",
    "refused",
  );
  const attempt = async (name: string, token: string) => {
    ended.add(name, refusal(await ask("GET /api/team/me", token)));
    ended.add(`${name}: call`, refusal(await ask("POST /api/call/x", token, { body: {} })));
    ended.add(`${name}: socket`, await agentVerdict(team, token));
  };
  await attempt("expired", read(await make(ada, { expiresIn: 0 }))["key"] ?? "");
  const { id: removedId = "", key: removed = "" } = read(await make(ada));
  const agent = await connectAgent(team.hub.url, { token: removed, ca });
  expect((await ask(`DELETE /api/keys/${removedId}`, ada)).status).toBe(204);
  ended.add("removed: the socket that it opened", (await agent.closed) && "refused");
  await attempt("removed", removed);
  const bob = await sign({ sub: "bob", scope: everything.join(" ") });
  const { key: bobs = "" } = read(await make(bob));
  expect(await isGood(bobs)).toBe(true);
  const left = await sign({ sub: "bob", groups: ["guests"], iat: now() + 3, scope: everything.join(" ") });
  ended.add("who left memberGroups, by a token", refusal(await ask("GET /api/team/me", left)));
  await attempt("of who left memberGroups", bobs);
  const block = async (blocked: boolean) =>
    expect((await ask("POST /api/team/people/acme%2Fada", amy, { body: { blocked } })).status).toBe(200);
  await block(true);
  await attempt("of who is blocked", key);
  ended.add("made while blocked", refusal(await make(ada)));
  await block(false);
  await attempt("of who was blocked", key);
  ended.close();
});
