import { expect, test } from "vitest";
import { createCallPolicy } from "../../policy/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { RecordChange, Store } from "../store/index.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import { systemClock } from "../../link/index.ts";
import type { Person } from "./people/people.ts";
import { OrganisationSettings } from "./organisation-settings.ts";
import { Organisations } from "./organisations.ts";

const text = (rules: readonly object[], pin: readonly string[] = []) => ({ text: JSON.stringify({ rules, pin }) });

/** Hubs over one store, each with all that it has in memory. */
async function startHubs(count = 1) {
  const store = createMemoryStore();
  const people = new Map<string, Pick<Person, "groups">>();
  const listeners: ((change: RecordChange | undefined) => void)[] = [];
  const hubs = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const shared: Store = { ...store, onChanged: (listener) => void (listeners[at] = listener) };
      let changes = 0;
      const settings = new OrganisationSettings({
        store: shared,
        later: createLater(systemClock),
        onNotSaved: () => {},
      });
      const organisations = new Organisations({
        ...{ settings, limits: defaultLimits },
        people: { known: (principal) => people.get(principal) as Person | undefined },
        onPolicy: () => void changes++,
      });
      for (const name of ["acme", "beta", "acme.x", "acm"]) await organisations.load(`${name}/x`);
      return { settings, organisations, changes: () => changes };
    }),
  );
  return { store, people, hubs, tellAll: () => listeners.forEach((listener) => listener(undefined)) };
}

async function oneHub() {
  const { hubs, ...rest } = await startHubs();
  const [{ organisations, settings } = expect.fail()] = hubs;
  return { settings, organisations, policy: createCallPolicy(() => 0, undefined, { organisations }), ...rest };
}

const call = { agent: "x", tool: "work" };

test("TM40: an organisation's policy holds for its principals, after the hub's, and for nobody else", async () => {
  const { settings, policy } = await oneHub();
  await settings.set("acme", "policy", text([{ decision: "deny" }], ["https://shop.example"]));
  const rule = policy.judge({ principal: "acme/ada", ...call });
  expect(rule?.label).toBe("organisation rule 1");
  expect(rule && policy.denial(rule, { principal: "acme/ada", ...call }).message).toBe(
    'Your organisation\'s policy does not let you use "work" (rule 1). Only those who govern your organisation can change that.',
  );
  expect(policy.judge({ principal: "acme:service/deploy", ...call })?.decision).toBe("deny");
  for (const principal of ["beta/ada", "acme.x/ada", "acm/ada", "local", "acme"]) {
    expect(policy.judge({ principal, ...call }), principal).toBeUndefined();
    expect(policy.isPinned("https://shop.example", principal), principal).toBe(false);
  }
  expect(policy.isPinned("https://shop.example", "acme/ada")).toBe(true);
  await settings.set("acme", "policy", undefined);
  expect(policy.judge({ principal: "acme/ada", ...call })).toBeUndefined();
});

test("TM43: a group that somebody got or lost counts at the next call", async () => {
  const { settings, policy, people } = await oneHub();
  await settings.set("acme", "policy", text([{ group: "ops-*", decision: "allow" }, { decision: "deny" }]));
  const decision = () => policy.judge({ principal: "acme/ada", ...call })?.decision;
  expect(decision()).toBe("deny");
  people.set("acme/ada", { groups: ["staff", "ops-night"] });
  expect(decision()).toBe("allow");
  people.set("acme/ada", { groups: ["staff"] });
  expect(decision()).toBe("deny");
});

test("TM44: what an organisation sets holds at the other hubs once they hear of it", async () => {
  const { hubs, tellAll } = await startHubs(2);
  const [one = expect.fail(), other = expect.fail()] = hubs;
  const denies = () => other.organisations.policyOf("acme/ada")?.rules.map(({ label }) => label);
  await one.settings.set("acme", "policy", text([{ name: "no", decision: "deny" }]));
  await one.settings.set("acme", "budgets", { tabsPerPrincipal: 3, socketsPerPrincipal: 1e9 });
  expect([one.changes(), denies()]).toEqual([2, undefined]);
  tellAll();
  await expect.poll(denies).toEqual(["organisation no"]);
  expect(other.changes()).toBeGreaterThan(0);
  expect(other.organisations.budgetsOf("acme/ada")).toEqual({
    tabsPerPrincipal: 3,
    socketsPerPrincipal: defaultLimits.socketsPerPrincipal,
  });
  expect(other.organisations.budgetsOf("beta/ada")).toBeUndefined();
});

test("TM45: of two hubs that set or remove what both have read, one does", async () => {
  const { hubs } = await startHubs(2);
  const replaceAll = async (before: JsonObject | undefined, values: readonly (JsonObject | undefined)[]) => {
    const check = (found: JsonObject | undefined) => {
      if (JSON.stringify(found) !== JSON.stringify(before)) throw new Error("changed meanwhile");
    };
    const asked = hubs.map(({ settings }, at) =>
      settings.replace("acme", { name: "policy", value: values[at], check }),
    );
    return (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled").length;
  };
  expect(await replaceAll(undefined, [{ text: "1" }, { text: "2" }])).toBe(1);
  const [{ settings } = expect.fail()] = hubs;
  await settings.set("acme", "policy", { text: "3" });
  expect(await replaceAll({ text: "3" }, [undefined, { text: "4" }])).toBe(1);
});

test("TM44: a stored policy that a hub cannot read denies all of the organisation, and no other", async () => {
  const { settings, policy } = await oneHub();
  await settings.set("acme", "policy", { text: '{ "rules": [], "newer": true }' });
  expect(policy.judge({ principal: "acme/ada", ...call })?.decision).toBe("deny");
  expect(policy.judge({ principal: "beta/ada", ...call })).toBeUndefined();
  expect(policy.judge({ principal: "not-loaded/ada", ...call })?.decision).toBe("deny");
});

test("TM44: a policy that changed elsewhere while a hub had no room for its organisation is in force when it is read again", async () => {
  const { hubs } = await startHubs(2);
  const [one = expect.fail(), other = expect.fail()] = hubs;
  await one.settings.set("acme", "policy", text([{ decision: "allow" }]));
  await other.settings.set("acme", "policy", text([{ decision: "allow" }]));
  const decision = () => other.organisations.policyOf("acme/ada")?.rules[0]?.decision;
  expect(decision()).toBe("allow");
  for (let count = 0; count < 10_000; count++) await other.organisations.load(`o${count}/x`);
  expect(decision()).toBe("deny");
  await one.settings.set("acme", "policy", text([{ decision: "ask" }]));
  await other.organisations.load("acme/ada");
  expect(decision()).toBe("ask");
});
