// A tenant that exceeds any of its budgets is refused by name, and other tenants do not notice. The floods measure the
// memory that the default budgets allow.
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectAgent, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { askTerminals } from "../../../src/hub/doors/delegate/delegate.test-helper.ts";
import { modern, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { errorOf } from "../../../src/hub/test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, offerOf, openPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { besiegeHub } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";
import { startBystander } from "./bystander.test-helper.ts";
import type { Bystander } from "./bystander.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** Small, so that each is soon exhausted; the bystander has budgets of its own. */
const limits = {
  tabsPerPrincipal: 10,
  socketsPerPrincipal: 25,
  offersPerPrincipal: 100,
  offeredBytesPerPrincipal: "1MiB",
  callsPerPrincipal: 20,
  queuedBytesPerPrincipal: "4MiB",
  mcpStreamsPerPrincipal: 5,
  terminalsPerPrincipal: 4,
  strangerSockets: 40,
};

let besieged: BesiegedHub;
let bystander: Bystander;
let url: string;

beforeEach(async () => {
  besieged = await besiegeHub(Object.entries(limits).flatMap(([name, value]) => ["--limit", `${name}=${value}`]));
  url = besieged.hub.url;
  bystander = await startBystander(besieged);
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

const expectedOf = (most: number, code: string) => (at: number) => (at < most ? "welcome" : code);

/** The outcome of a page's hello: it is open, or the name with which the hub closed it. */
async function sayHello(tab: number): Promise<string | undefined> {
  const page = await openPage(url);
  page.send(helloOf({ tab: `tab-${tab}`, token: await besieged.pageToken("mallory") }));
  await page.verdict();
  await page.settled();
  return page.link.open ? "welcome" : page.closeName();
}

test("one tenant's tabs and sockets are refused beyond its budget, by name, also those without a hello", async () => {
  const tally = startTally("budgets", "tabs and sockets of one tenant beyond its budget", "refused by name");
  const ofTab = expectedOf(limits.tabsPerPrincipal, "tabs-too-many");
  for (let tab = 0; tab < 15; tab++) tally.add(`tab ${tab}`, await sayHello(tab), ofTab(tab));
  // Each sends its credential with the upgrade, and never sends hello.
  const { token } = await besieged.door("mallory");
  const left = limits.socketsPerPrincipal - limits.tabsPerPrincipal;
  for (let agent = 0; agent < 20; agent++) {
    const silent = await openAgent(url, { headerToken: token });
    await silent.settled();
    tally.add(
      `a silent agent ${agent}`,
      silent.link.open ? "open" : await silent.closeName(),
      agent < left ? "open" : "sockets-too-many",
    );
  }
  await bystander.expectUnharmed();
  tally.close();
});

test("one tenant's offers are refused beyond its budget, in number and in bytes, by name", async () => {
  const tally = startTally(
    "budgets",
    "tools and bytes that one tenant's pages offer beyond its budget",
    "refused by name",
  );
  const token = await besieged.pageToken("mallory");
  const schema = { type: "object" as const, properties: {}, description: "x".repeat(20_000) };
  const offers = {
    "offers-too-many": Array.from({ length: limits.offersPerPrincipal + 1 }, (_, at) => `tool_${at}`),
    "offers-too-large": Array.from({ length: 90 }, (_, at) => ({ name: `large_${at}`, inputSchema: schema })),
  };
  for (const [code, tools] of Object.entries(offers)) {
    const page = await openPage(url);
    page.send(helloOf({ tab: code, token }));
    await page.next("welcome");
    page.send({ type: "offer" }, offerOf(tools));
    tally.add(code, (await page.next("refused")).frame.code, code);
  }
  await bystander.expectUnharmed();
  tally.close();
});

test("one tenant's calls and streams are refused beyond its budget, by name", async () => {
  const tally = startTally(
    "budgets",
    "calls in flight, streams and terminals of one tenant beyond its budget",
    "refused by name",
  );
  const door = await besieged.door("mallory");
  const page = await connectPage(url, { token: await besieged.pageToken("mallory"), handle: byHand });
  const agent = await connectAgent(url, { token: door.token });
  for (let at = 0; at < 40; at++)
    agent.send({ type: "call", id: String(at), method: "tools/call", name: "work" }, "{}");
  for (let at = limits.callsPerPrincipal; at < 40; at++)
    tally.add("a call beyond", (await agent.next("failure")).frame.code, "calls-too-many");
  expect((await callTool(door, "work")).status).toBe(429);
  await page.settled();
  expect(page.calls).toHaveLength(limits.callsPerPrincipal);
  const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  for (let stream = 0; stream < limits.mcpStreamsPerPrincipal; stream++) await sendRaw(door, listen).next();
  for (let stream = 0; stream < 5; stream++)
    tally.add("a stream beyond", (await sendRaw(door, listen).whole()).status, 503);
  for (let terminal = 0; terminal < 8; terminal++) {
    const answer = errorOf(await askTerminals(door, "POST /api/terminals", {}));
    tally.add(
      "a terminal",
      answer[1] ?? "made",
      terminal < limits.terminalsPerPrincipal ? "made" : "terminals-too-many",
    );
  }
  await bystander.expectUnharmed();
  tally.close();
});

test("an agent that reads nothing is disconnected at its tenant's budget, by name", async () => {
  const tally = startTally("budgets", "results of 1 MB for an agent that reads nothing", "cut off");
  const payload = JSON.stringify({ content: [{ type: "text", text: "x".repeat(1_000_000) }] });
  await connectPage(url, {
    token: await besieged.pageToken("mallory"),
    handle({ id }, page) {
      page.ack(id);
      page.result(id, payload);
    },
  });
  const { token } = await besieged.door("mallory");
  for (let round = 0; round < 3; round++) {
    const agent = await connectAgent(url, { token });
    agent.socket.pause();
    for (let at = 0; at < limits.callsPerPrincipal; at++)
      agent.send({ type: "call", id: `${round}-${at}`, method: "tools/call", name: "work" }, "{}");
    const metric = `pagewire_over_budget_total{budget="queuedBytesPerPrincipal"}`;
    while ((await besieged.metric(metric)) <= round);
    tally.add(`round ${round}`, "cut off");
    agent.socket.terminate();
  }
  await bystander.expectUnharmed();
  tally.close();
});

test("anonymous clients with silent sockets do not keep out clients with a credential", async () => {
  const tally = startTally(
    "budgets",
    "sockets without a credential, which say nothing, beside pages and agents with one",
    "let in",
  );
  const strangers = Array.from({ length: 3 * limits.strangerSockets }, () => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/page`, { headers: { Origin: shop } });
    socket.on("error", () => {});
    return socket;
  });
  await Promise.all(strangers.map((socket) => Promise.race([once(socket, "open"), once(socket, "close")])));
  const { token } = await besieged.door("mallory");
  for (let visit = 0; visit < 5; visit++) {
    tally.add("an agent", await openAgent(url, { headerToken: token }).then(() => "let in", String));
    tally.add("a call", (await callTool({ url, token }, "list_browser_tabs")).status === 200 ? "let in" : "refused");
  }
  expect(strangers.filter(({ readyState }) => readyState === WebSocket.OPEN).length).toBeLessThanOrEqual(
    limits.strangerSockets,
  );
  for (const socket of strangers) socket.terminate();
  await bystander.expectUnharmed();
  tally.close();
});
