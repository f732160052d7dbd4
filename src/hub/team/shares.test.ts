import { expect, test } from "vitest";
import { startHubs } from "../cluster/hubs.test-helper.ts";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import type { HubDoor } from "../test-support/http.test-helper.ts";
import { defaultOrganisationLimits, resolveTeam } from "../options/team-options.ts";
import type { OrganisationLimits } from "../options/team-options.ts";
import { ofBusiestOrganisation } from "../backpressure/queue-budget.ts";
import { organisationOf } from "../common/principals.ts";
import { createShares } from "./shares.ts";
import { pageTokenOf, seedPostgres, startTeamHub, team } from "./test-support/team-world.test-helper.ts";
import { openStore } from "../store/index.ts";

const limits: OrganisationLimits = {
  ...{ calls: 5, callBytes: 1000, callRate: 10, callBurst: 1000 },
  ...{ answers: 2, sockets: 3, streams: 3, tabs: 3, offeredBytes: 100 },
};

/** A principal's use, which a test changes. */
const idle = () => ({ tabs: 0, offeredBytes: 0, calls: 0, callBytes: 0 });

function sharesOf(more: Partial<OrganisationLimits> = {}, now = () => 0) {
  const over: string[] = [];
  const limitsOf = () => ({ ...limits, ...more });
  return { over, shares: createShares({ limitsOf, use: undefined, onOver: (name) => over.push(name), now }) };
}

test("TM54: what the principals of an organisation have together is bounded, and what has gone makes room", () => {
  const { shares, over } = sharesOf();
  const [ada, ben] = [idle(), idle()];
  shares.add("acme/ada", ada);
  const leave = shares.add("acme/ben", ben);
  shares.admit("acme/ada", "tabs", 2);
  ada.tabs = 2;
  shares.admit("acme/ben", "tabs", 1);
  ben.tabs = 1;
  expect(() => shares.admit("acme/cy", "tabs", 1)).toThrow(
    "Your organisation may have 3 tabs open (limit tabs of organisationLimits). Close some of them, or ask the hub's operator for more.",
  );
  expect(over).toEqual(["tabsPerPrincipal"]);
  shares.admit("globex/eve", "tabs", 1);
  shares.admit("local", "tabs", 1e9);
  leave();
  shares.admit("acme/cy", "tabs", 1);
  expect(() => shares.admit("acme/cy", "offeredBytes", 101)).toThrow("limit offeredBytes of organisationLimits");
});

test("TM54: things that come and go are counted one by one", () => {
  const { shares } = sharesOf();
  const [first] = [1, 2, 3].map((at) => shares.enter(`acme/${at}`, "sockets"));
  expect(() => shares.enter("acme:service/x", "sockets")).toThrow("limit sockets of organisationLimits");
  shares.enter("acme/ada", "answers");
  first?.();
  shares.enter("acme/4", "sockets");
  expect(() => shares.enter("acme/5", "sockets")).toThrow("limit sockets");
  shares.enter("acm/5", "sockets");
});

test("TM54: hubs count together what an organisation uses", () => {
  const told: [string, string][] = [];
  const elsewhere = { "acme:all": 4 } as Record<string, number>;
  let listener: (principal: string, what: string, count: number) => void = () => {};
  const shares = createShares({
    ...{ limitsOf: () => limits, onOver: () => {}, now: () => 0 },
    use: {
      elsewhere: (account, name) => (name === "socketsPerPrincipal" ? (elsewhere[account] ?? 0) : 0),
      changed: () => {},
      count: (account, what) => void told.push([account, what]),
      onCounted: (each) => (listener = each),
    },
  });
  expect(() => shares.enter("acme/ada", "sockets")).toThrow("limit sockets");
  shares.enter("globex/ada", "sockets");
  elsewhere["acme:all"] = 2;
  shares.enter("acme/ada", "sockets");
  const gate = shares.gate({ refusal: () => undefined, begun: () => {} } as never);
  const found = { tab: {}, arguments: "{}" } as never;
  gate.begun(found, { principal: "acme/ada" } as never);
  expect(told).toEqual([["acme:all", "calls 10 1000"]]);
  listener("acme:all", "calls 10 1000", 1000);
  expect(gate.refusal(found, { principal: "acme/ben" } as never)).toMatchObject({
    code: "calls-too-many",
    message: expect.stringContaining("10 calls per second") as string,
  });
  expect(gate.refusal(found, { principal: "globex/eve" } as never)).toBeUndefined();
});

test("TM55: what the hub evicts for room is of the organisation that has the most, and there of the busiest principal", () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ principal: `acme/${at}`, bytes: at === 7 ? 3 : 2 }));
  const items = [{ principal: "globex/eve", bytes: 50 }, ...many];
  const found = ofBusiestOrganisation(organisationOf)(
    items,
    ({ principal }) => principal,
    ({ bytes }) => bytes,
  );
  expect(found).toEqual([{ principal: "acme/7", bytes: 3 }]);
});

const small = (organisationLimits: Partial<OrganisationLimits>) => ({
  ...team,
  providers: team.providers.map((each) => ({ ...each, organisationLimits })),
});

const codeOf = (text: string) =>
  (JSON.parse(text) as { readonly error: { code: string; message: string } | null }).error;

/** Pages of an organisation's people, and of its admin, whose page answers nothing by itself. */
async function withPage(hub: { readonly url: string }, principal: string, handle?: typeof byHand) {
  return connectPage(hub.url, {
    ...{ token: await pageTokenOf(principal), tools: ["work"] },
    ...(handle && { handle }),
  });
}

test("TM54: an organisation that floods a hub with calls is refused, and the calls of another go on", async () => {
  const hub = await startTeamHub({ team: small({ calls: 6 }) });
  const [acme, globex]: HubDoor[] = [
    { ...hub, token: hub.keys.acme },
    { ...hub, token: hub.keys.globex },
  ];
  const page = await withPage(hub, "acme:service/admin", byHand);
  await withPage(hub, "globex:service/admin");
  const waiting = Array.from({ length: 6 }, () => callTool(acme as HubDoor, "work"));
  await expect.poll(() => page.calls.length).toBe(6);
  for (let count = 0; count < 5; count++) {
    const { status, text } = await callTool(acme as HubDoor, "work");
    expect([status, codeOf(text)?.code]).toEqual([429, "calls-too-many"]);
    expect(codeOf(text)?.message).toContain("Your organisation may have 6 calls in flight");
    expect((await callTool(globex as HubDoor, "work")).status).toBe(200);
  }
  for (const { id } of page.calls) {
    page.ack(id);
    page.result(id, '{"content":[]}');
  }
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  const last = callTool(acme as HubDoor, "work");
  await expect.poll(() => page.calls.length).toBe(7);
  page.result(page.calls[6]?.id ?? "", '{"content":[]}');
  expect((await last).status).toBe(200);
});

/** Opens a person's page that offers tools, and returns how that went. */
async function open(hub: { readonly url: string }, principal: string, offer = "[]"): Promise<string> {
  const page = await openPage(hub.url);
  page.send(helloOf({ token: await pageTokenOf(principal) }));
  const verdict = await page.verdict();
  if (verdict !== "welcome") return verdict;
  page.send({ type: "offer" }, `{"tools":${offer}}`);
  return Promise.race([page.verdict(), page.settled().then(() => "welcome")]);
}

test("TM54: many people of an organisation do not take the room for another's offers", async () => {
  const hub = await startTeamHub({ team: small({ offeredBytes: 5000 }) });
  const large = JSON.stringify([{ name: "x", description: "y".repeat(4000), inputSchema: { type: "object" } }]);
  expect(await open(hub, "acme/a", large)).toBe("welcome");
  expect(await open(hub, "acme/b", large)).toBe("offers-too-large");
  expect(await open(hub, "globex/a", large)).toBe("welcome");
});

test("TM54: many people of an organisation do not take the room for another's tabs and sockets", async () => {
  const hub = await startTeamHub({ team: small({ sockets: 4, tabs: 2 }) });
  expect([await open(hub, "acme/a"), await open(hub, "acme/b")]).toEqual(["welcome", "welcome"]);
  expect([await open(hub, "acme/c"), await open(hub, "globex/c")]).toEqual(["tabs-too-many", "welcome"]);
  for (let count = 0; count < 2; count++) await connectAgent(hub.url, { token: hub.keys.acme });
  expect(await agentVerdict(hub.url, hub.keys.acme)).toBe("sockets-too-many");
  expect(await agentVerdict(hub.url, hub.keys.globex)).toBe("welcome");
});

test("TM54: many people of an organisation do not take the room for another's streams", async () => {
  const hub = await startTeamHub({ team: small({ streams: 2 }) });
  const follow = async (key: string, path = "/api/calls/stream") => {
    const gone = new AbortController();
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${hub.url}${path}`, { headers, signal: gone.signal });
    const refusal = answer.status === 200 ? undefined : codeOf(await answer.text());
    return { status: answer.status, refusal, leave: () => gone.abort() };
  };
  const { acme, globex } = hub.keys;
  const [first] = [await follow(acme), await follow(acme, "/api/team/audit/stream")];
  const { status, refusal } = await follow(acme);
  expect([status, refusal?.code]).toEqual([429, "requests-too-many"]);
  expect(refusal?.message).toContain("Your organisation may have 2 streams open (limit streams of organisationLimits)");
  expect((await follow(globex)).status).toBe(200);
  first?.leave();
  await expect.poll(async () => (await follow(acme)).status).toBe(200);
});

async function agentVerdict(url: string, token: string): Promise<string> {
  const agent = await openAgent(url);
  agent.send(agentHelloOf({ token }));
  const verdict = await agent.verdict();
  agent.socket.terminate();
  return verdict;
}

test("TM54: over several hubs an organisation has its share once", async () => {
  const { database, keys } = await seedPostgres();
  const { a, b } = await startHubs({ team: small({ sockets: 4 }), store: () => openStore({ database }) });
  for (let count = 0; count < 4; count++) await connectAgent(a.url, { token: keys.acme });
  await expect.poll(() => agentVerdict(b.url, keys.acme)).toBe("sockets-too-many");
  expect(await agentVerdict(b.url, keys.globex)).toBe("welcome");
});

test("TM54: bounds that are unknown or no numbers are refused, and those that are left out have their defaults", () => {
  const resolve = (organisationLimits: object) =>
    resolveTeam(small(organisationLimits)).providers[0]?.organisationLimits;
  expect(resolve({ calls: 5 })).toEqual({ ...defaultOrganisationLimits, calls: 5 });
  expect(() => resolve({ call: 5 })).toThrow('organisationLimits of acme has "call". There are calls, callBytes');
  for (const wrong of [0, -1, Number.NaN, "5"])
    expect(() => resolve({ tabs: wrong })).toThrow("tabs in organisationLimits");
});
