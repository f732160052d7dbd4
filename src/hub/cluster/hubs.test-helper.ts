// Several hubs over one NATS server, which are closed after the test.
import { expect, onTestFinished } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import type { NatsServer } from "../../../test/support/start-nats.ts";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { openStore } from "../store/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import type { TestAgent, TestAgentOptions } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import type { TabInfo } from "../../wire/index.ts";
import type { HubOptions } from "../options/options.ts";

export interface TestHubs {
  readonly a: TestHub;
  readonly b: TestHub;
  readonly c: TestHub;
  readonly nats: NatsServer;
}

export async function startHubs(options: Partial<HubOptions> = {}): Promise<TestHubs> {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const start = (hubName: string) => startHub({ cluster: { nats: nats.url, hubName }, ai: "none", ...options });
  const [a, b, c] = await Promise.all([start("a"), start("b"), start("c")]);
  return { a, b, c, nats };
}

/** Hubs with a database that all share. */
export async function startSharingHubs(options: Partial<HubOptions> = {}): Promise<TestHubs> {
  const database = await newDatabase();
  return startHubs({ store: () => openStore({ database }), ...options });
}

/** An agent at a hub, once it is welcome. */
export function agentAt(hub: TestHub, options: TestAgentOptions = {}): Promise<TestAgent> {
  return connectAgent(hub.url, { token: hub.token, ...options });
}

/**
 * The same, once its hub has the tool: that of another hub, which does not answer in a quarter of a second, is not waited for.
 */
export async function callerAt(hub: TestHub, options: TestAgentOptions = {}, tool = "work"): Promise<TestAgent> {
  const agent = await agentAt(hub, options);
  await expect.poll(async () => (await listOf(agent)).tools).toContain(tool);
  return agent;
}

let lists = 0;

/** An agent's view: the tabs without the times, and the names of the tools that it may call. */
export async function listOf(agent: TestAgent) {
  const list = async (what: "tabs" | "offer") => {
    const id = `list-${++lists}`;
    agent.send({ type: "list", id, what });
    const { payload } = await agent.next("listing");
    return JSON.parse(payload) as unknown;
  };
  const tabs = (await list("tabs")) as TabInfo[];
  const { tools } = (await list("offer")) as { tools: { name: string }[] };
  // Each hub lists them in the order in which it came to know them.
  const byId = tabs.toSorted((a, b) => a.tabId.localeCompare(b.tabId));
  return { tabs: byId.map((tab) => ({ ...tab, lastSeen: "" })), tools: tools.map(({ name }) => name).toSorted() };
}
