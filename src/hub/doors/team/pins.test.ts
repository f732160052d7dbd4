import { expect, test } from "vitest";
import { callTool } from "../../test-support/http.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { pageTokenOf, pathTo, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";

const admin = encodeURIComponent("acme:service/admin");

test("TM51: an admin reads the audit of the whole organisation, and nothing of another", async () => {
  const hub = await startTeamHub();
  await connectPage(hub.url, { token: await pageTokenOf("acme:service/admin"), tools: ["work"] });
  await expect.poll(async () => (await callTool({ ...hub, token: hub.keys.acme }, "work")).status).toBe(200);
  const calls = async () => (await hub.acme("GET audit?kind=call&tool=work")).body;
  await expect.poll(calls).toMatchObject({ calls: [{ principal: "acme:service/admin", name: "work" }] });
  await hub.acme("PUT policy", { rules: [] });
  await expect
    .poll(async () => (await hub.acme("GET audit?kind=policy")).body)
    .toMatchObject({ calls: [{ kind: "policy" }] });
  await hub.acme(`POST ${pathTo("acme/bob")}`, { blocked: true });
  const about = { kind: "person", principal: "acme:service/admin", name: "acme/bob", outcome: "blocked" };
  await expect.poll(async () => (await hub.acme("GET audit?kind=person")).body).toMatchObject({ calls: [about] });
  const ofOne = async (principal: string) =>
    (await hub.acme(`GET audit?principal=${encodeURIComponent(principal)}`)).body?.["calls"];
  expect(await ofOne("acme:service/admin")).toContainEqual(expect.objectContaining(about));
  for (const other of ["acme/bob", "globex:service/admin", "nobody"]) expect(await ofOne(other)).toEqual([]);
  const theirs = (await hub.globex("GET audit")).body?.["calls"] as readonly { readonly principal: string }[];
  expect(theirs.filter(({ principal }) => !/^globex[/:]/.test(principal))).toEqual([]);
  expect(errorOf(await hub.acme("GET audit?kind=hub"))).toEqual([400, "request-malformed"]);
});

test("TM49, TM40: an admin reads the calls and the pins of a principal, and removes the pins", async () => {
  const hub = await startTeamHub();
  await hub.acme("PUT policy", { rules: [], pin: [shop] });
  const token = await pageTokenOf("acme:service/admin");
  await connectPage(hub.url, { token, tools: ["work"] });
  const pins = async () => (await hub.acme(`GET pins/${admin}`)).body;
  await expect.poll(pins).toMatchObject({ pins: [{ origin: shop, name: "work" }], waiting: [] });
  await expect.poll(async () => (await callTool({ ...hub, token: hub.keys.acme }, "work")).status).toBe(200);
  const calls = async () => (await hub.acme(`GET calls/${admin}?tool=work`)).body;
  await expect.poll(calls).toMatchObject({ calls: [{ principal: "acme:service/admin", name: "work" }] });
  expect((await hub.acme(`GET calls/${encodeURIComponent("acme/ada")}`)).body).toMatchObject({ calls: [] });
  expect((await hub.acme(`POST pins/${admin}/remove`, { origin: shop })).body).toMatchObject({
    removed: [{ name: "work" }],
  });
  expect(errorOf(await hub.acme(`POST pins/${admin}/accept`, { origin: shop }))).toEqual([404, "route-not-found"]);
  expect((await hub.acme(`GET consents/${admin}`)).body).toEqual({ consents: [] });
  expect((await hub.acme(`DELETE consents/${admin}?id=x`)).status).toBe(404);
});

test("TM10: the audit says which admin removed the pins of whom", async () => {
  const hub = await startTeamHub();
  await hub.acme("PUT policy", { rules: [], pin: [shop] });
  await connectPage(hub.url, { token: await pageTokenOf("acme/ada"), tools: ["work"] });
  const ada = encodeURIComponent("acme/ada");
  await expect.poll(async () => (await hub.acme(`GET pins/${ada}`)).body).toMatchObject({ pins: [{ name: "work" }] });
  expect((await hub.acme(`POST pins/${ada}/remove`, { origin: shop })).status).toBe(200);
  await expect
    .poll(() => hub.store.audit({ kinds: ["person"], after: 0, limit: 9 }))
    .toMatchObject([
      {
        ...{ principal: "acme:service/admin", name: "acme/ada", outcome: "pins-removed", decidedBy: "admin" },
        details: { origin: shop, tools: ["work"] },
      },
    ]);
});
