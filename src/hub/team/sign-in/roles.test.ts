// Roles and groups of people who are signed in, over HTTP: by the cookie, the token of a page, and the routes of admins.
import { expect, test } from "vitest";
import { certificate } from "../../../../test/support/certificates.ts";
import { parsePolicy } from "../../../policy/index.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import { openPage, signInWith } from "../test-support/team-hub.test-helper.ts";
import { app, nextRound, startTimed } from "../test-support/timed-hub.test-helper.ts";

const adminRoutes = ["GET /api/team/people", "GET /api/team/sessions", "GET /api/team/policy", "GET /api/team/audit"];

test("OI14: a person of adminGroups governs by the cookie's token, and not a minute after the provider has taken the group away", async () => {
  const { provider, ask } = await startTimed();
  const statuses = () => Promise.all(adminRoutes.map(async (asked) => (await ask(asked)).status));
  expect(await statuses()).toEqual([403, 403, 403, 403]);
  for (const [groups, expected] of [
    [["staff", "admins"], 200],
    [["staff"], 403],
  ] as const) {
    provider.people.set("ada", { groups });
    await nextRound();
    await nextRound();
    await expect.poll(statuses).toEqual(adminRoutes.map(() => expected));
  }
  expect((await ask("GET /api/team/people")).body).toMatchObject({ error: { code: "admin-needed" } });
});

test("OI14: a policy by group follows the groups of a person who is signed in", async () => {
  const rules = [{ group: "night", tool: "work", decision: "deny" }];
  const policy = () => parsePolicy(JSON.stringify({ rules }));
  const { hub, provider, browser, ask } = await startTimed({ hub: { policy } });
  const { body } = await browser.ask(hub.url, "POST /api/page-tokens", { origin: app, body: {} });
  const { token } = body as { readonly token: string };
  await connectPage(hub.url, { origin: app, token, ca: certificate.cert, tools: ["work"] });
  const call = async () => (await ask("POST /api/call/work", {})).status;
  expect(await call()).toBe(200);
  provider.people.set("ada", { groups: ["staff", "night"] });
  await nextRound();
  await nextRound();
  await expect.poll(call).toBe(403);
  provider.people.set("ada", { groups: ["staff"] });
  await nextRound();
  await nextRound();
  await expect.poll(call).toBe(200);
});

test("a cookie alone governs nothing, and the token of one person is no other's", async () => {
  const { hub, provider, browser, ask } = await startTimed();
  provider.people.set("bob", { groups: ["staff", "admins"] });
  provider.signInAs("bob");
  const bob = openBrowser();
  await signInWith(bob, hub.url);
  const page = await openPage(bob, hub.url);
  expect((await bob.ask(hub.url, "GET /api/team/people", { token: await page.bearer() })).status).toBe(200);
  for (const asked of adminRoutes) {
    expect((await bob.ask(hub.url, asked)).status).toBe(401);
    expect((await ask(asked)).status).toBe(403);
  }
  // The token of bob's page needs its key, in whichever browser.
  expect((await browser.ask(hub.url, "GET /api/team/people", { token: page.token })).status).toBe(401);
});
