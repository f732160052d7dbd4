import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import { systemClock } from "../../link/index.ts";
import { OrganisationSettings } from "./organisation-settings.ts";
import { createQuotas } from "./quotas.ts";

async function withQuotas(quotas: JsonObject, groups: readonly string[] = []) {
  const later = createLater(systemClock);
  const settings = new OrganisationSettings({ store: createMemoryStore(), later, onNotSaved: () => {} });
  const person = { groups, isAdmin: false, id: "", principal: "acme", claimedAt: 1, seenAt: 1 };
  const all = createQuotas(settings, { known: () => person, load: async () => person });
  await all.load("acme/ada");
  await all.set("acme", quotas);
  return all;
}

/** By period and whose it is. */
async function limitsOf(quotas: JsonObject, groups: readonly string[] = [], principal = "acme/ada") {
  const all = await withQuotas(quotas, groups);
  await all.load(principal);
  const limits = all.limitsOf(principal);
  return Object.fromEntries(
    limits.flatMap(({ account, period, tokens }) => (tokens === Infinity ? [] : [[`${period} ${account}`, tokens]])),
  );
}

test("TM70: each person has the organisation's quota, another that is set for the person, and the most of its groups' otherwise", async () => {
  const quotas = {
    each: { day: 100, month: 1000 },
    groups: { sales: { each: { day: 300 } }, staff: { each: { day: 200 } }, guests: { each: { day: 1 } } },
    people: { "acme/bo": { day: 7 }, "acme:service/nightly": { day: "unlimited" } },
  };
  expect(await limitsOf(quotas)).toEqual({ "day acme/ada": 100, "month acme/ada": 1000 });
  const inGroups = { "day acme/ada": 300, "month acme/ada": 1000 };
  expect(await limitsOf(quotas, ["staff", "sales", "other"])).toEqual(inGroups);
  expect(await limitsOf(quotas, ["guests"])).toMatchObject({ "day acme/ada": 1 });
  expect(await limitsOf(quotas, ["sales"], "acme/bo")).toEqual({ "day acme/bo": 7, "month acme/bo": 1000 });
  const nightly = "acme:service/nightly";
  expect(await limitsOf(quotas, [], nightly)).toEqual({ [`month ${nightly}`]: 1000 });
  expect(await limitsOf(quotas, ["sales"], "beta/ada")).toEqual({});
});

test("TM71: what an organisation or a group has together holds for all of them, in every group", async () => {
  const quotas = {
    all: { month: 5000 },
    groups: { sales: { all: { day: 10 } }, staff: { all: { day: 20 }, each: { day: 5 } } },
  };
  expect(await limitsOf(quotas, ["sales", "staff"])).toEqual({
    "day acme/ada": 5,
    "day acme:group/sales": 10,
    "day acme:group/staff": 20,
    "month acme:all": 5000,
  });
  expect(await limitsOf(quotas, ["__proto__"])).toEqual({ "month acme:all": 5000 });
});

test.each([
  [{ each: { week: 5 } }, '"each.week" means nothing here. There are day and month.'],
  [{ each: { day: -1 } }, '"each.day" must be a whole number of tokens'],
  [{ each: { day: 1.5 } }, '"each.day" must be a whole number of tokens'],
  [{ each: 5 }, '"each" must be an object'],
  [{ person: { day: 5 } }, '"person" means nothing here.'],
  [{ groups: [] }, '"groups" must be an object by name'],
  [{ groups: { sales: { day: 5 } } }, '"groups.sales.day" means nothing here.'],
  [{ groups: { sales: 7 } }, '"groups.sales" must be an object'],
  [{ people: { ada: { day: 5 } } }, "principals of your organisation, such as acme/ada"],
  [{ people: { "beta/ada": { day: 5 } } }, "principals of your organisation"],
  [{ people: { "acme/ada": { each: 5 } } }, '"people.acme/ada.each" means nothing here'],
] as const)("TM73: the quotas %j are refused, and those before hold", async (quotas, message) => {
  const all = await withQuotas({ each: { day: 5 } });
  await expect(all.set("acme", quotas as unknown as JsonObject)).rejects.toMatchObject({
    code: "request-malformed",
    message: expect.stringContaining(message) as string,
  });
  expect(all.of("acme")).toEqual({ each: { day: 5 } });
});
