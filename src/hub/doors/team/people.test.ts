import { expect, test } from "vitest";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { asker, pageTokenOf, pathTo, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";

test("TM1: only a hub in team mode has organisations", async () => {
  const hub = await startHub();
  expect(errorOf(await asker(hub, hub.token)("GET me"))).toEqual([404, "route-not-found"]);
  expect(errorOf(await asker(hub, hub.token)("GET people"))).toEqual([403, "admin-needed"]);
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
