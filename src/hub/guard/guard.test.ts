import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { agentHelloOf, openAgent } from "../agent.test-helper.ts";
import { makeAssets } from "../assets.test-helper.ts";
import { startShellHub } from "../doors/shell/shell.test-helper.ts";
import { startHub } from "../hub.test-helper.ts";
import type { TestHub } from "../hub.test-helper.ts";
import { signIn } from "../own.test-helper.ts";
import { connectPage } from "../page.test-helper.ts";
import type { TestPage } from "../page.test-helper.ts";
import { routes } from "../routes.ts";
import { attempt, hostCases, originCases, tokenCases, verdictOn } from "./attempts.test-helper.ts";
import type { Attempt, OriginCase, TokenCase } from "./attempts.test-helper.ts";

interface Guarded {
  readonly hub: TestHub;
  /** The token of a page that signed in. */
  readonly app: string;
  readonly page: TestPage;
}

/** Everybody tries at once, and some of them make terminals. */
const limits = { strangerSockets: 10_000, strangerSocketsInAll: 10_000, terminalsPerPrincipal: 10_000 };

async function startGuarded(): Promise<Guarded> {
  const hub = await startShellHub({ assets: makeAssets(), demo: { port: 0 }, limits });
  return { hub, app: await signIn(hub, hub.token), page: await connectPage(hub.url) };
}

/** Whoever signs out ends the token that all others bring, and is looked at alone. */
const isSignOut = ({ route, origin, token }: Attempt) =>
  route.path === "/api/sign-out" && token.isApp && token.is === "right" && ["none", "own"].includes(origin.kind);

/** Tries them all, a few at a time, and gives back those whose outcome is not what it must be. */
async function tryAll(hub: TestHub, attempts: readonly Attempt[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const left = [...attempts];
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const outcome = await attempt(hub.port, next);
      const { route, host, origin, token } = next;
      if (outcome === verdictOn(next)) continue;
      wrong.push(
        `${route.method} ${route.path}, ${host.name}, Origin ${origin.origin}, ${token.name}: ${outcome}, not ${verdictOn(next)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return wrong;
}

/** The tab, the agents and the calls are those that there must be, and no others. */
async function expectNoEffect(hub: TestHub, page: TestPage, attempts: readonly Attempt[]): Promise<void> {
  await page.settled();
  const served = attempts.filter((one) => one.route.serves === "call" && verdictOn(one) === "served");
  expect(page.calls).toHaveLength(served.length);
  const heard = page.received.map(({ frame }) => frame.type);
  expect(heard.filter((type) => type !== "call" && type !== "heartbeat")).toEqual(["welcome"]);
  expect(await hub.metric("pagewire_tabs")).toBe(1);
  // One by HTTP for each credential: a malformed MCP request makes none.
  expect(await hub.metric("pagewire_agents")).toBe(new Set(served.map(({ token }) => token.isApp)).size);
  expect(hub.records.filter(({ event }) => event === "page-connected")).toHaveLength(1);
}

/** Who sends a request: from where, and with what. */
type Sender = Pick<Attempt, "origin" | "token">;

function pairsOf(origins: readonly OriginCase[], tokens: readonly TokenCase[]): readonly Sender[] {
  return origins.flatMap((origin) => tokens.map((token) => ({ origin, token })));
}

/** Every host on every route: each time with a sender that would be let in, where there is one, and with others in turn. */
function hostAttempts(port: number, senders: readonly Sender[]): readonly Attempt[] {
  const hosts = hostCases(port);
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

/** Every route with every origin and with every token, each of these with all those of the other kind that matter most. */
function senderAttempts(port: number, tokens: readonly TokenCase[]): readonly Attempt[] {
  const [host] = hostCases(port);
  if (!host) throw new Error("A hub answers to no host.");
  const senders = pairsOf(originCases(port), tokens);
  const tried = senders.filter(({ origin, token }) => isPlainOrigin(origin) || isPlainToken(token));
  return routes.flatMap((route) => tried.map((sender) => ({ route, host, ...sender })));
}

const isPlainOrigin = ({ origin, kind }: OriginCase) => kind !== "foreign" || origin === "https://evil.example";
const isPlainToken = ({ name }: TokenCase) => /^(no|the|an app's) token$/.test(name);

function countOf(attempts: readonly Attempt[], verdict: string): number {
  return attempts.filter((one) => verdictOn(one) === verdict).length;
}

test("H1: a request that does not name the hub as its host is refused on every route and upgrade, whoever sends it", async () => {
  const { hub, app, page } = await startGuarded();
  const origins = originCases(hub.port).filter(isPlainOrigin);
  const senders = pairsOf(origins, tokenCases(hub.token, app).filter(isPlainToken));
  const attempts = hostAttempts(hub.port, senders).filter((one) => !one.host.isOurs || !isSignOut(one));
  const wrong = await tryAll(hub, attempts);
  expect(wrong).toEqual([]);
  await expectNoEffect(hub, page, attempts);
  recordFault("hub", {
    fault: "Requests and upgrades with a forged, doubled, absolute or missing Host, on every route",
    expected: "421 and no effect",
    observed: wrong.length === 0 ? "421 and no effect" : wrong.join("; "),
    count: countOf(attempts, "421"),
  });
});

test("H3, H4, H5, H6, H7, SI4: every route and upgrade lets in the origins and tokens that it is for, and no others", async () => {
  const { hub, app, page } = await startGuarded();
  const all = senderAttempts(hub.port, tokenCases(hub.token, app));
  const attempts = all.filter((one) => !isSignOut(one));
  const wrong = await tryAll(hub, attempts);
  expect(wrong).toEqual([]);
  const signOuts = all.filter(isSignOut);
  for (const one of signOuts) {
    const line = `Authorization: Bearer ${await signIn(hub, hub.token)}`;
    expect(await attempt(hub.port, { ...one, token: { ...one.token, line } })).toBe("served");
  }
  expect(signOuts).toHaveLength(3);
  await expectNoEffect(hub, page, attempts);
  for (const [verdict, fault] of [
    ["403", "Agents' routes and upgrades from a foreign or an allowed page's origin, with every kind of token"],
    ["401", "Agents' routes and upgrades without the token: missing, wrong, in the query, as a cookie, as Basic"],
    ["told 4010", "Upgrades for pages from an origin that is foreign, alike, null or absent"],
  ] as const) {
    const expected = `${verdict} and no effect`;
    recordFault("hub", { fault, expected, observed: expected, count: countOf(attempts, verdict) });
  }
});

test("H4, H5: an upgrade is refused exactly where a request is", async () => {
  const { hub, app } = await startGuarded();
  const request = routes.find(({ serves }) => serves === "metrics");
  const upgrade = routes.find(({ serves }) => serves === "agent");
  if (!request || !upgrade) throw new Error("The table has lost its routes for agents.");
  let compared = 0;
  for (const host of hostCases(hub.port)) {
    for (const origin of originCases(hub.port).slice(0, 6)) {
      for (const token of tokenCases(hub.token, app).filter(({ inProtocol }) => inProtocol === undefined)) {
        const byRequest = await attempt(hub.port, { route: request, host, origin, token });
        const byUpgrade = await attempt(hub.port, { route: upgrade, host, origin, token });
        // Only a socket may still bring its token, in its first frame.
        const expected = byRequest === "served" || (byRequest === "401" && token.is === "missing") ? "open" : byRequest;
        expect(byUpgrade, `${host.name}, Origin ${origin.origin}, ${token.name}`).toBe(expected);
        compared++;
      }
    }
  }
  recordFault("hub", {
    fault: "The same attempt as a request and as an upgrade",
    expected: "the same verdict",
    observed: "the same verdict",
    count: compared,
  });
});

test("H4: a socket that waited to say who it is and brings no token, or a wrong one, is closed by name", async () => {
  const hub = await startHub();
  for (const [token, closeName] of [
    [undefined, "token-required"],
    ["another-token", "token-invalid"],
  ] as const) {
    const agent = await openAgent(hub.url);
    agent.send(agentHelloOf(token === undefined ? {} : { token }));
    expect((await agent.next("refused")).frame.code).toBe(closeName);
    expect(await agent.closeName()).toBe(closeName);
  }
  expect(await hub.metric("pagewire_agents")).toBe(0);
});
