import { expect, onTestFinished, test, vi } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { createLater, createMemoryStore } from "../../store/index.ts";
import type { RecordChange } from "../../store/index.ts";
import { systemClock } from "../../../link/index.ts";
import { resolveLimits } from "../../../wire/index.ts";
import { resolveTeam } from "../../options/team-options.ts";
import type { ProviderOptions } from "../../options/team-options.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
} from "../test-support/team-hub.test-helper.ts";
import { createSeal } from "../../common/seal.ts";
import { FreshClaims, roundTime } from "./fresh-claims.ts";
import { IdentityClient } from "./identity-client.ts";
import type { Identity } from "./identity-client.ts";
import { SignIns } from "./sign-ins.ts";

const minute = 60_000;
const app = "https://app.example.com";

/** A hub whose rounds and dates a test moves on; a provider that gives refresh tokens which are good once. */
async function startTimed(clientMore: Readonly<Record<string, unknown>> = {}) {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const provider = await startIdentityProvider({ configuration: { rotateRefreshToken: true } });
  const groups = { memberGroups: ["staff"], adminGroups: ["admins"] };
  const hub = await startHubOf([optionsFor(provider, groups)], { allowedOrigins: () => [app] });
  await registerHub(provider, [hub.url], clientMore);
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const page = await openPage(browser, hub.url);
  const ask = async (asked: string) => browser.ask(hub.url, asked, { token: await page.bearer() });
  return {
    ...{ hub, provider, browser, page, ask },
    me: async () => (await ask("GET /api/team/me")).body as { readonly groups: readonly string[]; isAdmin: boolean },
    status: async () => (await ask("GET /api/app")).status,
  };
}

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
  const { provider, me, status } = await startTimed({ grant_types: ["authorization_code"] });
  expect(await me()).toMatchObject({ groups: ["staff"] });
  provider.people.set("ada", { groups: ["staff", "admins"] });
  await vi.advanceTimersByTimeAsync(minute / 2);
  await expect.poll(me).toMatchObject({ isAdmin: true });
  vi.setSystemTime(Date.now() + 61 * minute);
  expect(await status()).toBe(401);
});

/** Rounds skip a sign-in about which an earlier one still asks. */
const nextRound = () => vi.advanceTimersByTimeAsync(roundTime);

/** Several hubs with one store, each of which learns of the others' changes. */
function startHubs(again: (refresh: string | undefined) => Promise<Identity>, more: Partial<ProviderOptions> = {}) {
  const kept = createMemoryStore();
  const [provider] = resolveTeam({
    secret: "s".repeat(32),
    providers: [{ name: "acme", issuer: "https://id.acme.example", clientId: "hub", ...more }],
  }).providers;
  if (!provider) throw new Error("There is no provider.");
  const listeners = new Map<object, (change: RecordChange) => void>();
  const clock = { at: Date.now() };
  const client = new IdentityClient({ ...provider, clientId: "hub" }, () => clock.at);
  vi.spyOn(client, "again").mockImplementation(({ refresh }) => again(refresh));
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
        if (isReplaced) tell({ kind, key, principal: change.after.principal });
        return isReplaced;
      },
      onChanged: (listener: (change: RecordChange) => void) => void listeners.set(me, listener),
    };
    const now = () => clock.at;
    const signIns = new SignIns({
      ...{
        store,
        now,
        later: createLater(systemClock),
        limits: resolveLimits({}),
        seal: createSeal(Buffer.alloc(32, 7)),
      },
      ...{ access: { refusedBefore: () => undefined }, record() {}, onNotSaved() {}, onEnded: vi.fn<() => void>() },
    });
    const clients = new Map([["acme", client]]);
    const note = vi.fn<() => void>();
    const fresh = new FreshClaims({ signIns, clients, now, note, people: { note: async () => {} } });
    return { signIns, fresh };
  };
  return { clock, hubs: [openHub(), openHub(), openHub()] as const };
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
