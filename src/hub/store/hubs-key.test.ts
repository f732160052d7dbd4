import { afterEach, expect, test, vi } from "vitest";
import { openHubsKey } from "./hubs-key.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createFailingStore } from "./test-support/failing-store.test-helper.ts";

afterEach(() => void vi.useRealTimers());

test("hubs that share a store have one key; one that starts without it has its own, until the store is back", async () => {
  vi.useFakeTimers();
  const store = createMemoryStore();
  const away = createFailingStore(store);
  away.failure = "away";
  const [first, late] = [await openHubsKey(store.homes), await openHubsKey(away.homes)];
  expect(late.key).not.toBe(first.key);
  away.failure = undefined;
  await vi.advanceTimersByTimeAsync(1000);
  expect(late.key).toBe(first.key);
  for (const key of [first, late]) key.close();
  expect(vi.getTimerCount()).toBe(0);
});
