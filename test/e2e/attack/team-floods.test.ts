// Floods by strangers and by one organisation, while people of another sign in and call.
import { expect, test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { newKey } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import { signInWith } from "../../../src/hub/team/test-support/team-hub.test-helper.ts";
import { connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { byHand, connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { certificate } from "../../support/certificates.ts";
import { appOrigin, askFrom, besiegeTeam, isSignedIn, signerOf, tokensOf } from "./besieged-team.test-helper.ts";
import type { Answer, BesiegedTeam } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

const ca = certificate.cert;
const read = ({ text }: Answer) => JSON.parse(text) as Readonly<Record<string, string>>;

type Ask = ReturnType<typeof askFrom>;

interface Tool {
  readonly token: string;
  readonly name: string;
  readonly isSilent?: boolean;
}

/** A page of an app that offers one tool. */
async function offer({ hub }: BesiegedTeam, ask: Ask, { token, name, isSilent = false }: Tool) {
  const made = await ask("POST /api/page-tokens", token, { body: { origin: appOrigin, app: name } });
  const options = { ca, origin: appOrigin, app: name, tab: name, token: read(made)["token"] ?? "", tools: [name] };
  return connectPage(hub.url, isSilent ? { ...options, handle: byHand } : options);
}

/** Calls a tool again and again for as long as what is done goes on; at least once. */
async function callsDuring(done: Promise<unknown>, call: () => Promise<Answer>): Promise<readonly number[]> {
  const statuses: number[] = [];
  let isDone = false;
  const whenDone = done.finally(() => (isDone = true));
  do statuses.push((await call()).status);
  while (!isDone);
  await whenDone;
  return statuses;
}

const times = (count: number, of: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => of(at)));

test("OA13, OA33, OI5: floods of made-up tokens, keys, sign-ins and questions of one address stop nobody else", async () => {
  const team = await besiegeTeam({ introspection: true });
  const [ask, flood] = [askFrom(team), askFrom(team, "127.0.0.9")];
  const { eve, ada } = await tokensOf(team);
  const { sign } = signerOf(team);
  const unknown = await newKey("ES256");
  await offer(team, ask, { token: eve, name: "work" });
  const floods: Readonly<Record<string, (at: number) => Promise<Answer>>> = {
    "made-up opaque tokens": (at) => flood("GET /api/app", `${at}`.padStart(43, "x")),
    "tokens with random keys": async (at) => flood("GET /api/app", await sign({}, { kid: `evil-${at}` }, unknown)),
    "made-up keys": (at) => flood("GET /api/app", `pagewire-key.${"x".repeat(16)}.${`${at}`.padStart(43, "x")}`),
    "begun sign-ins": (at) => flood(`GET /sign-in?provider=${at % 2 ? "acme" : "globex"}&returnTo=/${at}`),
    "ways back": (at) => flood(`GET /sign-in/callback?code=${at}&state=${"x".repeat(43)}`),
    "questions for metadata": () => flood("GET /.well-known/oauth-protected-resource/mcp"),
    "logout tokens": (at) =>
      flood("POST /sign-in/back-channel", undefined, {
        ...{ body: `logout_token=${at}.e30.x`, headers: { "Content-Type": "application/x-www-form-urlencoded" } },
      }),
    "keys of one's own": (at) => flood("POST /api/keys", ada, { body: { name: `${at}` } }),
  };
  const tally = startTally(
    "floods of teams",
    "floods of tokens, keys, sign-ins and questions of one address, while somebody of another signs in and calls",
    "answered by name; every honest call and sign-in answered",
  );
  const must = "answered by name; every honest call and sign-in answered";
  const call = () => ask("POST /api/call/work", eve, { body: {} });
  team.globex.signInAs("eve");
  for (const [name, send] of Object.entries(floods)) {
    const browser = openBrowser();
    const sent = times(100, async (at) => {
      const { status } = await send(at);
      tally.add(`${name} ${at}`, status < 500 ? must : status);
    });
    const honest = await callsDuring(sent, call);
    await signInWith(browser, team.hub.url, "provider=globex");
    tally.add(`calls beside ${name}`, honest.every((status) => status === 200) ? must : honest);
    tally.add(`sign-in beside ${name}`, isSignedIn(browser) ? must : "not signed in");
  }
  const { keys } = JSON.parse((await ask("GET /api/keys", ada)).text) as { readonly keys: readonly unknown[] };
  tally.add("keys of one person", keys.length, 20);
  tally.add("a key of another", (await ask("POST /api/keys", eve, { body: { name: "laptop" } })).status, 200);
  tally.close();
});

test("TM54: what one organisation floods is refused by name, and another's calls go on", async () => {
  const organisationLimits = { calls: 20, callRate: 200, callBurst: 200, sockets: 20, tabs: 5, answers: 2 };
  const team = await besiegeTeam({ organisationLimits });
  const [ask, flood] = [askFrom(team), askFrom(team)];
  const { sign } = signerOf(team);
  const { ada, eve } = await tokensOf(team);
  await offer(team, ask, { token: eve, name: "work" });
  const silent = await offer(team, flood, { token: ada, name: "hang", isSilent: true });
  const people = await Promise.all(Array.from({ length: 8 }, (_, at) => sign({ sub: `p${at}` })));
  const tally = startTally(
    "floods of teams",
    "calls, sockets, tabs and MCP sessions of one organisation's people beyond what it may use",
    "refused by name; every call of another answered",
  );
  const must = "refused by name; every call of another answered";
  const call = () => ask("POST /api/call/work", eve, { body: {} });
  const beside = async (name: string, done: Promise<unknown>) => {
    const honest = await callsDuring(done, call);
    tally.add(`calls beside ${name}`, honest.every((status) => status === 200) ? must : honest);
  };
  const refused: number[] = [];
  const sent = times(60, async (at) => {
    const { status } = await flood("POST /api/call/hang", ada, { body: {} });
    if (status === 429) refused.push(at);
    else tally.add(`call ${at}`, status === 502 ? must : status);
  });
  await beside("calls", expect.poll(() => refused.length).toBe(40));
  // Calls in flight end with their page.
  silent.socket.terminate();
  for (const at of refused) tally.add(`call ${at}`, must);
  const opened = await Promise.allSettled(
    Array.from({ length: 40 }, (_, at) => connectAgent(team.hub.url, { token: people[at % 8] as string, ca })),
  );
  const welcome = opened.filter(({ status }) => status === "fulfilled").length;
  tally.add("sockets", welcome <= 20 ? must : welcome);
  await beside("sockets", Promise.resolve());
  const pages = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => offer(team, flood, { token: ada, name: `tab-${at}` })),
  );
  const tabs = pages.filter(({ status }) => status === "fulfilled").length;
  tally.add("tabs", tabs <= 5 ? must : tabs);
  await beside("tabs", Promise.resolve());
  const initialize = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  };
  const headers = { Accept: "application/json, text/event-stream" };
  await beside(
    "MCP sessions",
    times(150, async (at) => {
      const { status } = await flood("POST /mcp", people[at % 8] as string, { body: initialize, headers });
      tally.add(`session ${at}`, status === 200 || status === 429 ? must : status);
    }),
  );
  await sent;
  const own = await ask("POST /mcp", eve, { body: initialize, headers });
  tally.add("a session of another", own.status, 200);
  expect(team.hub.process.exitCode).toBeNull();
  tally.close();
});
