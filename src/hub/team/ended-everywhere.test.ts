// A sign-in opens things at several hubs, and all of them end at once.
import { expect, test } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import { startSharingHubs } from "../cluster/hubs.test-helper.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { openBrowser } from "./test-support/browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startIdentityProvider,
  teamOf,
} from "./test-support/team-hub.test-helper.ts";

const hub = "https://hub.example.com";
const app = "https://app.example.com";

/** Hubs that share a public name, with a person who is signed in and an admin, each in a browser of their own. */
async function startWorld() {
  const provider = await startIdentityProvider();
  await registerHub(provider, [hub]);
  const { a, b, c } = await startSharingHubs({
    ...{ team: teamOf([optionsFor(provider, { adminGroups: ["admins"] })]), tls: () => certificate },
    ...{ publicHosts: ["hub.example.com"], allowedOrigins: () => [app] },
  });
  let { port } = a;
  provider.people.set("boss", { groups: ["admins"] });
  const signedIn = async (subject: string) => {
    const browser = openBrowser({ "hub.example.com": () => port });
    provider.signInAs(subject);
    await signInWith(browser, hub);
    const page = await openPage(browser, hub);
    const ask = async (asked: string, body?: object) =>
      browser.ask(hub, asked, { token: await page.bearer(), ...(body && { body }) });
    return { browser, page, ask };
  };
  const [person, boss] = [await signedIn("ada"), await signedIn("boss")];
  return { hubs: [a, b, c], person, boss, to: (one: typeof a) => void ({ port } = one) };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** At each hub pages of an app, with a token by the cookie, by the hub's own page and by a key, and agents. */
async function openAll({ hubs, person: { browser, page, ask }, to }: World) {
  const { body: made } = await ask("POST /api/keys", { name: "laptop" });
  const { key } = made as { readonly key: string };
  const tokenBy = async (asked: Promise<{ readonly body: unknown }>) =>
    (((await asked).body ?? {}) as { readonly token?: string }).token ?? "";
  const opened = [];
  for (const each of hubs) {
    to(each);
    const at = `https://127.0.0.1:${each.port}`;
    const ca = certificate.cert;
    const byKey = () => browser.ask(at, "POST /api/page-tokens", { token: key, body: { origin: app } });
    await expect.poll(async () => (await byKey()).status).toBe(200);
    const tokens = [
      await tokenBy(browser.ask(hub, "POST /api/page-tokens", { origin: app, body: {} })),
      await tokenBy(ask("POST /api/page-tokens", { origin: app })),
    ];
    const ofKey = { page: await tokenBy(byKey()), agent: key };
    for (const token of tokens)
      opened.push(await connectPage(at, { origin: app, token, tab: `tab-${each.port}-${opened.length}`, ca }));
    opened.push(await connectAgent(at, { token: await page.bearer(), ca }));
    opened.push(await connectPage(at, { origin: app, token: ofKey.page, tab: `tab-${each.port}-key`, ca }));
    opened.push(await connectAgent(at, { token: ofKey.agent, ca }));
  }
  const isOfKey = (_: unknown, index: number) => index % 5 > 2;
  return { byKey: opened.filter(isOfKey), bySignIn: opened.filter((each, index) => !isOfKey(each, index)) };
}

test("OI10, OI11: signing out ends what the sign-in opened at all hubs, and no key", async () => {
  const world = await startWorld();
  const { bySignIn, byKey } = await openAll(world);
  expect((await world.person.ask("POST /api/sign-out")).status).toBe(200);
  for (const each of bySignIn) expect(await each.closeName()).toBe("token-expired");
  for (const each of byKey) await each.settled();
});

test.each([
  ["blocks the person", "POST /api/team/people/acme%2Fada", { blocked: true }],
  ["ends the person's access", "DELETE /api/team/people/acme%2Fada/access", undefined],
])("TM4, TM28: when an admin %s, all that it opened ends at all hubs", async (_, asked, body) => {
  const world = await startWorld();
  const { bySignIn, byKey } = await openAll(world);
  const { status } = await world.boss.ask(asked, body);
  expect([200, 204]).toContain(status);
  for (const each of [...bySignIn, ...byKey]) expect(await each.closeName()).toBe("token-expired");
});

test("TM7, TM28: an admin ends a sign-in and a key, each with what it opened at all hubs", async () => {
  const world = await startWorld();
  const { bySignIn, byKey } = await openAll(world);
  const { body } = await world.boss.ask("GET /api/team/sessions?principal=acme/ada");
  const { sessions } = body as { readonly sessions: readonly { readonly id: string; readonly use: string }[] };
  const end = (use: string) =>
    world.boss.ask(`DELETE /api/team/sessions/${sessions.find((each) => each.use === use)?.id}`);
  expect((await end("key")).status).toBe(204);
  for (const each of byKey) expect(await each.closeName()).toBe("token-expired");
  for (const each of bySignIn) await each.settled();
  expect((await end("sign-in")).status).toBe(204);
  for (const each of bySignIn) expect(await each.closeName()).toBe("token-expired");
});
