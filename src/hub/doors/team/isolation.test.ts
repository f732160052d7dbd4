// Somebody who governs one organisation has all ids of another's, and tries them on every route: each answer is the one that
// an id which never was gets, and names nothing of the other.
import { once } from "node:events";
import { expect, test } from "vitest";
import { openTerminal } from "../delegate/delegate.test-helper.ts";
import { modern, openSession } from "../mcp/test-support/raw-mcp.test-helper.ts";
import { openStream } from "../read/read.test-helper.ts";
import { routes } from "../../http/routes.ts";
import { connectAgent } from "../../test-support/agent.test-helper.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { askOwn, exchange, mintCode } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { openSocket } from "../../test-support/peer.test-helper.ts";
import { pageTokenOf, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";
import type { TeamHub } from "../../team/test-support/team-world.test-helper.ts";

/** The ids of things, of which each request names some. */
interface Ids {
  readonly tab: string;
  readonly call: string;
  readonly terminal: string;
  readonly session: string;
  readonly conversation: string;
  readonly person: string;
  readonly service: string;
  readonly signIn: string;
  readonly origin: string;
  readonly tool: string;
  readonly code: string;
  readonly terminalToken: string;
}

const unknown: Ids = {
  tab: "1".repeat(32),
  call: "2".repeat(32),
  terminal: "3".repeat(32),
  session: "4".repeat(32),
  conversation: "5".repeat(32),
  person: "nobody/ada",
  service: "never-was",
  signIn: `${"f".repeat(16)}.${Buffer.from("nobody/ada").toString("base64url")}`,
  origin: "https://never.example",
  tool: "never_was",
  code: "6".repeat(43),
  terminalToken: "7".repeat(43),
};

interface Try {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** "new": the answer is something new of the caller's own. Streams have a test of their own. */
type Row = "new" | "stream" | ((ids: Ids) => readonly Try[]);

const plain =
  (path: string, body?: object): Row =>
  () => [{ path, ...(body && { body }) }];
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const path = encodeURIComponent;

const inSession =
  (at: string): Row =>
  ({ tab, session, tool }) =>
    [rpc("tools/call", { name: tool, arguments: {} }), rpc("tools/list", {}), rpc("resources/list", {})].map(
      (body) => ({
        path: at.replace("TAB", tab),
        body,
        headers: { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" },
      }),
    );
const ofSession =
  (at: string): Row =>
  ({ tab, session }) => [
    { path: at.replace("TAB", tab), headers: { "Mcp-Session-Id": session, Accept: "text/event-stream" } },
  ];
const delegated =
  (at: string): Row =>
  ({ terminal, terminalToken, tab }) => [
    { path: at, body: { browser_id: terminal, action: "x", tabId: tab } },
    { path: at, body: { browser_id: terminal }, headers: { Authorization: `Bearer x${terminalToken}` } },
  ];

const rows: Readonly<Record<string, Row>> = {
  // First: what is tried later is recorded as well, a little after it.
  "GET /api/calls": ({ call, tab, tool }) => [
    { path: "/api/calls" },
    { path: `/api/calls?tab=${tab}` },
    { path: `/api/calls?tool=${tool}` },
    { path: `/api/calls?key=acmes-key` },
    { path: `/api/calls?call=${call}` },
  ],
  "GET /metrics": plain("/metrics"),
  "POST /api/call/*": ({ tool, tab }) => [
    { path: `/api/call/${tool}`, body: {} },
    { path: `/api/call/${tool}`, body: {}, headers: { "Pagewire-Tab": tab } },
    { path: `/api/call/${tool}`, body: {}, headers: { "Idempotency-Key": "acmes-key" } },
    { path: "/api/call/call_tab_tool", body: { tabId: tab, name: tool, arguments: {} } },
    { path: "/api/call/list_tab_tools", body: { tabId: tab } },
    { path: "/api/call/list_browser_tabs", body: {} },
  ],
  "POST /api/codes": "new",
  "POST /api/owner-codes": plain("/api/owner-codes", {}),
  "POST /api/browser-codes": "new",
  "GET /api/browsers": plain("/api/browsers"),
  "DELETE /api/browsers/*": ({ signIn }) => [{ path: `/api/browsers/${path(signIn)}` }],
  "POST /api/sign-in": ({ code }) => [{ path: "/api/sign-in", body: { code: `x${code}` } }],
  "POST /api/challenge": "new",
  "POST /api/session": plain("/api/session", { key: "x" }),
  "GET /api/sessions": plain("/api/sessions"),
  "DELETE /api/sessions/*": ({ signIn }) => [{ path: `/api/sessions/${path(signIn)}` }],
  "POST /api/sign-out": plain("/api/sign-out", {}),
  "GET /api/app": plain("/api/app"),
  "GET /api/conversations": plain("/api/conversations"),
  "DELETE /api/conversations/*": ({ conversation }) => [{ path: `/api/conversations/${conversation}` }],
  "GET /api/consents": plain("/api/consents"),
  "DELETE /api/consents/*": ({ conversation }) => [{ path: `/api/consents/${conversation}` }],
  "GET /api/pins": plain("/api/pins"),
  "POST /api/pins/*": ({ origin }) =>
    ["accept", "remove"].map((what) => ({ path: `/api/pins/${what}`, body: { origin } })),
  "GET /api/status": plain("/api/status"),
  "GET /api/tabs": plain("/api/tabs"),
  "POST /api/tabs/*": ({ tab }) =>
    ["end", "close", "return"].map((what) => ({ path: `/api/tabs/${tab}/${what}`, body: {} })),
  "GET /api/agents": plain("/api/agents"),
  "GET /api/calls/stream": "stream",
  "GET /api/calls/summary": plain("/api/calls/summary?since=2000-01-01T00:00:00.000Z&until=2000-01-02T00:00:00.000Z"),
  "GET /api/calls/*": ({ call }) => [{ path: `/api/calls/${call}` }],
  "GET /api/clients": plain("/api/clients"),
  "GET /api/policy": plain("/api/policy"),
  "POST /api/policy/test": ({ person, tool }) => [{ path: "/api/policy/test", body: { principal: person, tool } }],
  "PUT /api/policy": plain("/api/policy", { rules: [] }),
  "DELETE /api/policy": plain("/api/policy"),
  "GET /api/origins": plain("/api/origins"),
  "POST /api/origins": ({ origin }) => [{ path: "/api/origins", body: { origin } }],
  "DELETE /api/origins/*": ({ origin }) => [{ path: `/api/origins/${path(origin)}` }],
  "GET /api/model": plain("/api/model"),
  "GET /api/models": plain("/api/models"),
  "GET /api/quota": plain("/api/quota"),
  "POST /api/model/test": plain("/api/model/test", {}),
  "PUT /api/model": plain("/api/model", {}),
  "GET /api/waits": plain("/api/waits"),
  "GET /api/waits/stream": "stream",
  "GET /api/waits/*": ({ call }) => [{ path: `/api/waits/${call}` }],
  "POST /api/waits/*": ({ call }) => [{ path: `/api/waits/${call}`, body: { answer: "allow" } }],
  "OPTIONS /api/page-tokens": "new",
  "POST /api/page-tokens": ({ person }) => [
    {
      path: "/api/page-tokens",
      body: { origin: "https://shop.example", subject: person.split("/")[1] === "ada" ? "none" : person },
    },
    { path: "/api/page-tokens", body: { origin: "https://shop.example", subject: person } },
  ],
  "GET /api/team/me": plain("/api/team/me"),
  "GET /api/keys": plain("/api/keys"),
  "POST /api/keys": plain("/api/keys", { name: "x" }),
  "DELETE /api/keys/*": ({ signIn }) => [{ path: `/api/keys/${path(signIn)}` }],
  "GET /api/team/people": ({ person }) => [
    { path: "/api/team/people" },
    { path: `/api/team/people?after=zz${path(person)}` },
  ],
  "POST /api/team/people/*": ({ person }) => [{ path: `/api/team/people/${path(person)}`, body: { blocked: true } }],
  "DELETE /api/team/people/*": ({ person }) => [{ path: `/api/team/people/${path(person)}/access` }],
  "GET /api/team/sessions": ({ person }) => [
    { path: "/api/team/sessions" },
    { path: `/api/team/sessions?principal=${path(person)}` },
  ],
  "DELETE /api/team/sessions/*": ({ signIn }) => [{ path: `/api/team/sessions/${path(signIn)}` }],
  "GET /api/team/services": plain("/api/team/services"),
  "POST /api/team/services": "new",
  "POST /api/team/services/*": ({ service }) => [{ path: `/api/team/services/${service}/keys`, body: {} }],
  "DELETE /api/team/services/*": ({ service }) => [{ path: `/api/team/services/${service}` }],
  "GET /api/team/quotas": plain("/api/team/quotas"),
  "PUT /api/team/quotas": ({ person }) => [{ path: "/api/team/quotas", body: { people: { [person]: { day: 1 } } } }],
  "GET /api/team/use": ({ person }) => [{ path: "/api/team/use" }, { path: `/api/team/use?after=zz${path(person)}` }],
  "GET /api/team/policy": plain("/api/team/policy"),
  "PUT /api/team/policy": plain("/api/team/policy", { rules: [] }),
  "DELETE /api/team/policy": plain("/api/team/policy"),
  "POST /api/team/policy/test": ({ person, tool }) => [
    { path: "/api/team/policy/test", body: { principal: person, tool } },
  ],
  "GET /api/team/budgets": plain("/api/team/budgets"),
  "PUT /api/team/budgets": plain("/api/team/budgets", { budgets: {} }),
  "GET /api/team/audit": ({ call, person }) => [
    { path: `/api/team/audit?call=${call}` },
    { path: "/api/team/audit?kind=terminal" },
    { path: `/api/team/audit?principal=${path(person)}` },
  ],
  "GET /api/team/audit/stream": "stream",
  "GET /api/team/calls/*": ({ person }) => [{ path: `/api/team/calls/${path(person)}` }],
  "GET /api/team/pins/*": ({ person }) => [{ path: `/api/team/pins/${path(person)}` }],
  "POST /api/team/pins/*": ({ person, origin }) =>
    ["accept", "remove"].map((what) => ({ path: `/api/team/pins/${path(person)}/${what}`, body: { origin } })),
  "GET /api/team/consents/*": ({ person }) => [{ path: `/api/team/consents/${path(person)}` }],
  "DELETE /api/team/consents/*": ({ person }) => [{ path: `/api/team/consents/${path(person)}?id=x` }],
  "GET /api/team/model": plain("/api/team/model"),
  "PUT /api/team/model": plain("/api/team/model", {}),
  "DELETE /api/team/model": plain("/api/team/model"),
  "POST /api/parent-window/tools": ({ conversation }) => [
    { path: "/api/parent-window/tools", body: { session_id: conversation, tools: [] } },
  ],
  "POST /api/browser-delegate": delegated("/api/browser-delegate"),
  "POST /api/browser-delegate/stream": delegated("/api/browser-delegate/stream"),
  "GET /api/browser-delegate/actions": plain("/api/browser-delegate/actions"),
  "POST /api/v1/browser-delegate": delegated("/api/v1/browser-delegate"),
  "POST /api/v1/browser-delegate/stream": delegated("/api/v1/browser-delegate/stream"),
  "GET /api/v1/browser-delegate/actions": plain("/api/v1/browser-delegate/actions"),
  "POST /api/shell-codes": plain("/api/shell-codes", {}),
  "GET /api/shells": plain("/api/shells"),
  "POST /api/shells": plain("/api/shells", {}),
  "DELETE /api/shells/*": ({ terminal }) => [{ path: `/api/shells/${terminal}` }],
  "POST /api/terminals": "new",
  "POST /api/terminals/*": ({ terminal, tab }) =>
    ["attach", "detach", "tabs"].map((what) => ({ path: `/api/terminals/${terminal}/${what}`, body: { tab } })),
  "DELETE /api/terminals/*": ({ terminal }) => [{ path: `/api/terminals/${terminal}` }],
  "POST /mcp": (ids) => [
    ...(inSession("/mcp") as (ids: Ids) => readonly Try[])(ids),
    ...["tools/call", "resources/read", "prompts/get", "completion/complete"].map((method) => {
      const params = { name: ids.tool, uri: ids.origin, arguments: {}, ref: { type: "ref/prompt", name: ids.tool } };
      return { path: "/mcp", ...only(modern(method, params)) };
    }),
    ...["tools/list", "resources/list", "prompts/list"].map((method) => ({
      path: "/mcp",
      ...only(modern(method, {})),
    })),
  ],
  "GET /mcp": ofSession("/mcp"),
  "DELETE /mcp": ofSession("/mcp"),
  "POST /mcp/tabs/*": (ids) => [
    ...(inSession("/mcp/tabs/TAB") as (ids: Ids) => readonly Try[])(ids),
    { path: `/mcp/tabs/${ids.tab}`, ...only(modern("tools/list", {})) },
    { path: `/mcp/tabs/${ids.tab}`, ...only(modern("tools/call", { name: ids.tool, arguments: {} })) },
  ],
  "GET /mcp/tabs/*": ofSession("/mcp/tabs/TAB"),
  "DELETE /mcp/tabs/*": ofSession("/mcp/tabs/TAB"),
};

function only({ headers, body }: ReturnType<typeof modern>): Pick<Try, "headers" | "body"> {
  return { headers: headers as Record<string, string>, body: body as object };
}

/** Fills a hub with things of acme, of each of which globex knows the id. */
async function acmesThings(hub: TeamHub): Promise<Ids> {
  const acme = { ...hub, token: hub.keys.acme };
  const { tabId: tab } = await connectPage(hub.url, {
    token: await pageTokenOf("acme:service/admin"),
    origin: "https://shop.example",
    app: "acmes-app",
    tools: ["acmes_tool"],
  });
  await callTool(acme, "acmes_tool", { headers: { "Idempotency-Key": "acmes-key" } });
  const terminal = await openTerminal(acme, tab);
  const { id: session } = await openSession(acme);
  await hub.acme("POST services", { name: "acmes-deploy", scopes: ["tools"], expiresIn: 3_600_000 });
  await hub.acme("PUT policy", { rules: [{ name: "acmes-rule", tool: "acmes_secret", decision: "deny" }] });
  await hub.acme("PUT budgets", { budgets: { tabsPerPrincipal: 7 } });
  await exchange(hub, await mintCode(hub, hub.keys.acme));
  const code = await mintCode(hub, hub.keys.acme);
  const conversation = "a".repeat(32);
  const messages = [{ role: "user", content: "acmes words" }];
  await hub.store.write({ principal: "acme:service/admin", id: conversation }, { keep: 0, messages });
  const { body: signedIn = {} } = await hub.acme("GET sessions?principal=acme:service/admin");
  const [{ id: signIn = "" } = {}] = signedIn["sessions"] as readonly { readonly id?: string }[];
  const find = async () =>
    ((await askOwn(hub, "GET /api/calls", { token: hub.keys.acme, origin: undefined })).body?.["calls"] ??
      []) as readonly {
      readonly id: string;
    }[];
  await expect.poll(async () => (await find()).length).toBeGreaterThan(0);
  return {
    ...{ tab, terminal: terminal.id, terminalToken: terminal.token, session, code },
    ...{ call: (await find())[0]?.id ?? "", conversation, signIn },
    ...{ person: "acme/ada", service: "acmes-deploy", origin: "https://acmes.example", tool: "acmes_tool" },
  };
}

const varying =
  /\d{4}-\d\d-\d\dT[\d:.]+Z|"(now|milliseconds|uptime|retryAfter|\w*[aA]t)":[^,}]*|"session_id":"[0-9a-f]+"/g;

/** The answer to globex, with the ids that it sent taken out. */
async function answerTo(
  hub: TeamHub,
  { method, path: at, body, headers = {} }: Try & { method: string },
  ids: Ids,
): Promise<string> {
  const response = await fetch(`${hub.url}${at}`, {
    method,
    headers: {
      Authorization: `Bearer ${hub.keys.globex}`,
      Accept: "application/json, text/event-stream",
      ...(body && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  let text = `${response.status} ${await response.text()}`;
  for (const [name, id] of Object.entries(ids)) text = text.replaceAll(id, `<${name}>`);
  return at === "/metrics" ? String(response.status) : text.replaceAll(varying, "<varying>");
}

test("TM48: every route has a row of what an admin of another organisation tries there", () => {
  const names = routes.flatMap(({ method, path, access, isUpgrade }) =>
    isUpgrade || access === "public" || access === "visitor" ? [] : [`${method} ${path}`],
  );
  expect(Object.keys(rows).toSorted()).toEqual(names.toSorted());
});

test("TM48: on every route ids of another organisation are answered like ids that never were, and change nothing", async () => {
  const hub = await startTeamHub();
  const ids = await acmesThings(hub);
  const wrong: string[] = [];
  for (const [route, row] of Object.entries(rows)) {
    if (typeof row === "string") continue;
    const [method = ""] = route.split(" ");
    const [leaked, never] = [row(ids), row(unknown)];
    for (const [index, one] of leaked.entries()) {
      const found = await answerTo(hub, { method, ...one }, ids);
      const expected = await answerTo(hub, { method, ...(never[index] ?? one) }, unknown);
      if (found !== expected || /acme/.test(found)) wrong.push(`${route} ${one.path}: ${found} instead of ${expected}`);
    }
  }
  expect(wrong).toEqual([]);
  expect((await callTool({ ...hub, token: hub.keys.acme }, "acmes_tool")).status).toBe(200);
  expect((await hub.acme("GET policy")).body).toMatchObject({ rules: [{ label: "organisation acmes-rule" }] });
  expect((await hub.acme("GET budgets")).body).toMatchObject({ budgets: { tabsPerPrincipal: 7 } });
  expect(JSON.stringify((await hub.acme("GET services")).body)).toContain("acmes-deploy");
  expect((await hub.acme("GET sessions?principal=acme:service/admin")).body).toMatchObject({
    sessions: [{ id: ids.signIn }],
  });
  expect(await hub.store.list("acme:service/admin")).toHaveLength(1);
  expect((await hub.acme("GET people")).body).toMatchObject({
    people: [{ principal: "acme/ada", blocked: false }, {}, {}],
  });
});

test("TM48: a socket for another organisation's window is closed like one for none", async () => {
  const hub = await startTeamHub();
  const offer = { token: hub.keys.acme, origin: undefined, body: JSON.stringify({ tools: [] }) };
  const { body } = await askOwn(hub, "POST /api/parent-window/tools", offer);
  const closed = async (id: string) => {
    const headers = { Authorization: `Bearer ${hub.keys.globex}` };
    const { socket } = await openSocket(`${hub.url}/ws/parent-window/${id}`, { headers });
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    return [code, reason.toString()];
  };
  expect(await closed(String(body?.["session_id"]))).toEqual(await closed("5".repeat(32)));
});

test("TM48: streams and sockets of one organisation hear nothing of another", async () => {
  const hub = await startTeamHub();
  const globex = { ...hub, token: hub.keys.globex };
  const stream = await openStream(globex);
  const agent = await connectAgent(hub.url, { token: hub.keys.globex });
  agent.send({ type: "watch", on: true });
  const ids = await acmesThings(hub);
  await connectPage(hub.url, { token: await pageTokenOf("globex:service/admin"), tools: ["own_tool"] });
  expect((await agent.call("acmes_tool", { id: "1", tab: ids.tab })).frame).toMatchObject({ code: "tab-not-found" });
  expect((await agent.call("acmes_tool", { id: "2" })).frame).toMatchObject({ code: "tool-not-found" });
  expect((await agent.call("own_tool", { id: "3", key: "acmes-key" })).frame.type).toBe("result");
  await expect.poll(() => JSON.stringify(stream.events)).toContain("own_tool");
  await agent.settled();
  const own = new RegExp(`${ids.tab}|acmes-app|acme:`);
  const heard = agent.received.filter(({ frame }) => frame.type !== "failure");
  expect(JSON.stringify(heard)).not.toMatch(own);
  expect(JSON.stringify(stream.events)).not.toMatch(/acmes-app|acme:/);
});
