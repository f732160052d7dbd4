// Admins' decisions at one of several hubs.
import { expect, test } from "vitest";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { startHubs } from "../cluster/hubs.test-helper.ts";
import { openStore } from "../store/index.ts";
import { openTestStore } from "../store/test-support/store-contract.test-helper.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { errorOf } from "../test-support/own.test-helper.ts";
import { connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";
import { asker, pageTokenOf, pathTo, seedStore, team } from "./test-support/team-world.test-helper.ts";

async function startTeamHubs() {
  const database = await newDatabase();
  const keys = await seedStore(await openTestStore(database));
  const { a, b, c } = await startHubs({ team, store: () => openStore({ database }) });
  return { a, b, c, keys, admin: (hub: typeof a) => asker(hub, keys.acme) };
}

async function refusal(hub: { readonly url: string }, token: string): Promise<string> {
  const page = await openPage(hub.url, { token });
  page.send(helloOf({ token }));
  const { frame } = await page.next("refused");
  return frame.code;
}

test("TM4: who is blocked at one hub is out at all, and comes in at none until the block is lifted", async () => {
  const { a, b, c, admin } = await startTeamHubs();
  const token = await pageTokenOf("acme/ada");
  const pages = [await connectPage(b.url, { token, tab: "b" }), await connectPage(c.url, { token, tab: "c" })];
  expect((await admin(a)(`POST ${pathTo("acme/ada")}`, { blocked: true })).status).toBe(200);
  for (const page of pages) expect(await page.closeName()).toBe("token-expired");
  for (const hub of [a, b, c]) expect(await refusal(hub, token)).toBe("option-refused");
  expect((await admin(b)(`POST ${pathTo("acme/ada")}`, { blocked: false })).body).toMatchObject({ blocked: false });
  for (const hub of [a, b, c]) await expect.poll(() => refusal(hub, token)).toBe("token-expired");
});

test("TM6: a block at one hub and an end at another at the same time both hold", async () => {
  const { a, b, c, admin } = await startTeamHubs();
  await Promise.all([
    admin(a)(`POST ${pathTo("acme/bob")}`, { blocked: true }),
    admin(b)(`DELETE ${pathTo("acme/bob")}/access`),
  ]);
  const token = await pageTokenOf("acme/bob");
  for (const hub of [a, b, c]) await expect.poll(() => refusal(hub, token)).toBe("option-refused");
});

test("TM23: a service account that is removed at one hub is out at all", async () => {
  const { a, b, c, admin } = await startTeamHubs();
  const key = String((await admin(a)("POST services", { name: "deploy" })).body?.["key"]);
  for (const hub of [b, c]) await expect.poll(async () => (await asker(hub, key)("GET me")).status).toBe(200);
  const agents = [await connectAgent(b.url, { token: key }), await connectAgent(c.url, { token: key })];
  expect((await admin(a)("DELETE services/deploy")).status).toBe(204);
  for (const agent of agents) expect(await agent.closeName()).toBe("token-expired");
  const again = await admin(b)("POST services", { name: "deploy" });
  expect(again.status).toBe(200);
  for (const hub of [a, b, c]) {
    await expect.poll(async () => (await asker(hub, String(again.body?.["key"]))("GET me")).status).toBe(200);
    expect(errorOf(await asker(hub, key)("GET me"))).toEqual([401, "token-invalid"]);
  }
});
