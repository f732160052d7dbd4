// Budgets and rates over three hubs, over a real NATS server and real sockets.
import { onTestFinished, expect, test } from "vitest";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { parsePolicy } from "../../policy/index.ts";
import { parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { startCore } from "../doors/core/core.test-helper.ts";
import { sayAlways } from "../doors/core/model.test-helper.ts";
import { openStore } from "../store/index.ts";
import type { TestAgent } from "../test-support/agent.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { agentAt, startHubs } from "./hubs.test-helper.ts";
import { parseMessages } from "./messages.ts";
import { connectNats } from "./nats-bus.ts";

const patience = { timeout: 20_000, interval: 50 };

/** The use that hubs have sent each other. */
async function watchUse(servers: string): Promise<readonly JsonObject[]> {
  const bus = await connectNats({ servers });
  onTestFinished(() => bus.close());
  const told: JsonObject[] = [];
  bus.subscribe("pagewire.default.state", (bytes) => {
    for (const { kind, words, body } of parseMessages(bytes)) {
      const { use } = (kind === "state" && words[0] === "use" && parseJsonObject(String(body), 8)) || {};
      if (Array.isArray(use)) told.push(...(use as JsonObject[]));
    }
  });
  return told;
}

let calls = 0;

/** Calls until a call is refused with this code; resolves with the number of those that were not. */
async function callUntilRefused(agent: TestAgent, code: string): Promise<number> {
  for (let begun = 0; begun < 100; begun++) {
    const { frame } = await agent.call("work", { id: `${++calls}` });
    if (frame.type === "failure") {
      expect(frame).toMatchObject({ code, ran: "no" });
      return begun;
    }
  }
  throw new Error("No call was refused.");
}

async function countOver(code: string, what: string, options: Parameters<typeof startHubs>[0]): Promise<void> {
  const { a, b, c, nats } = await startHubs(options);
  const told = await watchUse(nats.url);
  await connectPage(b.url);
  const [atA, atB, atC] = [await agentAt(a), await agentAt(b), await agentAt(c)];
  expect(await callUntilRefused(atA, code)).toBe(10);
  const counted = () => told.map((use) => Number((use["counted"] as JsonObject | undefined)?.[what] ?? 0));
  await expect.poll(() => counted().reduce((sum, one) => sum + one, 0), patience).toBe(10);
  // The message is at the others now, or will be in a moment.
  expect(await callUntilRefused(atB, code)).toBeLessThan(10);
  expect(await callUntilRefused(atC, code)).toBeLessThan(10);
}

test("MH61: over NATS, calls that began at one hub use up the rate at the others", async () => {
  const limits = { callBurstPerPrincipal: 10, callRatePerPrincipal: 0.001 };
  await countOver("calls-too-many", "calls 0.001 10", { limits });
});

test("MH62: over NATS, calls at one hub use up the rate of a policy's rule at the others", async () => {
  const text = JSON.stringify({ rules: [{ tool: "work", rate: "10/day", decision: "allow" }] });
  await countOver("policy-rate", "rule 10/86400000/each rule 1", { policy: () => parsePolicy(text) });
});

test("MH60: over NATS, sockets at one hub count at the others", async () => {
  const { a, b, nats } = await startHubs({ limits: { socketsPerPrincipal: 3 } });
  const told = await watchUse(nats.url);
  for (const tab of ["1", "2", "3"]) await connectPage(a.url, { tab });
  await expect
    .poll(() => told.map((use) => (use["amounts"] as JsonObject)["socketsPerPrincipal"]), patience)
    .toContain(3);
  // The first may come before the message does.
  let admitted = 0;
  const isAdmitted = () =>
    agentAt(b).then(
      () => true,
      () => false,
    );
  while (admitted < 10 && (await isAdmitted())) admitted++;
  expect(admitted).toBeLessThan(3);
});

test("MH65: over NATS and PostgreSQL, tokens of a model that were used at one hub are refused at another", async () => {
  const database = await newDatabase();
  const model = sayAlways("Hi.", 60);
  const ai = { provider: "openai", model: "m", apiKey: "sk-server", fetch: model.fetch, quota: 100 } as const;
  const { a, b, nats } = await startHubs({ ai, store: () => openStore({ database }) });
  const told = await watchUse(nats.url);
  const early = await startCore(b.url, { origin: shop });
  const client = await startCore(a.url, { origin: shop });
  await client.run("send", "one", {});
  await client.run("send", "two", {});
  const tokens = () => told.map((use) => Number((use["counted"] as JsonObject | undefined)?.["tokens"] ?? 0));
  await expect.poll(() => tokens().reduce((sum, one) => sum + one, 0), patience).toBe(120);
  const over = { code: "quota-exceeded" };
  await expect((await startCore(b.url, { origin: shop })).run("send", "three", {})).rejects.toMatchObject(over);
  // The one that was there before reads the database again, in a moment at the latest.
  await expect.poll(() => early.run("send", "three", {}).then(String, ({ code }) => code), patience).toBe(over.code);
  expect(model.requests.length).toBeLessThanOrEqual(3);
});
