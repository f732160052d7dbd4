// Somebody who governs one organisation has the ids of another's things, in every writing; and those who lost their access hold
// on to what they have open.
import { request } from "node:https";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { openPage as openOwnPage, signInWith } from "../../../src/hub/team/test-support/team-hub.test-helper.ts";
import { routes } from "../../../src/hub/http/routes.ts";
import { connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { certificate } from "../../support/certificates.ts";
import { appOrigin, askFrom, besiegeTeam, signerOf, tokensOf } from "./besieged-team.test-helper.ts";
import type { Answer, BesiegedTeam } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

const ca = certificate.cert;
const read = ({ text }: Answer) => JSON.parse(text) as Readonly<Record<string, string>>;

type Ask = ReturnType<typeof askFrom>;

async function connectAppPage({ hub }: BesiegedTeam, ask: Ask, token: string) {
  const made = await ask("POST /api/page-tokens", token, { body: { origin: appOrigin, app: "shop" } });
  const options = { ca, origin: appOrigin, app: "shop", token: read(made)["token"] ?? "", tools: ["acmes_tool"] };
  return connectPage(hub.url, options);
}

/** Fills acme with things, of each of which eve of globex has the id. */
async function acmesThings(team: BesiegedTeam, ask: Ask, { ada, amy }: { readonly ada: string; readonly amy: string }) {
  const { tabId: tab } = await connectAppPage(team, ask, ada);
  expect((await ask("POST /api/call/acmes_tool", ada, { body: {} })).status).toBe(200);
  const { key: serviceKey = "" } = read(await ask("POST /api/team/services", amy, { body: { name: "acmes-deploy" } }));
  const { id: key = "", key: personalKey = "" } = read(await ask("POST /api/keys", ada, { body: { name: "laptop" } }));
  await signInWith(openBrowser(), team.hub.url);
  const list = async (path: string, name: string) =>
    JSON.parse((await ask(`GET ${path}`, amy)).text)[name] as readonly {
      readonly id: string;
      readonly kind?: string;
    }[];
  const sessions = await list("/api/team/sessions?principal=acme%2Fada", "sessions");
  const findCalls = () => list("/api/team/calls/acme%2Fada", "calls");
  await expect.poll(async () => (await findCalls()).length).toBeGreaterThan(0);
  const call = (await findCalls())[0]?.id ?? "";
  const ids = {
    ...{ tab, call, key, signIn: sessions.find(({ id }) => id.includes("."))?.id ?? "", person: "acme/ada" },
    ...{ service: "acmes-deploy", account: "acme:service/acmes-deploy", tool: "acmes_tool" },
  };
  return { ids, serviceKey, personalKey };
}

type Writing = (id: string) => string;

const twice: Writing = (id) => encodeURIComponent(encodeURIComponent(id));
const writings: readonly Writing[] = [
  encodeURIComponent,
  twice,
  (id) => id,
  (id) => encodeURIComponent(id).toLowerCase(),
  (id) => `globex%2Feve%2F..%2F..%2F${encodeURIComponent(id)}`,
  (id) => `x/../${id}`,
  (id) => `%2e%2e%2f${encodeURIComponent(id)}`,
  (id) => `${encodeURIComponent(id)}%00`,
];

/** The ends of paths that do something to what is named before. */
const ends: Readonly<Record<string, string>> = {
  "POST /api/tabs/*": "/close",
  "DELETE /api/team/people/*": "/access",
  "POST /api/team/services/*": "/keys",
  "POST /api/team/pins/*": "/remove",
  "DELETE /api/team/consents/*": "?id=x",
  "POST /api/terminals/*": "/detach",
};

test("TM48: in no writing does an id of another organisation name anything, at any route", async () => {
  const team = await besiegeTeam();
  const ask = askFrom(team);
  const tokens = await tokensOf(team);
  const { eve, ada, amy } = tokens;
  const { ids, serviceKey, personalKey } = await acmesThings(team, ask, tokens);
  const tally = startTally(
    "organisations",
    "ids of another organisation's people, keys, sign-ins, tabs and calls at every route, in several writings, and in queries and bodies",
    "not there",
  );
  const isTold = (text: string, ...said: readonly string[]) =>
    /acme|Lovelace|laptop/i.test(said.reduce((left, each) => left.replaceAll(each, ""), text));
  // In the form of a call's.
  const never = "2".repeat(32);
  const attemptIn = (write: Writing) => async (name: string, of: (id: string) => Promise<Answer>, id: string) => {
    const { status, text } = await of(id);
    // Requests that name nothing may succeed, as they do for an unknown id.
    const isSame = status >= 400 || (await of(never)).text.replaceAll(never, "") === text.replaceAll(id, "");
    tally.add(
      `${name} ${id}`,
      isSame && status < 500 && !isTold(text, write(id), encodeURIComponent(id), id)
        ? "not there"
        : `${status} ${text}`,
    );
  };
  const attempt = attemptIn(twice);
  const { tab, call, person, account } = ids;
  // First: what is tried later is recorded for the attacker.
  for (const query of ["team/audit?call=", "calls?call="])
    await attempt(query, (each) => ask(`GET /api/${query}${each}`, eve), call);
  const named = routes.filter(
    ({ path, isUpgrade, access }) => !isUpgrade && path.endsWith("*") && ["agent", "person", "admin"].includes(access),
  );
  const body = { blocked: true, origin: appOrigin, answer: "allow", name: "x" };
  for (const { method, path } of named) {
    const route = `${method} ${path}`;
    const sent = method === "GET" ? {} : { body };
    const tried = path.startsWith("/mcp/") ? { tab: ids.tab } : ids;
    for (const id of Object.values(tried))
      for (const [at, write] of (id === person ? writings : writings.slice(0, 1)).entries())
        await attemptIn(write)(
          `${route} ${at}`,
          (each) => ask(route.replace("*", write(each)) + (ends[route] ?? ""), eve, sent),
          id,
        );
  }
  for (const id of [person, account, "acme", "acme/", "acme:", "*", "acme/*"])
    for (const query of [
      ...["team/audit?principal=", "team/sessions?principal=", "team/audit/stream?principal=", "calls?principal="],
    ])
      await attempt(query, (each) => ask(`GET /api/${query}${encodeURIComponent(each)}`, eve), id);
  for (const id of [person, account, "acme/amy", "ada", "amy"]) {
    const bodies: readonly [string, (id: string) => object][] = [
      ["POST /api/team/policy/test", (principal) => ({ principal, tool: "x" })],
      ["PUT /api/team/quotas", (each) => ({ people: { [each]: { day: 1 } } })],
      ["POST /api/page-tokens", (subject) => ({ origin: appOrigin, subject })],
    ];
    for (const [asked, of] of bodies) await attempt(asked, (each) => ask(asked, eve, { body: of(each) }), id);
  }
  for (const id of [tab, `${tab}%00`, tab.toUpperCase()])
    await attempt(
      "a call",
      (each) => ask("POST /api/call/acmes_tool", eve, { body: {}, headers: { "Pagewire-Tab": each } }),
      id,
    );
  tally.add("acme's tool", (await ask("POST /api/call/acmes_tool", ada, { body: {} })).status, 200);
  for (const key of [serviceKey, personalKey])
    tally.add("acme's keys", (await ask("GET /api/team/me", key)).status, 200);
  const sessions = await ask("GET /api/team/sessions?principal=acme%2Fada", amy);
  tally.add("ada's sign-in", sessions.text.includes(ids.signIn), true);
  tally.close();
});

/** Opens a stream of a hub, and resolves once it is open. */
async function openStream({ hub }: BesiegedTeam, path: string, headers: Readonly<Record<string, string>>) {
  const asking = request(`${hub.url}${path}`, {
    ca,
    agent: false,
    headers: { Accept: "text/event-stream", ...headers },
  });
  onTestFinished(() => void asking.destroy());
  asking.end();
  const [response] = (await once(asking, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} answers ${response.statusCode}.`);
  response.resume();
  const ended = new Promise<void>((resolve) => {
    response.on("close", resolve);
    response.on("error", () => resolve());
  });
  return { ended };
}

async function openMcpSession(ask: Ask, token: string): Promise<Record<string, string>> {
  const version = "2025-11-25";
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const { headers } = await ask("POST /mcp", token, {
    body: { jsonrpc: "2.0", id: 1, method: "initialize", params },
    headers: { Accept: "application/json, text/event-stream" },
  });
  return { "Mcp-Session-Id": String(headers["mcp-session-id"]), "MCP-Protocol-Version": version };
}

test("TM4, TM5, TM53: whoever is blocked loses everything that is open, an admin's streams too, and gets nothing new", async () => {
  const team = await besiegeTeam();
  const ask = askFrom(team);
  const { amy } = await tokensOf(team);
  const all = { scope: "tools tools:destructive admin", groups: ["staff", "boss"] };
  const ann = await signerOf(team).sign({ sub: "ann", ...all });
  team.acme.signInAs("amy");
  const browser = openBrowser();
  await signInWith(browser, team.hub.url);
  const ownPage = await openOwnPage(browser, team.hub.url);
  const { key = "" } = read(await ask("POST /api/keys", amy, { body: { name: "laptop" } }));
  const made = await ask("POST /api/page-tokens", amy, { body: { origin: appOrigin, app: "shop" } });
  const pageToken = read(made)["token"] ?? "";
  const page = await connectPage(team.hub.url, { ca, origin: appOrigin, app: "shop", token: pageToken });
  const agents = [amy, key].map((token) => connectAgent(team.hub.url, { token, ca }));
  const session = await openMcpSession(ask, amy);
  const bearer = { Authorization: `Bearer ${amy}` };
  const open: Readonly<Record<string, Promise<unknown>>> = {
    "a page": page.closed,
    "an agent by a token": (await (agents[0] as (typeof agents)[0])).closed,
    "an agent by a key": (await (agents[1] as (typeof agents)[0])).closed,
    "a stream of MCP": (await openStream(team, "/mcp", { ...bearer, ...session })).ended,
    "a stream of the audit": (await openStream(team, "/api/team/audit/stream", bearer)).ended,
    "a stream of calls": (await openStream(team, "/api/calls/stream", bearer)).ended,
    "a stream of calls by a key": (await openStream(team, "/api/calls/stream", { Authorization: `Bearer ${key}` }))
      .ended,
    "a stream of calls by a page": (
      await openStream(team, "/api/calls/stream", {
        ...{ Origin: team.hub.url, Authorization: `Bearer ${await ownPage.bearer()}` },
      })
    ).ended,
  };
  const blocked = (is: boolean) => ask("POST /api/team/people/acme%2Famy", ann, { body: { blocked: is } });
  expect((await blocked(true)).status).toBe(200);
  const tally = startTally("organisations", "what a blocked admin has open: sockets, streams and sessions", "ended");
  for (const [name, ended] of Object.entries(open)) tally.add(name, (await ended, "ended"));
  tally.close();

  const later = startTally(
    "organisations",
    "credentials of a blocked admin, and those from before once the block is lifted",
    "refused",
  );
  const attempts = async (when: string) => {
    const outcome = ({ status, text }: Answer) => ([401, 403].includes(status) ? "refused" : `${status} ${text}`);
    for (const asked of [
      "GET /api/app",
      "GET /api/team/people",
      "POST /mcp",
      "POST /api/keys",
      "POST /api/page-tokens",
      "POST /api/codes",
    ]) {
      const more = asked.startsWith("GET") ? {} : { body: { origin: appOrigin, name: "x" } };
      for (const [name, token] of Object.entries({ token: amy, key }))
        later.add(`${when}: ${asked} by ${name}`, outcome(await ask(asked, token, more)));
    }
    const { status } = await browser.ask(team.hub.url, "POST /api/page-tokens", {
      origin: appOrigin,
      body: { app: "shop" },
    });
    later.add(`${when}: by cookie`, [401, 403].includes(status) ? "refused" : status);
    const again = connectPage(team.hub.url, { ca, origin: appOrigin, app: "shop", token: pageToken });
    later.add(
      `${when}: a page`,
      await again.then(
        () => "welcome",
        () => "refused",
      ),
    );
    later.add(`${when}: MCP`, outcome(await ask("POST /mcp", amy, { headers: session, body: {} })));
  };
  await attempts("blocked");
  expect((await blocked(false)).status).toBe(200);
  await attempts("later");
  later.close();
});
