import { expect, test } from "vitest";
import { seedStore, asker, pageTokenOf, team } from "../test-support/team-world.test-helper.ts";
import { createMemoryStore } from "../../store/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { helloOf, openPage } from "../../test-support/page.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { serves } from "./serves.ts";

test("TM11: a hub is for the organisations of its providers, and only for those that are named", () => {
  const isServed = serves([
    { name: "acme" },
    { name: "any", organisationClaim: "tid" },
    { name: "some", organisationClaim: "hd", organisations: ["a/b", "c.example"] },
  ]);
  const served = ["acme/ada", "acme:service/x", "any.x/ada", "any.y:service/x", "some.a%2Fb/ada", "some.c.example/ada"];
  for (const principal of served) expect(isServed(principal), principal).toBe(true);
  const others = ["acme.x/ada", "gone/ada", "gone.x/ada", "any/ada", "some.d/ada", "some/ada", "acmes/ada", "ada"];
  for (const principal of others) expect(isServed(principal), principal).toBe(false);
});

test("TM11: what somebody of a provider has left is refused once the provider is not in the options any more", async () => {
  const store = createMemoryStore();
  const keys = await seedStore(store);
  const [acme] = team.providers;
  if (!acme) throw new Error("There is no provider.");
  const hub = await startHub({ team: { ...team, providers: [acme] }, store: () => store });
  expect((await asker(hub, keys.acme)("GET me")).status).toBe(200);
  const refused = await asker(hub, keys.globex)("GET me");
  expect(errorOf(refused)).toEqual([403, "option-refused"]);
  expect(JSON.stringify(refused.body)).toContain("Your organisation may not use this hub");
  const token = await pageTokenOf("globex/eve");
  const page = await openPage(hub.url, { token });
  page.send(helloOf({ token }));
  const { frame } = await page.next("refused");
  expect(frame.code).toBe("option-refused");
});
