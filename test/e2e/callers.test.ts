// Many concurrent callers, and callers that disconnect in the middle of a call and reconnect.
import type { Transport } from "@modelcontextprotocol/client";
import { connectHub } from "pagewire/hub-client";
import type { HubClient } from "pagewire/hub-client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { fileURLToPath } from "node:url";
import { recordFault } from "../support/record-fault.ts";
import { connectStdio } from "./support/stdio-client.ts";
import type { Tab } from "./support/tab.ts";
import { callerOf, countsOf, createWorld, started, tabIdOf } from "./support/world.ts";
import type { World } from "./support/world.ts";

let world: World;
let tab: Tab;

beforeAll(async () => {
  // On a slow machine a client takes its time.
  world = await createWorld({ limits: { listReadTime: 60_000 } });
  tab = await world.openShop();
});

afterAll(() => world.close());

function connect(name: string): Promise<HubClient> {
  return connectHub({ url: world.hub.url, token: world.token, agent: { name }, WebSocket });
}

test("a caller that loses its connection and retries without a key gets the result of the one run", async () => {
  const leaving = new AbortController();
  const first = world.call("hold", { tag: "twin" }, { signal: leaving.signal });
  await started(tab, "twin");
  leaving.abort();
  await expect(first).rejects.toThrow();
  const second = world.call("hold", { tag: "twin" });
  await tab.evaluate("finish()");
  expect(await second).toMatchObject({ outcome: "ok", replay: true, result: { structuredContent: { tag: "twin" } } });
  expect(await countsOf(tab, "twin")).toEqual({ ran: 1, aborted: 0 });
  recordFault("callers", {
    fault: "caller cut off, sends again without a key",
    expected: "one run",
    observed: "ok, replayed, one run",
    count: 1,
  });
});

test("a caller that loses its connection and retries with its key gets the result of the one run", async () => {
  const leaving = new AbortController();
  const first = world.call("hold", { tag: "keyed" }, { key: "cut-key", signal: leaving.signal });
  await started(tab, "keyed");
  leaving.abort();
  await expect(first).rejects.toThrow();
  const second = world.call("hold", { tag: "keyed" }, { key: "cut-key" });
  await tab.evaluate("finish()");
  const third = await world.call("hold", { tag: "keyed" }, { key: "cut-key" });
  expect(await second).toMatchObject({ outcome: "ok", replay: true });
  expect(third).toMatchObject({ outcome: "ok", replay: true });
  expect(await countsOf(tab, "keyed")).toEqual({ ran: 1, aborted: 0 });
  recordFault("callers", {
    fault: "caller cut off, sends again with its key",
    expected: "one run",
    observed: "ok, replayed, one run",
    count: 1,
  });
});

test("when a caller loses its connection and stays away, its tool is aborted", async () => {
  const leaving = new AbortController();
  const call = world.call("never", { tag: "stays-away" }, { signal: leaving.signal });
  await started(tab, "stays-away");
  leaving.abort();
  await expect(call).rejects.toThrow();
  await tab.waitFor("localStorage.getItem('aborted:stays-away') === '1'");
  recordFault("callers", {
    fault: "caller cut off, stays away",
    expected: "handler aborted",
    observed: "handler aborted after two seconds",
    count: 1,
  });
});

test("a key with other arguments is refused and runs nothing", async () => {
  await world.call("echo", { tag: "one" }, { key: "conflict" });
  const refused = await world.call("echo", { tag: "two" }, { key: "conflict" });
  expect(refused).toMatchObject({ status: 409, outcome: "rejected", error: { code: "key-conflict" } });
  expect(await countsOf(tab, "two")).toMatchObject({ ran: 0 });
});

test("agents that call many tabs at the same time each get their own results, progress and logs", async () => {
  const tabs = [tab, await world.openShop(), await world.openShop("/again")];
  const ids = await Promise.all(tabs.map(tabIdOf));
  const agents = await Promise.all(["one", "two", "three"].map(connect));
  const calls = agents.flatMap((agent, who) =>
    ids.flatMap((tabId, where) =>
      Array.from({ length: 10 }, async (_, turn) => {
        const tag = `agent${who}-tab${where}-${turn}`;
        const heard: unknown[] = [];
        const outcome = await agent.call({
          name: "steps",
          tab: tabId,
          arguments: { tag },
          onProgress: ({ message }) => heard.push(message),
          onLog: ({ data }) => heard.push(JSON.stringify(data)),
        });
        const foreign = heard.filter((word) => !String(word).includes(`${tag}`));
        return { tag, outcome: outcome.outcome, result: outcome.result, count: heard.length, foreign };
      }),
    ),
  );
  for (const { tag, outcome, result, count, foreign } of await Promise.all(calls)) {
    expect({ outcome, foreign, count }).toEqual({ outcome: "ok", foreign: [], count: 6 });
    expect(result).toMatchObject({ structuredContent: { tag } });
  }
  for (const agent of agents) agent.close();
  recordFault("callers", {
    fault: "three agents call three tabs at once with the same ids",
    expected: "nothing crosses",
    observed: "nothing crossed",
    count: calls.length,
  });
});

test("a question goes to the caller that can answer it, and to the page's user otherwise", async () => {
  const agent = await connectHub({
    url: world.hub.url,
    token: world.token,
    agent: { name: "asked" },
    WebSocket,
    onAsk: { "elicitation/create": async ({ message }) => ({ action: "accept", content: { heard: message ?? null } }) },
  });
  const answered = await agent.call({ name: "question", arguments: { tag: "to the agent" } });
  expect(answered.result).toMatchObject({
    structuredContent: { answer: { action: "accept", content: { heard: "to the agent" } } },
  });
  agent.close();
  await tab.activate();
  const inPage = callerOf(world.hub.url, world.token)("question", { tag: "to the user" }, { tab: await tabIdOf(tab) });
  await tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
  await tab.press("Escape");
  expect(await inPage).toMatchObject({
    outcome: "ok",
    result: { structuredContent: { answer: { action: "cancel" } } },
  });
});

test("cancelling reaches the page, and the caller gets the outcome at once", async () => {
  const agent = await connect("canceller");
  const cancelling = new AbortController();
  const call = agent.call({ name: "never", arguments: { tag: "cancelled" }, signal: cancelling.signal });
  await started(tab, "cancelled").catch(() => undefined);
  cancelling.abort();
  expect(await call).toMatchObject({ outcome: "cancelled" });
  await tab.waitFor("localStorage.getItem('aborted:cancelled') === '1'");
  agent.close();
});

test("an agent at `pagewire mcp` has read of a tool that its call brought about before it has the call's result", async () => {
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const env = { PAGEWIRE_URL: world.hub.url, PAGEWIRE_TOKEN: world.token };
  const agent = await connectStdio(main, { args: ["mcp"], env });
  onTestFinished(() => agent.close());
  const order: string[] = [];
  const transport = agent.client.transport as Transport;
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const { result } = message as { readonly result?: object };
    if (result) order.push("tools" in result ? `list ${JSON.stringify(result).includes("open_safe")}` : "result");
    receive?.(message, extra);
  };
  await agent.client.listTools();
  const read = agent.toldOf((tools) => tools.some(({ name }) => name === "open_safe"));
  await agent.client.callTool({ name: "unlock", arguments: { tag: "safe" } });
  await read;
  expect(order).toEqual(["list false", "list true", "result"]);
});
