import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { createQueueBudget } from "../../backpressure/queue-budget.ts";
import { createMetrics } from "../../common/metrics.ts";
import type { WaitList, Waits } from "../../waits/wait.ts";
import type { Door } from "../door.ts";
import { createWaitsDoor } from "./waits-door.ts";

/** A door whose lists are made by hand. */
async function openStream() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const lists: ((more: number) => void)[] = [];
  let changed = () => {};
  const waits = {
    list: () => new Promise<WaitList>((resolve) => lists.push((more) => resolve({ waits: [], more, ended: [] }))),
    watch(_: string, listener: () => void) {
      changed = listener;
      return () => {};
    },
  } as unknown as Waits;
  const metrics = createMetrics();
  const queues = createQueueBudget(defaultLimits, () => {});
  const door = createWaitsDoor({ limits: defaultLimits, metrics, note: () => {}, queues } as unknown as Door, waits);
  const server = createServer((request, response) => {
    void door.serve(request, response, { origin: undefined, admitted: { principal: "ann", credential: "c" } });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  let text = "";
  get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/waits/stream`, (response) => {
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
  });
  return { lists, changed: () => changed(), seen: () => [...text.matchAll(/"more":(\d+)/g)].map(([, more]) => more) };
}

test("IN9: lists that take long come one after the other, and the last one is the newest", async () => {
  const { lists, changed, seen } = await openStream();
  await expect.poll(() => lists.length).toBe(1);
  changed();
  // Changes are gathered for less: a second list would have begun.
  await vi.advanceTimersByTimeAsync(1000);
  expect(lists).toHaveLength(1);
  lists[0]?.(1);
  await expect.poll(seen).toEqual(["1"]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(lists).toHaveLength(2);
  lists[1]?.(2);
  await expect.poll(seen).toEqual(["1", "2"]);
});
