import { expect, test } from "vitest";
import { createMetrics } from "../common/metrics.ts";
import { createMemoryHubs, runningCall } from "./memory-hubs.test-helper.ts";

const alone = { tabs: 0, agents: 0, callsInFlight: 0, outcomes: {}, conversations: 0, answers: 0, isStoreOk: true };

test("a hub of several counts the others, their tabs and calls, and what goes over the bus", async () => {
  const { clock, a, b } = await runningCall();
  const [mine, other] = [a.cluster.counts(), b.cluster.counts()];
  expect(mine).toMatchObject({ isBusUp: true, hubs: 1, remoteTabs: 1, carried: 0 });
  expect(other).toMatchObject({ isBusUp: true, hubs: 1, remoteTabs: 0, carried: 1 });
  const before = { ...mine.sent };
  await clock.advance(1000);
  const { sent, received } = a.cluster.counts();
  expect(sent.messages).toBeGreaterThan(before.messages);
  expect(sent.bytes - before.bytes).toBeGreaterThan(sent.messages - before.messages);
  expect(received.messages).toBeGreaterThan(0);
  b.bus.setUp(false);
  expect(b.cluster.counts()).toMatchObject({ isBusUp: false });
  const lost = { ...b.cluster.counts().sent };
  await clock.advance(1000);
  expect(b.cluster.counts().sent).toEqual(lost);
});

test("these numbers are in /metrics of a hub of several, and not in that of a hub alone", () => {
  const hubs = createMemoryHubs();
  const metrics = createMetrics();
  const text = metrics.text({ ...alone, cluster: hubs.hub("a").cluster.counts() });
  expect(text).toContain("# TYPE pagewire_other_hubs gauge\npagewire_other_hubs 0\n");
  for (const name of [
    "pagewire_bus_up 1",
    'pagewire_bus_messages_total{direction="sent"} ',
    "pagewire_carried_calls 0",
  ])
    expect(text).toContain(`\n${name}`);
  expect(metrics.text(alone)).not.toMatch(/bus|hubs|remote/);
});
