import { expect, test, vi } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { createLater } from "../../store/index.ts";
import type { RecordChange } from "../../store/index.ts";
import { createFailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { resolveLimits } from "../../../wire/index.ts";
import { resolveTeam } from "../../options/team-options.ts";
import type { ProviderOptions } from "../../options/team-options.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { openPage, registerHub, startIdentityProvider } from "../test-support/team-hub.test-helper.ts";
import { app, minute, nextRound, startTimed } from "../test-support/timed-hub.test-helper.ts";
import { createSeal } from "../../common/seal.ts";
import { FreshClaims, roundTime } from "./fresh-claims.ts";
import { IdentityClient } from "./identity-client.ts";
import type { Identity, Tokens } from "./identity-client.ts";
import { SignIns } from "./sign-ins.ts";

test("OI14: a change of somebody's groups is in force within a minute, also again and again", async () => {
  const { provider, me } = await startTimed();
  expect(await me()).toMatchObject({ groups: ["staff"], isAdmin: false });
  for (const groups of [["staff", "admins"], ["staff"], ["staff", "x"]]) {
    provider.people.set("ada", { groups });
    await vi.advanceTimersByTimeAsync(minute / 2);
    await expect.poll(me).toMatchObject({ groups, isAdmin: groups.includes("admins") });
  }
});

test("OI14: a sign-in that nobody used for a while is checked before it is used", async () => {
  const { provider, me, hub, browser } = await startTimed();
  await me();
  // The first round takes note of the use; later ones ask about no person.
  await vi.advanceTimersByTimeAsync(minute);
  provider.people.set("ada", { groups: ["staff", "admins"] });
  vi.setSystemTime(Date.now() + 10 * minute);
  const { token, bearer } = await openPage(browser, hub.url);
  expect(token).toMatch(/^pagewire-app\./);
  const { body } = await browser.ask(hub.url, "GET /api/team/me", { token: await bearer() });
  expect(body).toMatchObject({ groups: ["staff", "admins"] });
});

test("OI15: who is in none of the groups any more is signed out", async () => {
  const { provider, status } = await startTimed();
  expect(await status()).toBe(200);
  provider.people.set("ada", { groups: [] });
  await vi.advanceTimersByTimeAsync(minute / 2);
  await expect.poll(status).toBe(401);
});

test("OI14, OI15: a socket that is open uses a sign-in, and ends with it", async () => {
  const { hub, provider, browser } = await startTimed();
  const { body } = await browser.ask(hub.url, "POST /api/page-tokens", { origin: app, body: {} });
  const { token } = body as { readonly token: string };
  const shown = await connectPage(hub.url, { origin: app, token, ca: certificate.cert });
  // The round that notes the uses of before.
  await vi.advanceTimersByTimeAsync(roundTime);
  provider.people.set("ada", { groups: [] });
  let closed = "";
  void shown.closeName().then((name) => (closed = name ?? ""));
  await expect.poll(async () => (await nextRound(), closed)).toBe("token-expired");
});

test("OI15: a sign-in ends where the provider does not answer for it any more, and not while the provider is away", async () => {
  const { hub, provider, status } = await startTimed();
  expect(await status()).toBe(200);
  await provider.close();
  for (let rounds = 0; rounds < 3; rounds++) {
    await vi.advanceTimersByTimeAsync(minute / 2);
    expect(await status()).toBe(200);
  }
  await expect.poll(() => JSON.stringify(hub.records)).toContain("claims-not-checked");
  // Another that knows none of the sign-ins of before.
  const again = await startIdentityProvider({ port: Number(new URL(provider.issuer).port) });
  await registerHub(again, [hub.url]);
  await expect.poll(async () => (await nextRound(), status())).toBe(401);
});

test("OI14: without a refresh token the provider is asked with the access token, until that ends", async () => {
  const { provider, me, status } = await startTimed({ client: { grant_types: ["authorization_code"] } });
  expect(await me()).toMatchObject({ groups: ["staff"] });
  provider.people.set("ada", { groups: ["staff", "admins"] });
  await vi.advanceTimersByTimeAsync(minute / 2);
  await expect.poll(me).toMatchObject({ isAdmin: true });
  vi.setSystemTime(Date.now() + 61 * minute);
  expect(await status()).toBe(401);
});

test("OI15: a sign-in ends where the provider has disabled the person", async () => {
  const disabled = new Set<string>();
  const findAccount = (_: unknown, id: string) =>
    disabled.has(id) ? undefined : { accountId: id, claims: () => ({ sub: id, groups: ["staff"] }) };
  const { hub, status } = await startTimed({ configuration: { findAccount } });
  expect(await status()).toBe(200);
  disabled.add("ada");
  await expect.poll(async () => (await nextRound(), status())).toBe(401);
  const said = { event: "sign-in-ended", message: expect.stringContaining("invalid_grant") as string };
  expect(hub.records).toContainEqual(expect.objectContaining(said));
});

test("OI15: a provider that refuses the hub's own client ends no sign-in, and the log says so", async () => {
  const { hub, provider, status } = await startTimed();
  provider.provider.use(async (context, next) => {
    if (context.path !== "/token") return next();
    context.status = 401;
    context.set("WWW-Authenticate", 'Basic realm="acme"');
    context.body = { error: "invalid_client" };
  });
  for (let rounds = 0; rounds < 3; rounds++) {
    expect(await status()).toBe(200);
    await nextRound();
  }
  const said = { event: "claims-not-checked", message: expect.stringContaining("invalid_client") as string };
  await expect.poll(() => hub.records).toContainEqual(expect.objectContaining(said));
  expect(await status()).toBe(200);
});

test("OI17: a refresh token that replaced another is not lost with the claims that were to come after it", async () => {
  const { hub, provider, me, status } = await startTimed();
  let isBroken = true;
  let failures = 0;
  provider.provider.use(async (context, next) => {
    if (context.path !== "/me" || !isBroken) return next();
    failures++;
    context.status = 503;
  });
  // Without a name in the ID token, the provider is asked for more.
  provider.people.set("ada", { groups: ["staff", "admins"] });
  const used = async () => {
    expect(await status()).toBe(200);
    await nextRound();
    return failures;
  };
  await expect.poll(used).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(hub.records)).toContain("claims-not-checked");
  isBroken = false;
  await expect.poll(async () => (await nextRound(), me())).toMatchObject({ isAdmin: true });
});

type Again = (refresh: string | undefined, keep: (tokens: Tokens) => Promise<void>) => Promise<Identity>;

/** Several hubs with one store, each of which learns of the others' changes. */
function startHubs(again: Again, more: Partial<ProviderOptions> = {}) {
  const kept = createFailingStore();
  const [provider] = resolveTeam({
    secret: "s".repeat(32),
    providers: [{ name: "acme", issuer: "https://id.acme.example", clientId: "hub", ...more }],
  }).providers;
  if (!provider) throw new Error("There is no provider.");
  const listeners = new Map<object, (change: RecordChange) => void>();
  const clock = { at: Date.now() };
  const retries = createFakeClock();
  const client = new IdentityClient({ ...provider, clientId: "hub" }, () => clock.at);
  vi.spyOn(client, "again").mockImplementation(({ refresh }, _, keep) => again(refresh, keep));
  const openHub = () => {
    const me = {};
    const tell = (change: RecordChange) => {
      for (const [hub, listener] of listeners) if (hub !== me) listener(change);
    };
    const store = {
      ...kept,
      async setRecord(...[kind, key, record]: Parameters<typeof kept.setRecord>) {
        await kept.setRecord(kind, key, record);
        tell({ kind, key, ...(record && { principal: record.principal }) });
      },
      async replaceRecord(...[kind, key, change]: Parameters<typeof kept.replaceRecord>) {
        const isReplaced = await kept.replaceRecord(kind, key, change);
        if (isReplaced) tell({ kind, key, principal: change.after?.principal });
        return isReplaced;
      },
      onChanged: (listener: (change: RecordChange) => void) => void listeners.set(me, listener),
    };
    const now = () => clock.at;
    const signIns = new SignIns({
      ...{ store, now, later: createLater(retries), limits: resolveLimits({}), seal: createSeal(Buffer.alloc(32, 7)) },
      ...{ access: { refusedBefore: () => undefined }, record() {}, onNotSaved() {}, onEnded: vi.fn<() => void>() },
    });
    const clients = new Map([["acme", client]]);
    const note = vi.fn<() => void>();
    const fresh = new FreshClaims({ signIns, clients, now, note, people: { note: async () => {} } });
    return { signIns, fresh };
  };
  return { clock, kept, retries, hubs: [openHub(), openHub(), openHub()] as const };
}

const ada = { principal: "acme/ada", provider: "acme", subject: "ada" };

test("OI16: of several hubs one asks at a time: a refresh token is used once", async () => {
  const used: string[] = [];
  const { clock, hubs } = startHubs(async (refresh = "") => {
    used.push(refresh);
    await new Promise(setImmediate);
    return { subject: "ada", sid: undefined, claims: { sub: "ada" }, tokens: { refresh: `r${used.length}` } };
  });
  const { signIn } = await hubs[0].signIns.begin({ ...ada, tokens: { refresh: "r0" } });
  for (let rounds = 0; rounds < 5; rounds++) {
    clock.at += minute / 2;
    for (const { signIns } of hubs) signIns.hasEnded("acme/ada", signIn.id);
    await Promise.all(hubs.map(({ fresh }) => fresh.round()));
  }
  expect(used).toEqual(["r0", "r1", "r2", "r3", "r4"]);
});

test("OI15: a sign-in whose person is in no organisation any more ends, and others are asked about all the same", async () => {
  const used: string[] = [];
  const again = async (refresh = "") => {
    used.push(refresh);
    const [subject = "", org] = refresh.split(" of ");
    return { subject, sid: undefined, claims: { sub: subject, org }, tokens: { refresh } };
  };
  const { clock, hubs } = startHubs(again, { organisationClaim: "org" });
  const [{ signIns, fresh }] = hubs;
  const begin = async (subject: string, refresh: string) => {
    const principal = `acme.north/${subject}`;
    return (await signIns.begin({ principal, provider: "acme", subject, tokens: { refresh } })).signIn;
  };
  const [gone, stays] = [await begin("ada", "ada"), await begin("bob", "bob of north")];
  clock.at += 2 * minute;
  for (const each of [gone, stays]) await fresh.ensure(each);
  expect(used).toEqual(["ada", "bob of north"]);
  expect(await signIns.list(gone.principal)).toEqual([]);
  expect(await signIns.list(stays.principal)).toMatchObject([{ checkedAt: clock.at }]);
});

test("OI10: a sign-in that ends at one hub has ended at all others at once", async () => {
  const { hubs } = startHubs(() => Promise.reject(new Error("Nobody is asked.")));
  const [one, two, three] = hubs.map(({ signIns }) => signIns);
  const { cookie, signIn } = (await one?.begin({ ...ada, tokens: {} })) ?? {};
  if (!signIn) throw new Error("Nobody signed in.");
  expect(await two?.find(cookie)).toMatchObject({ id: signIn.id });
  // The third has none of it in memory.
  await two?.end(signIn, "admin");
  for (const each of [one, two, three]) {
    expect(each?.hasEnded("acme/ada", signIn.id)).toBe(true);
    expect(await each?.find(cookie)).toBeUndefined();
  }
});

/** Hubs whose store fails once the provider has given a new refresh token; a refresh token is good once. */
async function startFailing() {
  const used: string[] = [];
  const begun = startHubs(async (refresh = "", keep) => {
    expect(used).not.toContain(refresh);
    used.push(refresh);
    const tokens = { refresh: `r${used.length}` };
    if (used.length === 1) begun.kept.failure = "full";
    await keep(tokens);
    return { subject: "ada", sid: undefined, claims: { sub: "ada" }, tokens };
  });
  const [one, two] = begun.hubs;
  const { cookie, signIn } = await one.signIns.begin({ ...ada, tokens: { refresh: "r0" } });
  const check = async ({ signIns, fresh }: typeof one) => {
    begun.clock.at += 2 * minute;
    const found = await signIns.find(cookie);
    if (found) await fresh.ensure(found);
    return found !== undefined;
  };
  expect(await check(one)).toBe(true);
  return { ...begun, one, two, used, signIn, check };
}

test("OI17: a refresh token that cannot be saved is kept in memory, used by nobody meanwhile, and saved later", async () => {
  const { kept, retries, one, two, used, check } = await startFailing();
  for (const hub of [one, two, one]) expect(await check(hub)).toBe(true);
  expect(used).toEqual(["r0"]);
  kept.failure = undefined;
  await retries.advance(minute);
  for (const hub of [two, one]) expect(await check(hub)).toBe(true);
  expect([used, retries.pending]).toEqual([["r0", "r1", "r2"], 0]);
});

test("OI17: the hub that has it in memory asks with it, also before it is saved", async () => {
  const { kept, retries, one, two, used, check } = await startFailing();
  kept.failure = undefined;
  for (const hub of [one, two]) expect(await check(hub)).toBe(true);
  await retries.advance(minute);
  expect(await check(one)).toBe(true);
  expect(used).toEqual(["r0", "r1", "r2", "r3"]);
});

test("OI17: what is saved later brings back no sign-in that has ended meanwhile", async () => {
  const { kept, retries, one, two, signIn, check } = await startFailing();
  kept.failure = undefined;
  await two.signIns.end(signIn, "admin");
  await retries.advance(minute);
  expect([await check(one), await check(two), (await kept.records("sign-ins", "acme/ada")).size]).toEqual([
    false,
    false,
    0,
  ]);
});
