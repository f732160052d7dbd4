import { expect, test } from "vitest";
import { askOwn, errorOf } from "../../test-support/own.test-helper.ts";
import { agentHelloOf, connectAgent, openAgent } from "../../test-support/agent.test-helper.ts";
import { asker, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";

const status = { origin: undefined };

test("TM20: a service account's key is answered once, acts as the account, and is nowhere in the store", async () => {
  const hub = await startTeamHub();
  const made = await hub.acme("POST services", { name: "deploy", expiresIn: 60_000 });
  const { key } = made.body as { key: string };
  expect(made.body).toMatchObject({ principal: "acme:service/deploy", key: expect.stringMatching(/^pagewire-key\./) });
  expect((await asker(hub, key)("GET me")).body).toMatchObject({
    ...{ principal: "acme:service/deploy", organisation: "acme", name: "deploy", credential: "service" },
    ...{ scopes: ["tools"], isAdmin: false },
  });
  const { body } = await hub.acme("GET services");
  expect(body?.["services"]).toMatchObject([
    { name: "admin", scopes: ["admin"] },
    { name: "deploy", scopes: ["tools"], madeBy: "acme:service/admin", keys: [{ usedAt: expect.any(Number) }] },
  ]);
  const [, , secret = ""] = key.split(".");
  const kept = await hub.store.records("services", "");
  expect(JSON.stringify([body, [...kept]])).not.toContain(secret);
});

test("TM21: a service account does what its scopes say", async () => {
  const hub = await startTeamHub();
  const { body } = await hub.acme("POST services", { name: "reader", scopes: ["tools"] });
  const key = String(body?.["key"]);
  expect(errorOf(await asker(hub, key)("GET people"))).toEqual([403, "scope-needed"]);
  expect((await askOwn(hub, "GET /api/status", { token: key, ...status })).status).toBe(200);
  for (const scopes of [[], ["everything"], "admin", ["tools", 5]])
    expect(errorOf(await hub.acme("POST services", { name: "x", scopes }))).toEqual([400, "request-malformed"]);
});

test("TM22: after a new key the old one is good for the time that was asked for, and what it began ends then", async () => {
  const hub = await startTeamHub();
  const first = String((await hub.acme("POST services", { name: "deploy" })).body?.["key"]);
  const agent = await connectAgent(hub.url, { token: first });
  const next = await hub.acme("POST services/deploy/keys", { keepOldFor: 60_000 });
  const second = String(next.body?.["key"]);
  for (const key of [first, second]) expect((await asker(hub, key)("GET me")).status).toBe(200);
  expect(agent.link.open).toBe(true);
  const third = String((await hub.acme("POST services/deploy/keys", {})).body?.["key"]);
  expect(await agent.closeName()).toBe("token-expired");
  for (const key of [first, second]) expect(errorOf(await asker(hub, key)("GET me"))[0]).toBe(401);
  const last = await connectAgent(hub.url, { token: third });
  expect((await hub.acme("POST services/deploy/keys", { keepOldFor: 1 })).status).toBe(200);
  expect(await last.closeName()).toBe("token-expired");
});

test("TM24: a service account's budgets lower its limits, and wrong ones are refused", async () => {
  const hub = await startTeamHub();
  const make = (name: string, budgets: unknown) => hub.acme("POST services", { name, budgets });
  expect(errorOf(await make("a", { callsPerPrincipal: -1 }))).toEqual([400, "request-malformed"]);
  expect(errorOf(await make("a", { everything: 1 }))).toEqual([400, "request-malformed"]);
  const { body } = await make("a", { socketsPerPrincipal: 1 });
  const token = String(body?.["key"]);
  await connectAgent(hub.url, { token });
  const second = await openAgent(hub.url);
  second.send(agentHelloOf({ token }));
  expect(await second.verdict()).toBe("sockets-too-many");
  expect((await hub.acme("GET services")).body?.["services"]).toMatchObject([
    { name: "a", budgets: { socketsPerPrincipal: 1 } },
    { name: "admin" },
  ]);
});

test("an organisation has a bounded number of service accounts, and an account of keys", async () => {
  const hub = await startTeamHub();
  for (let count = 1; count < 100; count++) await hub.acme("POST services", { name: `s${count}` });
  expect(errorOf(await hub.acme("POST services", { name: "more" }))).toEqual([403, "option-refused"]);
  expect(errorOf(await hub.acme("POST services", { name: "s1" }))).toEqual([403, "option-refused"]);
  expect((await hub.globex("POST services", { name: "more" })).status).toBe(200);
  const rotate = (body: object = {}) => hub.acme("POST services/s1/keys", body);
  for (let count = 0; count < 4; count++) expect((await rotate({ keepOldFor: 60_000 })).status).toBe(200);
  // A sixth would end the oldest before its time.
  expect(errorOf(await rotate({ keepOldFor: 60_000 }))).toEqual([403, "option-refused"]);
  const { services } = (await hub.acme("GET services")).body as { services: { name: string; keys: object[] }[] };
  expect(services.find(({ name }) => name === "s1")?.keys).toHaveLength(5);
  expect((await rotate()).status).toBe(200);
});
