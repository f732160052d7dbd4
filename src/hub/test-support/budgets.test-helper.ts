// How one user exceeds each budget: the table must have an attempt for each row of `wire/budgets.ts`.
import { request } from "node:http";
import type { BudgetName, Limits } from "../../wire/index.ts";
import { connectAgent, openAgent, agentHelloOf } from "./agent.test-helper.ts";
import type { TestAgent } from "./agent.test-helper.ts";
import { startCore } from "../doors/core/core.test-helper.ts";
import { settle } from "../doors/core/talk.test-helper.ts";
import { openSession, modern, sendRaw } from "../doors/mcp/test-support/raw-mcp.test-helper.ts";
import { offerTools, openWindow, parentTool, postTools } from "../doors/window/window.test-helper.ts";
import type { HubDoor } from "./http.test-helper.ts";
import { askOwn, mintCode, signIn } from "./own.test-helper.ts";
import { pairBrowser } from "./extension.test-helper.ts";
import { byHand, connectPage, helloOf, openPage, offerOf, plainResult } from "./page.test-helper.ts";
import type { TestPage, TestPageOptions } from "./page.test-helper.ts";
import { askRaw, upgradeLines } from "./raw.test-helper.ts";
import type { Store } from "../store/index.ts";

/** A user with a token for pages and one for agents. */
export interface User extends HubDoor {
  readonly name: string;
  readonly pageToken: string;
  readonly port: number;
  readonly store: Store;
}

interface Attempt {
  /** The limit in this attempt. */
  readonly most: number;
  readonly limits?: Partial<Limits>;
  /** Whether the hub needs a database. */
  readonly isStored?: true;
  /** Exceeds the limit; returns the hub's answer. */
  exceed(user: User): Promise<unknown>;
}

const call = (agent: TestAgent, id: string, more: object = {}) => agent.call("work", { id, ...more });
const agentOf = (user: User) => connectAgent(user.url, { token: user.token });
const pageOf = (user: User, options: TestPageOptions = {}) =>
  connectPage(user.url, { token: user.pageToken, ...options });

/** The hub's answer to a page that says hello and offers these tools. */
async function offerRefused(user: User, options: TestPageOptions = {}): Promise<unknown> {
  const page = await openPage(user.url, options);
  page.send(helloOf({ token: user.pageToken, ...options }));
  void page.next("welcome").then(
    () => page.send({ type: "offer" }, offerOf(options.tools)),
    () => {},
  );
  return (await page.next("refused")).frame;
}

/** Makes calls until one is refused, while none is answered. */
async function callTwice(user: User, more: object = {}): Promise<unknown> {
  await pageOf(user, { handle: byHand });
  const agent = await agentOf(user);
  void call(agent, "1", more).catch(() => {});
  return (await call(agent, "2", more)).frame;
}

/** Makes calls until one is refused, while each is answered. */
async function callOn(user: User): Promise<unknown> {
  await pageOf(user);
  const agent = await agentOf(user);
  for (let at = 0; ; at++) {
    const { frame } = await call(agent, `${at}`);
    if (frame.type === "failure") return frame;
  }
}

const megabyte = 1024 * 1024;

/** Requests many large results without reading any. */
async function readNothing(user: User): Promise<void> {
  const large = JSON.stringify({ content: [{ type: "text", text: "x".repeat(megabyte) }] });
  const page = await pageOf(user, { handle: byHand });
  const agent = await agentOf(user);
  agent.socket.pause();
  for (let at = 0; at < 24; at++) void call(agent, `${at}`).catch(() => {});
  for (let at = 0; at < 24; at++) {
    page.result((await page.nextCall()).id, large);
    await page.settled();
  }
}

/** Starts requests whose bodies never complete; resolves when they are disconnected. */
async function sendSlowly(user: User): Promise<void> {
  const headers = {
    Authorization: `Bearer ${user.token}`,
    "Content-Type": "application/json",
    "Content-Length": 300_000,
  };
  const begin = async () => {
    const sent = request(`${user.url}/api/call/work`, { method: "POST", headers, agent: false });
    sent.on("error", () => {});
    sent.write("x".repeat(200_000));
    await new Promise((resolve) => sent.on("close", resolve));
  };
  await Promise.all([begin(), begin()]);
}

/** Makes calls with keys, whose outcomes are stored. */
async function callWithKeys(user: User): Promise<void> {
  await pageOf(user);
  const agent = await agentOf(user);
  for (const key of ["1", "2", "3"]) await call(agent, key, { key });
}

const twoSessions = async (user: User) => {
  await openSession(user);
  await openSession(user);
};

const listening = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });

async function takeLongResults(user: User): Promise<void> {
  const text = "line\n".repeat(400);
  const tool = { name: "work", inputSchema: { type: "object" }, _meta: { "pagewire/maxResultBytes": 256 } } as const;
  const handle = ({ id }: { readonly id: string }, page: TestPage) => {
    page.ack(id);
    page.result(id, JSON.stringify({ content: [{ type: "text", text }] }));
  };
  await pageOf(user, { tools: [tool], handle });
  const agent = await agentOf(user);
  await call(agent, "1");
  await call(agent, "2");
}

async function replayMuch(user: User): Promise<void> {
  const page = await pageOf(user, { handle: byHand });
  const session = await openSession(user);
  const running = session.request("tools/call", { name: "work", arguments: {}, _meta: { progressToken: 1 } });
  const { id } = await page.nextCall();
  page.send({ type: "progress", id, progress: 1 });
  page.result(id, plainResult);
  await running.whole();
}

async function writeConversations({ store, name }: User): Promise<void> {
  for (const digit of "123")
    await store.write(
      { principal: name, id: digit.repeat(32) },
      { keep: 0, messages: [{ role: "user", content: "x".repeat(1000) }] },
    );
}

async function openWindows(user: User): Promise<unknown> {
  const offer = { origin: "https://shop.example", tools: [parentTool("pay")] };
  await openWindow(user, await offerTools(user, offer));
  return (await postTools(user, offer)).body;
}

async function makeTerminals(user: User): Promise<unknown> {
  const make = () =>
    askOwn(user, "POST /api/terminals", { token: user.token, origin: undefined, body: JSON.stringify({ name: "t" }) });
  await make();
  return (await make()).body;
}

async function askTwice(user: User): Promise<unknown> {
  const [one, other] = [
    await startCore(user.url, { token: user.token }),
    await startCore(user.url, { token: user.token }),
  ];
  void one.run("send", "never", {}).catch(() => {});
  await one.until(({ content }) => content === "Once");
  return other.run("send", "never", {}).catch((error: unknown) => ({ ...Object(error), message: String(error) }));
}

/** Always allows two of the window's tools. */
async function allowTools(user: User): Promise<void> {
  const client = await startCore(user.url, { token: user.token });
  const tools = [parentTool("one"), parentTool("two")];
  const session = await offerTools(user, { tools, session_id: client.session });
  const window = await openWindow(user, session, { onCall: (came) => window.answer(came, "done") });
  for (const prompt of ["one", "two"]) await settle(client, { prompt }, { approved: true, scope: "always" });
}

async function upgradeTooOften(user: User): Promise<unknown> {
  await Promise.all([agentOf(user), agentOf(user)]);
  const lines = [`GET /agent HTTP/1.1`, `Host: 127.0.0.1:${user.port}`, ...upgradeLines, "", ""];
  return askRaw(user.port, lines.join("\r\n"));
}

async function comeAsStrangers(user: User): Promise<unknown> {
  const [first] = [await openAgent(user.url), await openAgent(user.url), await openAgent(user.url)];
  return (await first.next("refused")).frame;
}

const largeTool = { name: "large", description: "x".repeat(5000), inputSchema: { type: "object" as const } };

/** Keeps a call with a key running, which cannot be evicted. */
async function fillWithKeys(user: User): Promise<unknown> {
  const page = await pageOf(user, { handle: byHand });
  const agent = await agentOf(user);
  const given = { arguments: JSON.stringify({ text: "x".repeat(1000) }) };
  const first = call(agent, "1", { ...given, key: "1" });
  const { id } = await page.nextCall();
  const { frame } = await call(agent, "2", { ...given, key: "2" });
  page.result(id, plainResult);
  await first;
  return frame;
}

export const attempts: Readonly<Record<BudgetName, Attempt>> = {
  tabsPerPrincipal: {
    most: 1,
    async exceed(user) {
      await pageOf(user, { tab: "1" });
      return offerRefused(user, { tab: "2" });
    },
  },
  socketsPerPrincipal: {
    most: 2,
    async exceed(user) {
      await Promise.all([agentOf(user), agentOf(user)]);
      const third = await openAgent(user.url);
      third.send(agentHelloOf({ token: user.token }));
      return (await third.next("refused")).frame;
    },
  },
  offersPerPrincipal: { most: 1, exceed: (user) => offerRefused(user, { tools: ["one", "two"] }) },
  offeredBytesPerPrincipal: { most: 2000, exceed: (user) => offerRefused(user, { tools: [largeTool] }) },
  callsPerPrincipal: { most: 1, exceed: callTwice },
  callBytesPerPrincipal: {
    most: 1500,
    exceed: (user) => callTwice(user, { arguments: JSON.stringify({ text: "x".repeat(1000) }) }),
  },
  callRatePerPrincipal: { most: 1, limits: { callBurstPerPrincipal: 3 }, exceed: callOn },
  callBurstPerPrincipal: { most: 3, limits: { callRatePerPrincipal: 1 }, exceed: callOn },
  queuedBytesPerPrincipal: { most: 2 * megabyte, exceed: readNothing },
  arrivingBytesPerPrincipal: { most: 100_000, limits: { requestTime: 500 }, exceed: sendSlowly },
  mcpSessionsPerPrincipal: { most: 1, exceed: twoSessions },
  mcpStreamsPerPrincipal: {
    most: 1,
    async exceed(user) {
      await sendRaw(user, listening).next();
      return (await sendRaw(user, listening).whole()).text;
    },
  },
  replayBytesPerPrincipal: { most: 100, exceed: replayMuch },
  windowsPerPrincipal: { most: 1, exceed: openWindows },
  terminalsPerPrincipal: { most: 1, exceed: makeTerminals },
  answersPerPrincipal: { most: 1, exceed: askTwice },
  partsBytesInAll: { most: 2500, exceed: takeLongResults },
  keyBytes: { most: 200, exceed: callWithKeys },
  conversationsPerPrincipal: { most: 2, exceed: writeConversations },
  conversationBytesPerPrincipal: { most: 2500, isStored: true, exceed: writeConversations },
  usedKeysPerPrincipal: { most: 2, limits: { pruneTime: 1000 }, isStored: true, exceed: callWithKeys },
  consentsPerPrincipal: { most: 1, exceed: allowTools },
  codesPerPrincipal: {
    most: 1,
    async exceed(user) {
      await mintCode(user, user.token);
      await mintCode(user, user.token);
    },
  },
  appSessionsPerPrincipal: {
    most: 1,
    async exceed(user) {
      await signIn(user, user.token);
      await signIn(user, user.token);
    },
  },
  browsersPerPrincipal: {
    most: 1,
    async exceed(user) {
      await pairBrowser(user);
      await pairBrowser(user);
    },
  },
  queuedBytesInAll: { most: 2 * megabyte, exceed: readNothing },
  arrivingBytesInAll: { most: 100_000, exceed: sendSlowly },
  keyBytesInAll: { most: 500, exceed: fillWithKeys },
  offeredBytesInAll: { most: 2000, exceed: (user) => offerRefused(user, { tools: [largeTool] }) },
  socketsInAll: { most: 4, exceed: upgradeTooOften },
  strangerSocketsInAll: { most: 2, exceed: comeAsStrangers },
  mcpSessions: { most: 1, exceed: twoSessions },
};
