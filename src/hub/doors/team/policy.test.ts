import { expect, test } from "vitest";
import { parsePolicy } from "../../../policy/index.ts";
import { openPage, helloOf, connectPage } from "../../test-support/page.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { defaultLimits } from "../../../wire/index.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { asker, pageTokenOf, startTeamHub, team } from "../../team/test-support/team-world.test-helper.ts";
import type { TeamHub } from "../../team/test-support/team-world.test-helper.ts";

const denying = { rules: [{ name: "no", tool: "work", decision: "deny" }] };

/** Each organisation's admin with a page of their own. */
async function withPages(hub: TeamHub) {
  for (const name of ["acme", "globex"])
    await connectPage(hub.url, { token: await pageTokenOf(`${name}:service/admin`), tools: ["work"] });
  return async (name: "acme" | "globex") => {
    const { status, text } = await callTool({ ...hub, token: hub.keys[name] }, "work");
    return [status, (JSON.parse(text) as { error: { code: string } | null }).error?.code];
  };
}

test("TM40, TM45: an admin's policy is in force for the own organisation when it is answered, and gone when it is removed", async () => {
  const hub = await startTeamHub();
  const call = await withPages(hub);
  expect(await call("acme")).toEqual([200, undefined]);
  const { body } = await hub.acme("PUT policy", denying);
  expect(body).toMatchObject({ text: JSON.stringify(denying), rules: [{ label: "organisation no" }] });
  expect([await call("acme"), await call("globex")]).toEqual([
    [403, "policy-denied"],
    [200, undefined],
  ]);
  expect((await hub.globex("GET policy")).body).toMatchObject({ text: null, rules: [] });
  const stale = await hub.acme("PUT policy?replaces=0", denying);
  expect(errorOf(stale)).toEqual([400, "request-malformed"]);
  expect((await hub.acme(`DELETE policy?replaces=${String(body?.["digest"])}`)).body).toMatchObject({ text: null });
  expect(await call("acme")).toEqual([200, undefined]);
});

test("TM45: a policy that cannot be used is refused with its place, one that is too long by its size, and the one before holds", async () => {
  const hub = await startTeamHub();
  await hub.acme("PUT policy", denying);
  const { body } = await hub.acme("PUT policy", { rules: [], pins: [] });
  expect(body?.["error"]).toMatchObject({
    message: expect.stringContaining('line 1, column 13: "pins" means nothing'),
  });
  const long = {
    rules: Array.from({ length: 900 }, (_, at) => ({ name: `${at}`, tool: "x".repeat(60), decision: "deny" })),
  };
  expect((await hub.acme("PUT policy", long)).status).toBe(413);
  expect((await hub.acme("GET policy")).body).toMatchObject({ rules: [{ label: "organisation no" }] });
});

const many = (count: number, pattern: string) => ({
  rules: Array.from({ length: count }, () => ({ tool: pattern, decision: "deny" })),
});

test.each([
  ["ten thousand rules", many(10_000, "x"), 413, "larger than 65536 bytes, which is the most here"],
  ["more than a thousand rules", many(1001, "x"), 400, "more than 1000 rules"],
  ["a long pattern", many(1, "x".repeat(257)), 400, "1 to 256 characters"],
  ["deep patterns", many(40, "*a".repeat(128)), 400, 'patterns with "*" before their end have 10240 characters'],
])(
  "TM45: an organisation's policy with %s is refused, for what it would cost all others",
  async (_, policy, ...expected) => {
    const hub = await startTeamHub();
    await hub.acme("PUT policy", denying);
    const { status, body } = await hub.acme("PUT policy", policy);
    expect([status, (body?.["error"] as { message: string } | undefined)?.message]).toEqual([
      expected[0],
      expect.stringContaining(String(expected[1])),
    ]);
    expect((await hub.acme("GET policy")).body).toMatchObject({ rules: [{ label: "organisation no" }] });
  },
);

test("TM45: a policy may have many patterns that are cheap to compare", async () => {
  const hub = await startTeamHub();
  expect((await hub.acme("PUT policy", many(900, "read_*"))).status).toBe(200);
  expect((await hub.acme("PUT policy", many(30, "*a".repeat(128)))).status).toBe(200);
});

test.each([
  ["a policy", "policy", (at: number) => ({ rules: many(at, "x").rules })],
  ["budgets", "budgets", (at: number) => ({ budgets: { tabsPerPrincipal: at } })],
  ["quotas", "quotas", (at: number) => ({ each: { day: at }, people: {} })],
])(
  "TM45, TM99: %s set over what was read is refused where another was set meanwhile, also at a hub that has not heard of it",
  async (_, what, setting) => {
    const hub = await startTeamHub();
    const other = asker(await startHub({ team, store: () => hub.store }), hub.keys.acme);
    const digestAt = async (ask: typeof other) => String((await ask(`GET ${what}`)).body?.["digest"]);
    const first = await digestAt(other);
    const set = await hub.acme(`PUT ${what}?replaces=${first}`, setting(1));
    const stale = await other(`PUT ${what}?replaces=${first}`, setting(2));
    expect(errorOf(stale)).toEqual([400, "request-malformed"]);
    const digest = String(set.body?.["digest"]);
    expect(await digestAt(hub.acme)).toBe(digest);
    expect((await other(`PUT ${what}?replaces=${digest}`, setting(3))).status).toBe(200);
    expect(errorOf(await hub.acme(`PUT ${what}?replaces=${digest}`, setting(4)))).toEqual([400, "request-malformed"]);
    expect((await hub.acme(`PUT ${what}`, setting(5))).status).toBe(200);
  },
);

test("TM45: a policy is removed only over the one that was read, where that is named", async () => {
  const hub = await startTeamHub();
  await hub.acme("PUT policy", denying);
  expect(errorOf(await hub.acme("DELETE policy?replaces=0"))).toEqual([400, "request-malformed"]);
  expect((await hub.acme("GET policy")).body).toMatchObject({ rules: [{ label: "organisation no" }] });
});

test("TM46: a test says what both policies make of a call, for the own principals and their groups only", async () => {
  const rules = [{ principal: ["globex/eve", "acme/*"], group: "staff", tool: "work", decision: "ask" }];
  const hub = await startTeamHub({ policy: () => parsePolicy(JSON.stringify({ rules })) });
  const ask = async (call: object) => (await hub.acme("POST policy/test", { tool: "work", ...call })).body;
  const asked = await ask({ principal: "acme/ada" });
  expect(asked).toMatchObject({ decision: "ask", rule: { label: "rule 1", when: { tool: ["work"] } } });
  expect(JSON.stringify(asked)).not.toContain("eve");
  expect(await ask({ principal: "acme/ada", groups: ["other"] })).toEqual({ decision: "allow", rule: null });
  await hub.acme("PUT policy", { rules: [{ group: "night", decision: "deny" }] });
  expect(await ask({ principal: "acme/bob", groups: ["night"] })).toMatchObject({
    decision: "deny",
    rule: { label: "organisation rule 1" },
  });
  for (const principal of ["globex/eve", "globex/nobody", "local"])
    expect(errorOf(await hub.acme("POST policy/test", { principal })), principal).toEqual(
      errorOf(await hub.acme("POST policy/test", { principal: "globex/none" })),
    );
  const own = await askOwn(hub, "GET /api/policy", { token: hub.keys.acme, origin: undefined });
  expect(own.body).toMatchObject({ rules: [], organisation: { rules: [] } });
});

test("TM46: a test about a person does not count as one that saw the person", async () => {
  const hub = await startTeamHub();
  const person = { id: "acme/old", principal: "acme", groups: ["staff"], isAdmin: false, claimedAt: 1, seenAt: 1 };
  await hub.store.setRecord("people", "acme/old", person);
  await hub.acme("PUT policy", { rules: [{ group: "staff", decision: "deny" }] });
  expect((await hub.acme("POST policy/test", { principal: "acme/old" })).body).toMatchObject({ decision: "deny" });
  expect((await hub.acme("GET people?after=acme/c%20d/%C3%A9")).body).toMatchObject({ people: [{ seenAt: 1 }] });
});

test("TM47: budgets of an organisation hold for its principals from their next admission on, and for nobody else", async () => {
  const hub = await startTeamHub({ limits: { tabsPerPrincipal: 2 } });
  const open = async (subject: string, tab: string) => {
    const page = await openPage(hub.url);
    page.send(helloOf({ token: await pageTokenOf(subject), tab }));
    const verdict = await page.verdict();
    if (verdict !== "welcome") return verdict;
    page.send({ type: "offer" }, JSON.stringify({ tools: [] }));
    return Promise.race([page.verdict(), page.settled().then(() => "welcome")]);
  };
  expect(await open("acme/ada", "1")).toBe("welcome");
  const { body } = await hub.acme("PUT budgets", { budgets: { tabsPerPrincipal: 1, socketsPerPrincipal: 1e9 } });
  expect(body).toMatchObject({ budgets: { tabsPerPrincipal: 1 } });
  expect(await open("acme/ada", "2")).toBe("tabs-too-many");
  expect([await open("globex/ada", "1"), await open("globex/ada", "2")]).toEqual(["welcome", "welcome"]);
  await hub.acme("PUT budgets", { budgets: {} });
  expect(await open("acme/ada", "3")).toBe("welcome");
  await hub.acme("PUT budgets", { budgets: { tabsPerPrincipal: 1e9 } });
  expect(await open("acme/ada", "4")).toBe("tabs-too-many");
  for (const budgets of [{ queuedBytesInAll: 1 }, { tabsPerPrincipal: -1 }, { constructor: 1 }, [], undefined])
    expect(errorOf(await hub.acme("PUT budgets", { budgets }))).toEqual([400, "request-malformed"]);
});

test("TM56: what was signed in while an organisation's budgets were low has those of now, and its own token's always", async () => {
  const hub = await startTeamHub();
  await withPages(hub);
  await hub.acme("PUT budgets", { budgets: { tabsPerPrincipal: 7 } });
  const token = await signIn(hub, hub.keys.acme);
  const max = async () => {
    const { body } = await askOwn(hub, "GET /api/status", { token });
    const budgets = body?.["budgets"] as readonly { readonly name: string; readonly max: number }[];
    return budgets.find(({ name }) => name === "tabsPerPrincipal")?.max;
  };
  expect(await max()).toBe(7);
  await hub.acme("PUT budgets", { budgets: {} });
  expect(await max()).toBe(defaultLimits.tabsPerPrincipal);
  await hub.acme("PUT budgets", { budgets: { tabsPerPrincipal: 9 } });
  expect(await max()).toBe(9);
});
