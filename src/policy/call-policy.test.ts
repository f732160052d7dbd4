import { expect, test } from "vitest";
import { createCallPolicy } from "./call-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import { ofOrganisation, policyDecisions } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";

function limited(rate: string, now: () => number) {
  const policy = createCallPolicy(now, parsePolicy(JSON.stringify({ rules: [{ rate, decision: "allow" }] })));
  const rule = policy.judge({ principal: "ada", agent: "x" }) as PolicyRule;
  /** Begins as many calls as the rate allows, up to `most`. */
  const begin = (most: number, principal = "ada") => {
    let begun = 0;
    for (; begun < most && !policy.overRate(rule, principal); begun++) policy.count(rule, principal);
    return begun;
  };
  return { policy, rule, begin };
}

test("PO4: a rate limits the calls of each principal, and recovers over time", () => {
  let now = 0;
  const { policy, rule, begin } = limited("3/minute", () => now);
  expect(begin(10)).toBe(3);
  expect(policy.overRate(rule, "ada")).toMatchObject({ code: "policy-rate", ran: "no", retryAfter: 20_000 });
  expect(policy.overRate(rule, "ada")?.message).toContain("3/minute of such calls (rule 1). Try again in 20 s.");
  expect(begin(10, "ben")).toBe(3);
  now += 19_999;
  expect(begin(10)).toBe(0);
  now += 1;
  expect(begin(10)).toBe(1);
  now += 3_600_000;
  expect(begin(10)).toBe(3);
});

test("PO4: a rate together is shared by all of an organisation, at all hubs, and by nobody of another", () => {
  const rules = [{ principal: "acme/*", rate: "3/hour together", decision: "allow" }];
  const none = () => undefined;
  const organisations = {
    organisationOf: (principal: string) => principal.split("/")[0],
    groupsOf: none,
    policyOf: none,
  };
  const hubs = [1, 2].map(() => {
    const told: (readonly [string, string])[] = [];
    const onCounted = (...counted: readonly [string, string]) => void told.push(counted);
    const policy = createCallPolicy(() => 0, parsePolicy(JSON.stringify({ rules })), { onCounted, organisations });
    return { policy, told, rule: policy.judge({ principal: "acme/ada", agent: "x" }) as PolicyRule };
  });
  const [a, b] = hubs as [(typeof hubs)[0], (typeof hubs)[0]];
  a.policy.count(a.rule, "acme/ada");
  a.policy.count(a.rule, "acme/ben");
  for (const counted of a.told) b.policy.countElsewhere(...counted, 1);
  b.policy.count(b.rule, "acme/cy");
  expect(b.policy.overRate(b.rule, "acme/ada")).toMatchObject({ retryAfter: 1_200_000 });
  expect(b.policy.overRate(b.rule, "acme/ada")?.message).toContain("3/hour together of such calls (rule 1)");
  expect(b.policy.overRate(b.rule, "beta/eve")).toBeUndefined();
  expect(a.policy.overRate(a.rule, "acme/cy")).toBeUndefined();
});

test("PO4: calls at another hub count towards a rate also before this one knows the organisation's policy", () => {
  let theirs: ReturnType<typeof ofOrganisation> | undefined;
  const told: (readonly [string, string])[] = [];
  const organisations = {
    organisationOf: (principal: string) => principal.split("/")[0],
    groupsOf: () => undefined,
    policyOf: () => theirs,
  };
  const rules = [{ rate: "2/hour together", decision: "allow" }];
  const a = createCallPolicy(() => 0, undefined, { organisations, onCounted: (...one) => void told.push(one) });
  const b = createCallPolicy(() => 0, undefined, { organisations });
  const known = ofOrganisation(parsePolicy(JSON.stringify({ rules })));
  theirs = known;
  const rule = a.judge({ principal: "acme/ada", agent: "x" }) as PolicyRule;
  for (const principal of ["acme/ada", "acme/ben"]) a.count(rule, principal);
  theirs = undefined;
  for (const counted of told) b.countElsewhere(...counted, 1);
  theirs = known;
  expect(b.overRate(rule, "acme/cy")).toMatchObject({ code: "policy-rate" });
  expect(b.overRate(rule, "beta/eve")).toBeUndefined();
  for (const wrong of ["rule 1", "0/1/each x", "2/9/both x", "", "1/2/each "]) b.countElsewhere(wrong, "beta/eve", 5);
  expect(b.overRate(rule, "beta/eve")).toBeUndefined();
});

test("PO4: without organisations a rate together is shared by all of the hub", () => {
  const { begin } = limited("3/minute together", () => 0);
  expect([begin(2, "ada"), begin(2, "ben"), begin(2, "ada")]).toEqual([2, 1, 0]);
});

test("PO4: reloading a policy resets nobody's rate", () => {
  const { policy, rule, begin } = limited("3/minute", () => 0);
  expect(begin(10)).toBe(3);
  policy.replace({ rules: [rule], pin: [] });
  expect(begin(10)).toBe(0);
});

test("PO4: the state of principals that stopped calling does not grow", () => {
  let now = 0;
  const { policy, rule } = limited("1/second", () => now);
  for (let n = 0; n < 10_000; n++) {
    now += 10;
    policy.count(rule, `principal ${n}`);
  }
  // Recent principals have used up their rate; the others are forgotten.
  expect(policy.overRate(rule, "principal 9999")).toBeDefined();
  expect(policy.overRate(rule, "principal 1")).toBeUndefined();
});

test("PO4: with very many principals at once the least recent ones get a fresh rate", () => {
  const { policy, rule } = limited("1/day", () => 0);
  for (let n = 0; n < 200_000; n++) policy.count(rule, `principal ${n}`);
  const isOver = (n: number) => policy.overRate(rule, `principal ${n}`) !== undefined;
  expect([isOver(0), isOver(99_999), isOver(150_001), isOver(199_999)]).toEqual([false, false, true, true]);
});

test("PO2: a denied caller gets the rule, and the reason", () => {
  const text = '{"rules":[{"name":"no-deletes","decision":"deny","reason":"Ask Ada first."}]}';
  const policy = createCallPolicy(() => 0, parsePolicy(text));
  const subject = { principal: "ada", agent: "x", tool: "delete_order", origin: "https://shop.example" };
  const rule = policy.judge(subject) as PolicyRule;
  expect(policy.denial(rule, subject)).toEqual({
    outcome: "rejected",
    ran: "no",
    code: "policy-denied",
    rule: "no-deletes",
    message:
      'The hub\'s policy does not let you use "delete_order" of https://shop.example (rule "no-deletes"). Ask Ada first. Only the hub\'s owner can change that.',
  });
  expect(policy.isOn).toBe(true);
  policy.replace(undefined);
  expect([policy.isOn, policy.judge(subject)]).toEqual([false, undefined]);
});

/** A policy of the hub and one of every organisation, each with one rule of these fields. */
function joint(hubs: object | undefined, theirs: object | undefined) {
  const policyOf = (rule: object | undefined) => rule && parsePolicy(JSON.stringify({ rules: [{ ...rule }] }));
  const own = policyOf(theirs);
  return createCallPolicy(() => 0, policyOf(hubs), {
    organisations: {
      organisationOf: (principal) => principal.split("/")[0],
      groupsOf: () => undefined,
      policyOf: () => own && ofOrganisation(own),
    },
  });
}

test("TM41: of the hub's rule and the organisation's the stricter decides, and of equals the hub's", () => {
  const decisions = [undefined, ...policyDecisions];
  for (const hubs of decisions)
    for (const theirs of decisions) {
      const rules = [hubs, theirs].map((decision) => decision && { decision });
      const rule = joint(rules[0], rules[1]).judge({ principal: "acme/ada", agent: "x" });
      const stricter = decisions.indexOf(theirs) > decisions.indexOf(hubs) ? theirs : hubs;
      expect(rule?.decision, `${hubs ?? "none"} and ${theirs ?? "none"}`).toBe(stricter);
      const label = stricter === hubs ? "rule 1" : "organisation rule 1";
      expect(rule?.label).toBe(stricter && label);
    }
});

test("TM42: the rates of both rules count, each by itself", () => {
  const policy = joint({ decision: "ask", rate: "5/hour" }, { decision: "allow", rate: "2/hour together" });
  const begin = (principal: string) => {
    const rule = policy.judge({ principal, agent: "x" }) as PolicyRule;
    const over = policy.overRate(rule, principal);
    if (!over) policy.count(rule, principal);
    return over?.message ?? rule.label;
  };
  expect([begin("acme/ada"), begin("acme/ben")]).toEqual(["rule 1", "rule 1"]);
  expect(begin("acme/ada")).toContain("Your organisation's policy lets in 2/hour together of such calls (rule 1).");
  expect([1, 2, 3].map(() => begin("beta/eve").slice(0, 17))).toEqual(["rule 1", "rule 1", "Your organisation"]);
  policy.countElsewhere("2/3600000/together organisation rule 1", "gamma/cy", 2);
  policy.countElsewhere("5/3600000/each rule 1", "gamma/dan", 5);
  expect(begin("gamma/cy")).toContain("Your organisation's");
  expect(begin("gamma/dan")).toContain("The hub's policy lets in 5/hour");
});
