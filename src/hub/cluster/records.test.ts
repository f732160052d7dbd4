import { expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { delegate, askTerminals, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { askOwn, errorOf, exchange, mintCode } from "../test-support/own.test-helper.ts";
import {
  connectTab,
  listBrowsers,
  pairBrowser,
  refusedTab,
  removeBrowser,
} from "../test-support/extension.test-helper.ts";
import { connectPage, offerOf } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { agentAt, listOf } from "./hubs.test-helper.ts";
import { startRuledCluster } from "./ruled-hubs.test-helper.ts";
import type { RuledCluster, RuledHub } from "./ruled-hubs.test-helper.ts";

const tool = (name: string, description = "As it was.") =>
  ({ name, description, inputSchema: { type: "object" } }) as const;

const startTwo = async (cluster: RuledCluster): Promise<[RuledHub, RuledHub]> => [
  await cluster.start("a"),
  await cluster.start("b"),
];

const asAgent = (hub: RuledHub, asked: string, body?: object) =>
  askOwn(hub, asked, { token: hub.token, origin: undefined, ...(body && { body: JSON.stringify(body) }) });

/** A page's tools, as an agent at this hub sees them. */
const toolsAt = async (agent: Awaited<ReturnType<typeof agentAt>>) => {
  const { tools } = await listOf(agent);
  return tools.filter((name) => !name.includes("tab"));
};

/** How an agent is shown the tool `pay`. */
async function descriptionAt(agent: Awaited<ReturnType<typeof agentAt>>): Promise<string | undefined> {
  agent.send({ type: "list", id: crypto.randomUUID(), what: "offer" });
  const { payload } = await agent.next("listing");
  const { tools } = JSON.parse(payload) as { readonly tools: readonly ReturnType<typeof tool>[] };
  return tools.find(({ name }) => name === "pay")?.description;
}

const offer = async (page: TestPage, ...tools: readonly ReturnType<typeof tool>[]) => {
  page.send({ type: "offer" }, offerOf(tools));
  await page.settled();
};

test("MH55: a tool that is accepted at one hub is in the agents' lists of all", async () => {
  const [a, b] = await startTwo(await startRuledCluster({ pin: true }));
  const page = await connectPage(a.url, { tools: [tool("look")] });
  const [atA, atB] = [await agentAt(a), await agentAt(b)];
  for (const agent of [atA, atB]) await expect.poll(() => toolsAt(agent)).toEqual(["look"]);
  await offer(page, tool("look"), tool("pay"));
  const waiting = async (hub: RuledHub) =>
    ((await asAgent(hub, "GET /api/pins")).body as { waiting: { name: string }[] }).waiting.map(({ name }) => name);
  await expect.poll(() => waiting(b)).toEqual(["pay"]);
  expect((await asAgent(b, "POST /api/pins/accept", { origin: shop, name: "pay" })).status).toBeLessThan(300);
  for (const agent of [atA, atB]) await expect.poll(() => toolsAt(agent)).toEqual(["look", "pay"]);
  await expect.poll(() => waiting(a)).toEqual([]);
});

test("MH56: hubs that see an origin's first offers at the same time end with the same pins", async () => {
  const [a, b] = await startTwo(await startRuledCluster({ pin: true }));
  const [atA, atB] = [await agentAt(a), await agentAt(b)];
  await Promise.all([
    connectPage(a.url, { tab: "one", tools: [tool("pay", "As one page says.")] }),
    connectPage(b.url, { tab: "two", tools: [tool("pay", "As another says.")] }),
  ]);
  for (const agent of [atA, atB]) await expect.poll(() => toolsAt(agent)).toEqual(["pay"]);
  const described = async () => [await descriptionAt(atA), await descriptionAt(atB)];
  await expect.poll(async () => new Set(await described()).size).toBe(1);
  expect(["As one page says.", "As another says."]).toContain((await described())[0]);
});

test("MH55: who signs in at one hub is known at all at once, and who signs out is signed out everywhere", async () => {
  const [a, b] = await startTwo(await startRuledCluster());
  // Its sign-ins are in memory from now on.
  await exchange(b, await mintCode(b, b.token));
  const { body } = await exchange(a, await mintCode(a, a.token));
  const token = String(body?.["token"]);
  expect((await askOwn(b, "GET /api/app", { token })).status).toBe(200);
  const agent = await connectAgent(b.url, { token });
  expect((await askOwn(a, "POST /api/sign-out", { token })).status).toBeLessThan(300);
  expect(await agent.closeName()).toBe("token-expired");
  expect(errorOf(await askOwn(b, "GET /api/app", { token }))).toEqual([401, "token-expired"]);
});

test("MH55: a browser that is removed at one hub loses its pages at all, also where the bus was away", async () => {
  const cluster = await startRuledCluster();
  const [a, b] = await startTwo(cluster);
  const code = async () =>
    String((await askOwn(a, "POST /api/browser-codes", { token: a.key, origin: undefined })).body?.["code"]);
  const pair = async (name: string) => (await pairBrowser(a, { code: await code(), name })).token;
  const [one, two] = [await pair("One"), await pair("Two")];
  const pages = [await connectTab(b, one, { tab: "one" }), await connectTab(b, two, { tab: "two" })];
  const remove = async (name: string) => {
    const found = (await listBrowsers(a)).find((each) => each["name"] === name);
    expect((await removeBrowser(a, found?.["id"], a.token)).status).toBeLessThan(300);
  };
  await remove("One");
  expect(await pages[0]?.closeName()).toBe("token-expired");
  expect(await refusedTab(b, { token: one, claims: "https://news.example" })).toMatchObject({ code: "token-expired" });
  await cluster.nats.stop();
  await expect.poll(() => b.records.some(({ event }) => event === "bus-down")).toBe(true);
  await remove("Two");
  await cluster.nats.start();
  expect(await pages[1]?.closeName()).toBe("token-expired");
  await expect.poll(() => listBrowsers(b)).toEqual([]);
});

test("MH55: a terminal that is opened or ended at one hub is so at all", async () => {
  const [a, b] = await startTwo(await startRuledCluster());
  const known = await openTerminal(b);
  const page = await connectPage(a.url);
  const terminal = await openTerminal(a, page.tabId);
  expect((await delegate(b, terminal)).json).not.toMatchObject({ code: "token-expired" });
  expect((await askTerminals(a, `DELETE /api/terminals/${known.id}`)).status).toBeLessThan(300);
  await expect.poll(async () => (await delegate(b, known)).json["code"]).toBe("token-expired");
});
