import { expect, test } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { createFailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import {
  asker,
  pageTokenOf,
  pathTo,
  seedStore,
  startTeamHub,
  team,
} from "../../team/test-support/team-world.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage, helloOf, openPage } from "../../test-support/page.test-helper.ts";

test("TM1: only a hub in team mode has organisations", async () => {
  const hub = await startHub();
  expect(errorOf(await asker(hub, hub.token)("GET me"))).toEqual([404, "route-not-found"]);
  expect(errorOf(await asker(hub, hub.token)("GET people"))).toEqual([403, "option-refused"]);
});

test("TM3: people are listed in pages, those of the admin's organisation only", async () => {
  const hub = await startTeamHub();
  const { body: first } = await hub.acme("GET people?limit=2");
  expect(first).toMatchObject({
    people: [
      { principal: "acme/ada", name: "acme/ada", groups: ["staff"], isAdmin: false, blocked: false },
      { principal: "acme/bob" },
    ],
    next: "acme/bob",
  });
  const { body: second } = await hub.acme("GET people?limit=2&after=acme/bob");
  expect(second).toEqual({ people: [expect.objectContaining({ principal: "acme/c d/é" })] });
  expect((await hub.globex("GET people")).body?.["people"]).toMatchObject([
    { principal: "globex/ada" },
    { principal: "globex/eve" },
  ]);
  expect(errorOf(await hub.acme("GET people?limit=0"))).toEqual([400, "request-malformed"]);
});

test("TM4: blocking a person and ending their access closes their pages, not those of others", async () => {
  const hub = await startTeamHub();
  const token = await pageTokenOf("acme/ada");
  const [ada, bob] = [
    await connectPage(hub.url, { token }),
    await connectPage(hub.url, { token: await pageTokenOf("acme/bob") }),
  ];
  expect((await hub.acme(`DELETE ${pathTo("acme/ada")}/access`)).status).toBe(204);
  expect(await ada.closeName()).toBe("token-expired");
  const odd = await connectPage(hub.url, { token: await pageTokenOf("acme/c d/é") });
  expect((await hub.acme(`POST ${pathTo("acme/c d/é")}`, { blocked: true })).body).toMatchObject({
    principal: "acme/c d/é",
    blocked: true,
  });
  expect(await odd.closeName()).toBe("token-expired");
  expect(bob.link.open).toBe(true);
});

test("TM4: a path whose slashes a proxy has decoded names the same person", async () => {
  const hub = await startTeamHub();
  expect((await hub.acme("POST people/acme/ada", { blocked: true })).body).toMatchObject({ blocked: true });
  expect((await hub.acme("DELETE people/acme/ada/access")).status).toBe(204);
});

test("TM5: a blocked person is refused, and when the block is lifted needs a new credential", async () => {
  const hub = await startTeamHub();
  const old = await pageTokenOf("acme/ada");
  const verdict = async (token: string) => {
    const page = await openPage(hub.url, { token });
    page.send(helloOf({ token }));
    return page.verdict();
  };
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: true });
  expect(await verdict(old)).toBe("option-refused");
  const refused = await openPage(hub.url, { token: old });
  refused.send(helloOf({ token: old }));
  expect([await refused.closeName(), (await refused.closed).reason]).toEqual(["token-invalid", "option-refused"]);
  expect(errorOf(await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: "no" }))).toEqual([400, "request-malformed"]);
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: false });
  expect(await verdict(old)).toBe("token-expired");
  // A token says in which second it was signed.
  await expect.poll(async () => verdict(await pageTokenOf("acme/ada"))).toBe("welcome");
});

test("TM9: while the store cannot be read nobody is let in", async () => {
  const kept = createMemoryStore();
  const { acme } = await seedStore(kept);
  const store = createFailingStore(kept);
  Object.assign(store, { failure: "away", failsToRead: true });
  const hub = await startHub({ team, store: () => store });
  const ask = asker(hub, acme);
  expect(errorOf(await ask("GET me"))).toEqual([503, "not-saved"]);
  const page = await openPage(hub.url);
  page.send(helloOf({ token: await pageTokenOf("acme/ada") }));
  expect(await page.verdict()).not.toBe("welcome");
  store.failure = undefined;
  await expect.poll(async () => (await ask("GET me")).status, { timeout: 10_000 }).toBe(200);
});

test("TM10: each change is in the audit, with who made it and whom it is about", async () => {
  const hub = await startTeamHub();
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: true });
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: true });
  await hub.acme(`POST ${pathTo("acme/ada")}`, { blocked: false });
  await hub.acme(`DELETE ${pathTo("acme/bob")}/access`);
  await hub.acme("POST services", { name: "deploy" });
  await hub.acme("POST services/deploy/keys", {});
  await hub.acme("DELETE services/deploy");
  const by = { principal: "acme:service/admin", decidedBy: "admin" };
  const records = async () => {
    const found = await hub.store.audit({ kinds: ["person", "token"], after: 0, limit: 100 });
    return found.map(({ kind, principal, name, outcome, decidedBy }) => ({
      kind,
      principal,
      name,
      outcome,
      decidedBy,
    }));
  };
  await expect.poll(records).toEqual([
    { kind: "person", name: "acme/ada", outcome: "blocked", ...by },
    { kind: "person", name: "acme/ada", outcome: "unblocked", ...by },
    { kind: "person", name: "acme/bob", outcome: "ended", ...by },
    { kind: "token", name: "acme:service/deploy", outcome: "made", ...by },
    { kind: "token", name: "acme:service/deploy", outcome: "rotated", ...by },
    { kind: "token", name: "acme:service/deploy", outcome: "removed", ...by },
  ]);
  const { body } = await hub.acme("GET audit?kind=person");
  expect(body?.["calls"]).toMatchObject([{ outcome: "ended" }, { outcome: "unblocked" }, { outcome: "blocked" }]);
});
