// Hubs at several NATS servers, which pass on to each other what they get.
import { expect, onTestFinished, test, vi } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { createFaultProxy } from "../../testing/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { agentAt, listOf } from "./hubs.test-helper.ts";

/** Two servers, with a route between them that a test can cut, and a hub at each. */
async function startTwo() {
  const cluster = (routes: string) => `cluster { name: "two", host: "127.0.0.1", port: -1, routes: [${routes}] }`;
  const first = await startNats(cluster(""));
  onTestFinished(() => first.close());
  const route = await createFaultProxy({ target: { host: "127.0.0.1", port: first.clusterPort ?? 0 } });
  onTestFinished(() => route.close());
  const second = await startNats(cluster(`"nats://127.0.0.1:${route.port}"`));
  onTestFinished(() => second.close());
  const noticed: string[] = [];
  const start = (hubName: string, nats: string) =>
    startHub({ cluster: { nats, hubName }, ai: "none", log: ({ event }) => void noticed.push(`${hubName} ${event}`) });
  const [a, b] = [await start("a", first.url), await start("b", second.url)];
  await vi.waitUntil(() => ["a hub-joined", "b hub-joined"].every((event) => noticed.includes(event)), patience);
  return { a, b, route, noticed };
}

const patience = { timeout: 30_000, interval: 20 };

test("MH44: what is lost while the route between two brokers is cut is noticed, and a call that was on the way runs once", async () => {
  const { a, b, route, noticed } = await startTwo();
  const page = await connectPage(b.url);
  const agent = await agentAt(a);
  const shown = async () => (await listOf(agent)).tabs;
  await vi.waitFor(async () => expect(await shown()).toMatchObject([{ tabId: page.tabId }]), patience);
  route.refuse(true);
  route.reset();
  const call = agent.call("work", { id: "1" });
  page.send({ type: "tab", title: "Renamed" });
  await page.settled();
  expect(page.calls).toEqual([]);
  route.refuse(false);
  expect(await call).toMatchObject({ frame: { type: "result" }, payload: plainResult });
  // A page runs what has one id once.
  expect(new Set(page.calls.map(({ id }) => id)).size).toBe(1);
  await vi.waitFor(
    async () => expect(await shown()).toMatchObject([{ title: "Renamed", state: "connected" }]),
    patience,
  );
  // The hubs themselves stayed connected.
  expect(noticed.filter((event) => event.endsWith("bus-down"))).toEqual([]);
  expect(noticed).toEqual(expect.arrayContaining([expect.stringMatching(/^b hub-(messages-lost|gone)$/)]));
});
