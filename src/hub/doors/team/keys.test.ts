import { expect, onTestFinished, test, vi } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import { createFailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { connectAgent } from "../../test-support/agent.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { audience, startIssuer } from "../../team/test-support/start-issuer.test-helper.ts";
import { openBrowser } from "../../team/test-support/browser.test-helper.ts";
import { asker, pathTo } from "../../team/test-support/team-world.test-helper.ts";
import { openPage, signInWith, startTeamHub } from "../../team/test-support/team-hub.test-helper.ts";

const day = 24 * 60 * 60 * 1000;
const whole = "tools:destructive admin";

/** A hub whose people bring access tokens. */
async function startWorld(store: Store = createMemoryStore()) {
  const { issuer, sign } = await startIssuer(() => Date.now());
  const provider = {
    ...{ name: "acme", issuer, audiences: [audience] },
    ...{ adminGroups: ["boss"], memberGroups: ["staff", "boss"] },
  };
  const hub = await startHub({
    team: { secret: "s".repeat(32), providers: [provider] },
    ...{ store: () => store, allowedOrigins: () => ["https://app.example.com"] },
  });
  return {
    ...{ hub, store },
    token: (claims: Readonly<Record<string, unknown>> = {}) => sign({ groups: ["staff"], scope: whole, ...claims }),
  };
}

function keysOf(hub: TestHub, token: string) {
  const ask = (asked: string, body?: object) =>
    askOwn(hub, asked, { token, origin: undefined, ...(body && { body: JSON.stringify(body) }) });
  return {
    ask,
    make: (body: object = {}) => ask("POST /api/keys", { name: "laptop", ...body }),
    list: async () => (await ask("GET /api/keys")).body?.["keys"] as readonly { readonly id: string }[],
    remove: (id: unknown) => ask(`DELETE /api/keys/${String(id)}`),
  };
}

const me = (hub: TestHub, key: unknown) => asker(hub, String(key))("GET me");

test("TM25: a person who is signed in makes a key, which acts as the person, is answered once and can be removed", async () => {
  const store = createMemoryStore();
  const hub = await startTeamHub({}, { store: () => store });
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const page = await openPage(browser, hub.url);
  const ask = async (asked: string, body?: object) =>
    browser.ask(hub.url, asked, { token: await page.bearer(), ...(body && { body }) });
  const { status, body } = await ask("POST /api/keys", { name: "Claude on my laptop" });
  const { key, id, expiresAt } = body as { readonly key: string; readonly id: string; readonly expiresAt: number };
  expect([status, body]).toEqual([200, { id, name: "Claude on my laptop", key, expiresAt }]);
  expect(Math.round((expiresAt - Date.now()) / day)).toBe(90);
  const seen = await browser.ask(hub.url, "GET /api/team/me", { token: key });
  expect(seen.body).toMatchObject({ principal: "acme/ada", credential: "key", scopes: ["tools"], groups: ["staff"] });
  const shown = {
    ...{ id, name: "Claude on my laptop", scopes: ["tools"], expiresAt },
    ...{ createdAt: expect.any(Number), lastUsedAt: expect.any(Number) },
  };
  const listed = await ask("GET /api/keys");
  expect(listed.body).toEqual({ keys: [shown] });
  const kept = [...(await store.records("services", ""))];
  expect(JSON.stringify([kept, listed.body])).not.toContain(key.split(".")[2]);
  expect((await ask(`DELETE /api/keys/${id}`)).status).toBe(204);
  expect((await ask(`DELETE /api/keys/${id}`)).status).toBe(404);
  expect((await browser.ask(hub.url, "GET /api/team/me", { token: key })).status).toBe(401);
  const records = async () =>
    (await store.audit({ kinds: ["token"], principal: "acme/ada", after: 0, limit: 9 })).map(
      ({ principal, name, outcome, decidedBy }) => [principal, name, outcome, decidedBy].join(" "),
    );
  await expect.poll(records).toEqual(["acme/ada acme/ada made user", "acme/ada acme/ada removed user"]);
});

test("TM26: no key, service account or narrow token makes, lists or removes a person's keys", async () => {
  const { hub, token } = await startWorld();
  const whoIsPerson = keysOf(hub, await token());
  const key = String((await whoIsPerson.make({ scopes: ["tools:destructive"] })).body?.["key"]);
  const [{ id } = { id: "" }] = await whoIsPerson.list();
  const boss = asker(hub, await token({ sub: "boss", groups: ["boss"] }));
  const service = String((await boss("POST services", { name: "x", scopes: ["admin"] })).body?.["key"]);
  const refused: readonly (readonly [string, string])[] = [
    [key, "option-refused"],
    [await signIn(hub, key), "option-refused"],
    [service, "option-refused"],
    [await token({ scope: "tools" }), "scope-needed"],
    [await signIn(hub, await token({ scope: "tools" })), "scope-needed"],
  ];
  for (const [given, code] of refused) {
    const { make, ask, remove } = keysOf(hub, given);
    for (const answer of [await make(), await ask("GET /api/keys"), await remove(id), await ask("GET /api/sessions")])
      expect(errorOf(answer)).toEqual([403, code]);
  }
  expect(await whoIsPerson.list()).toHaveLength(1);
  const others = keysOf(hub, await token({ sub: "bob" }));
  expect([await others.list(), (await others.remove(id)).status]).toEqual([[], 404]);
});

test("TM27: a key is for no more than what made it, and never for more than its person may now", async () => {
  const { hub, token } = await startWorld();
  const narrow = keysOf(hub, await token({ scope: "tools:destructive", groups: ["boss"] }));
  expect(errorOf(await narrow.make({ scopes: ["admin"] }))).toEqual([403, "scope-needed"]);
  expect(errorOf(await keysOf(hub, await token()).make({ scopes: ["admin"] }))).toEqual([403, "admin-needed"]);
  const boss = keysOf(hub, await token({ groups: ["boss"] }));
  const { key } = (await boss.make({ scopes: ["admin"] })).body as { readonly key: string };
  expect((await asker(hub, key)("GET people")).status).toBe(200);
  // No admin any more, as a later token says.
  await asker(hub, await token({ iat: Math.floor(Date.now() / 1000) + 2 }))("GET me");
  expect(errorOf(await asker(hub, key)("GET people"))).toEqual([403, "admin-needed"]);
});

test("TM28: keys of a person end when an admin blocks the person or ends their access, and when they are no member any more", async () => {
  const { hub, token } = await startWorld();
  const boss = asker(hub, await token({ sub: "boss", groups: ["boss"] }));
  const begun = async (sub: string) => {
    const key = String((await keysOf(hub, await token({ sub })).make()).body?.["key"]);
    return { key, agent: await connectAgent(hub.url, { token: key }) };
  };
  const [ada, bob, eve] = [await begun("ada"), await begun("bob"), await begun("eve")];
  const listed = async () => (await boss("GET sessions")).body?.["sessions"];
  expect((await boss("GET sessions?principal=acme/ada")).body?.["sessions"]).toEqual([
    expect.objectContaining({ principal: "acme/ada", use: "key", name: "laptop", scopes: ["tools"] }),
  ]);
  await boss(`DELETE ${pathTo("acme/ada")}/access`);
  await boss(`POST ${pathTo("acme/bob")}`, { blocked: true });
  const later = Math.floor(Date.now() / 1000) + 2;
  expect(errorOf(await me(hub, await token({ sub: "eve", groups: [], iat: later })))).toEqual([403, "option-refused"]);
  for (const { agent } of [ada, bob, eve]) expect(await agent.closeName()).toBe("token-expired");
  expect(await listed()).toHaveLength(1);
  expect(errorOf(await me(hub, ada.key))).toEqual([401, "token-invalid"]);
  expect((await me(hub, bob.key)).status).toBe(401);
  expect(errorOf(await me(hub, eve.key))).toEqual([403, "option-refused"]);
  await boss(`POST ${pathTo("acme/bob")}`, { blocked: false });
  expect((await me(hub, bob.key)).status).toBe(401);
});

test("TM28: an admin ends one key of a person among the sessions", async () => {
  const { hub, token } = await startWorld();
  const boss = asker(hub, await token({ sub: "boss", groups: ["boss"] }));
  const ada = keysOf(hub, await token());
  const keys = [(await ada.make()).body?.["key"], (await ada.make()).body?.["key"]];
  const sessions = (await boss("GET sessions?principal=acme/ada")).body?.["sessions"] as readonly { id: string }[];
  expect((await boss(`DELETE sessions/${sessions[0]?.id}`)).status).toBe(204);
  expect([(await me(hub, keys[0])).status, (await me(hub, keys[1])).status]).toEqual([401, 200]);
});

test("TM25: a key whose removal cannot be saved goes on, and the answer says so", async () => {
  const store = createFailingStore();
  const { hub, token } = await startWorld(store);
  const { make, remove } = keysOf(hub, await token());
  const { key, id } = (await make()).body as { readonly key: string; readonly id: string };
  store.failure = "away";
  const refused = await remove(id);
  expect(errorOf(refused)).toEqual([503, "not-saved"]);
  expect(JSON.stringify(refused.body)).toContain("The key is not removed and still good");
  expect((await me(hub, key)).status).toBe(200);
  store.failure = undefined;
  expect((await remove(id)).status).toBe(204);
  expect((await me(hub, key)).status).toBe(401);
});

test("TM10, TM28: the audit has no end of a key that could not be saved", async () => {
  const store = createFailingStore();
  const { hub, token } = await startWorld(store);
  const boss = asker(hub, await token({ sub: "boss", groups: ["boss"] }));
  await keysOf(hub, await token()).make();
  const sessions = (await boss("GET sessions?principal=acme/ada")).body?.["sessions"] as readonly { id: string }[];
  const end = () => boss(`DELETE sessions/${sessions[0]?.id}`);
  store.failure = "away";
  expect(errorOf(await end())).toEqual([503, "not-saved"]);
  store.failure = undefined;
  expect((await end()).status).toBe(204);
  await boss("DELETE people/acme%2Fada/access");
  const outcomes = async () =>
    (await store.audit({ kinds: ["person"], after: 0, limit: 9 })).map(({ outcome }) => outcome);
  await expect.poll(outcomes).toEqual(["signed-out", "ended"]);
});

test("TM29: a key stops when its person has not been seen by the provider for long, and goes on once they were", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"] });
  const { hub, token } = await startWorld();
  const { key } = (await keysOf(hub, await token()).make()).body as { readonly key: string };
  const limit = (await me(hub, key)).body?.["expiresAt"];
  expect(Math.round((Number(limit) - Date.now()) / day)).toBe(30);
  // Its use does not count as having been seen.
  vi.setSystemTime(Date.now() + 29 * day);
  expect((await me(hub, key)).status).toBe(200);
  vi.setSystemTime(Date.now() + 2 * day);
  const refused = await me(hub, key);
  expect(errorOf(refused)).toEqual([401, "token-expired"]);
  expect(JSON.stringify(refused.body)).toContain("Sign in to the hub again");
  await me(hub, await token());
  expect((await me(hub, key)).status).toBe(200);
});

test("TM25: wrong names, scopes and times are refused, and a person has a bounded number of keys", async () => {
  const { hub, token } = await startWorld();
  const { make, list } = keysOf(hub, await token());
  const wrong = [
    ...[{ name: "" }, { name: " x" }, { name: "a\nb" }, { name: "x".repeat(65) }, { name: 5 }],
    ...[{ scopes: [] }, { scopes: "tools" }, { scopes: ["all"] }, { expiresIn: 400 * day }, { expiresAt: 1 }],
  ];
  for (const body of wrong) expect(errorOf(await make(body)), JSON.stringify(body)).toEqual([400, "request-malformed"]);
  const made = await Promise.all(Array.from({ length: 25 }, () => make()));
  expect(made.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(await list()).toHaveLength(20);
  expect(errorOf(await make())).toEqual([403, "option-refused"]);
});

test("TM25: what a key got for a page ends with the key", async () => {
  const { hub, token } = await startWorld();
  const { make, remove } = keysOf(hub, await token());
  const { key, id } = (await make()).body as { readonly key: string; readonly id: string };
  const origin = "https://app.example.com";
  const { body } = await keysOf(hub, key).ask("POST /api/page-tokens", { origin });
  const page = await connectPage(hub.url, { origin, token: String(body?.["token"]) });
  expect((await remove(id)).status).toBe(204);
  expect(await page.closeName()).toBe("token-expired");
});
