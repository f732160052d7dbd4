// Every route and upgrade of a real hub, with every Host, origin and credential. `attempts.test-helper.ts` states who is
// let in, independently of the guard's code.
import { routes } from "../../../src/hub/http/routes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  attempt,
  hostCases,
  originCases,
  tokenCases,
  verdictOn,
} from "../../../src/hub/guard/test-support/attempts.test-helper.ts";
import type { Attempt, OriginCase, TokenCase } from "../../../src/hub/guard/test-support/attempts.test-helper.ts";
import { agentHelloOf, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { askOwn, signIn } from "../../../src/hub/test-support/own.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";
import type { Tally } from "./tally.test-helper.ts";

let hub: LocalHub;
let page: TestPage;
/** The token of a signed-in page. */
let app: string;

beforeEach(async () => {
  hub = await startLocalHub(["--demo-port", "0", "--terminal"]);
  page = await connectPage(hub.url);
  app = await signIn(hub, hub.token);
});

afterEach(async () => {
  closeSockets();
  await hub.close();
});

/** Signing out revokes the token of all other attempts, so it is tested separately. */
const isSignOut = ({ route, origin, token }: Attempt) =>
  route.path === "/api/sign-out" && token.isApp && token.is === "right" && ["none", "own"].includes(origin.kind);

const nameOf = ({ route, host, origin, token }: Attempt) =>
  `${route.method} ${route.path}, ${host.name}, Origin ${origin.origin}, ${token.name}`;

/** Works on all items, a few at a time. */
async function atOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async () => {
    for (let next = left.pop(); next; next = left.pop()) await work(next);
  };
  await Promise.all(Array.from({ length: 32 }, one));
}

/** One of each route in turn: some routes serve only a few requests of a user at a time. */
function byTurns(attempts: readonly Attempt[]): readonly Attempt[] {
  const counts = new Map<Attempt["route"], number>();
  const turns = attempts.map((one) => {
    const turn = counts.get(one.route) ?? 0;
    counts.set(one.route, turn + 1);
    return { one, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ one }) => one);
}

/** Makes all attempts, and adds each to the tally of its verdict. */
async function tryAll(attempts: readonly Attempt[], tallyOf: (verdict: string) => Tally): Promise<void> {
  await atOnce(byTurns(attempts), async (one) => {
    const must = verdictOn(one);
    tallyOf(must).add(nameOf(one), await attempt(hub.port, one), must);
  });
}

/** Fails unless the tab, the agents and the calls are exactly the expected ones. */
async function expectNoEffect(attempts: readonly Attempt[]): Promise<void> {
  await page.settled();
  const served = attempts.filter((one) => one.route.serves === "call" && verdictOn(one) === "served");
  expect(page.calls).toHaveLength(served.length);
  const heard = page.received.map(({ frame }) => frame.type);
  expect(heard.filter((type) => type !== "call" && type !== "heartbeat")).toEqual(["welcome"]);
  expect(await hub.metric("pagewire_tabs")).toBe(1);
  // One agent by HTTP for each credential: a malformed MCP request adds none.
  expect(await hub.metric("pagewire_agents")).toBe(new Set(served.map(({ token }) => token.isApp)).size);
  expect(hub.records("page-connected")).toHaveLength(1);
}

/** The origin and the credential of a request. */
type Sender = Pick<Attempt, "origin" | "token">;

function pairsOf(origins: readonly OriginCase[], tokens: readonly TokenCase[]): readonly Sender[] {
  return origins.flatMap((origin) => tokens.map((token) => ({ origin, token })));
}

/** Every host on every route, each with a sender that would be let in, if there is one, and with the others in turn. */
function hostAttempts(senders: readonly Sender[]): readonly Attempt[] {
  const hosts = hostCases(hub.port);
  const [ours] = hosts;
  if (!ours) throw new Error("A hub answers to no host.");
  return hosts.flatMap((host, at) =>
    routes.flatMap((route, n) => {
      if (host === ours) return senders.map((sender) => ({ route, host, ...sender }));
      const isLetIn = (sender: Sender) => ["served", "open"].includes(verdictOn({ route, host: ours, ...sender }));
      const tried = new Set([senders.find(isLetIn), senders[(at + n) % senders.length]]);
      return [...tried].flatMap((sender) => (sender ? [{ route, host, ...sender }] : []));
    }),
  );
}

/** Every route with every origin and every token; each origin with all plain tokens, each token with all plain origins. */
function senderAttempts(tokens: readonly TokenCase[]): readonly Attempt[] {
  const [host] = hostCases(hub.port);
  if (!host) throw new Error("A hub answers to no host.");
  const senders = pairsOf(originCases(hub.port), tokens);
  const tried = senders.filter(({ origin, token }) => isPlainOrigin(origin) || isPlainToken(token));
  return routes.flatMap((route) => tried.map((sender) => ({ route, host, ...sender })));
}

const isPlainOrigin = ({ origin, kind }: OriginCase) => kind !== "foreign" || origin === "https://evil.example";
const isPlainToken = ({ name }: TokenCase) => /^(no|the|an app's) token$/.test(name);

test("H1: a request that does not name the hub as its host is refused on every route and upgrade, whoever sends it", async () => {
  const origins = originCases(hub.port).filter(isPlainOrigin);
  const senders = pairsOf(origins, tokenCases(hub.token, app).filter(isPlainToken));
  const attempts = hostAttempts(senders).filter((one) => !one.host.isOurs || !isSignOut(one));
  const forged = startTally(
    "gate",
    "a forged, doubled, absolute or missing Host, on every route and upgrade",
    "421 and no effect",
  );
  const ours = startTally("gate", "the hub's own names as Host, on every route and upgrade", "as the route says");
  await tryAll(attempts, (verdict) => (verdict === "421" ? forged : ours));
  await expectNoEffect(attempts);
  forged.close();
  ours.close();
});

test("H3, H4, H5, H6, H7: every route and upgrade lets in the origins and tokens that it is for, and no others", async () => {
  const all = senderAttempts(tokenCases(hub.token, app));
  const attempts = all.filter((one) => !isSignOut(one));
  const rows: Readonly<Record<string, string>> = {
    "403": "a foreign origin, or an allowed page's, where agents come in, with every kind of token",
    "401": "no credential: missing, wrong, ended, in the query, as a cookie, as Basic",
    "told 4010": "an upgrade for pages from an origin that is foreign, alike, an address, null or absent",
  };
  const tallies = new Map(Object.entries(rows).map(([verdict, row]) => [verdict, startTally("gate", row, verdict)]));
  const rest = startTally("gate", "every other pair of origin and credential, on every route", "as the route says");
  await tryAll(attempts, (verdict) => tallies.get(verdict) ?? rest);
  const signOuts = all.filter(isSignOut);
  for (const one of signOuts) {
    const line = `Authorization: Bearer ${await signIn(hub, hub.token)}`;
    expect(await attempt(hub.port, { ...one, token: { ...one.token, line } })).toBe("served");
  }
  expect(signOuts).toHaveLength(3);
  await expectNoEffect(attempts);
  for (const tally of [...tallies.values(), rest]) tally.close();
});

test("H4, H5: an upgrade is refused exactly where a request is", async () => {
  const request = routes.find(({ serves }) => serves === "metrics");
  const upgrade = routes.find(({ serves }) => serves === "agent");
  if (!request || !upgrade) throw new Error("The table has lost its routes for agents.");
  const tokens = tokenCases(hub.token, app).filter(({ inProtocol }) => inProtocol === undefined);
  const senders = pairsOf(originCases(hub.port).slice(0, 6), tokens);
  const tried = hostCases(hub.port).flatMap((host) => senders.map((sender) => ({ host, ...sender })));
  const tally = startTally("gate", "the same attempt as a request and as an upgrade", "the same verdict");
  await atOnce(tried, async (one) => {
    const byRequest = await attempt(hub.port, { route: request, ...one });
    const byUpgrade = await attempt(hub.port, { route: upgrade, ...one });
    // Only a socket may still send its token, in its first frame.
    const maySay = byRequest === "served" || (byRequest === "401" && one.token.is === "missing");
    tally.add(nameOf({ route: upgrade, ...one }), byUpgrade, maySay ? "open" : byRequest);
  });
  tally.close();
});

test("DL10: a terminal's token opens no other door", async () => {
  const { body } = await askOwn(hub, "POST /api/terminals", { token: hub.token, origin: undefined, body: "{}" });
  const token = String(body?.["token"]);
  expect(token).toContain("pagewire-terminal.");
  const [host] = hostCases(hub.port);
  const [origin] = originCases(hub.port);
  if (!host || !origin) throw new Error("Nobody asks, or nobody is asked.");
  const asTerminal = { name: "a terminal's token", is: "wrong", line: `Authorization: Bearer ${token}` } as const;
  const tally = startTally("gate", "the token of a program in a terminal, at every other door", "401");
  for (const route of routes.filter(({ access }) => access === "agent" || access === "shell")) {
    if (route.isUpgrade && route.access === "shell") continue;
    const one = { route, host, origin, token: asTerminal };
    tally.add(nameOf(one), await attempt(hub.port, one));
  }
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  tally.add("in an agent's hello", await agent.verdict(), "token-invalid");
  tally.close();
});

test("H4: a socket that waited to say who it is and brings no token, or a wrong one, is closed by name", async () => {
  const tally = startTally("gate", "an agent's first frame without a token, or with a wrong one", "closed by name");
  for (const [token, closeName] of [
    [undefined, "token-required"],
    ["another-token", "token-invalid"],
    [`${hub.token}x`, "token-invalid"],
  ] as const) {
    const agent = await openAgent(hub.url);
    agent.send(agentHelloOf(token === undefined ? {} : { token }));
    const refused = (await agent.next("refused")).frame.code;
    tally.add(closeName, [refused, await agent.closeName()], [closeName, closeName]);
  }
  expect(await hub.metric("pagewire_agents")).toBe(0);
  tally.close();
});
