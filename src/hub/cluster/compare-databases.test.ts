import { expect, test } from "vitest";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { startHubs, startSharingHubs } from "./hubs.test-helper.ts";

const notes = ({ records }: TestHub, event: string) => records.filter((record) => record.event === event);

test("MH57: hubs with different databases say so in their logs, with the other's name", async () => {
  const { a, b } = await startHubs();
  for (const hub of [a, b]) await expect.poll(() => notes(hub, "other-database").length).toBe(2);
  expect(notes(a, "other-database").map((record) => record["hub"])).toEqual(expect.arrayContaining(["b", "c"]));
});

test("MH57: hubs with one database do not", async () => {
  const hubs = await startSharingHubs();
  const { a, b, c } = hubs;
  for (const hub of [a, b, c]) await expect.poll(() => notes(hub, "hub-joined").length).toBe(2);
  await hubs.nats.stop();
  await expect.poll(() => notes(a, "bus-down").length).toBe(1);
  await hubs.nats.start();
  await expect.poll(() => notes(a, "bus-up").length).toBe(1);
  expect([a, b, c].flatMap((hub) => notes(hub, "other-database"))).toEqual([]);
});
