import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRefusals } from "./audit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first refused credential of a kind is recorded at once, and its repeats once a minute with their count", async () => {
  const told: unknown[] = [];
  const refusals = createRefusals((...one) => told.push(one));
  for (let n = 0; n < 10_000; n++) refusals.add("token-invalid");
  refusals.add("host-refused");
  refusals.add("input-invalid");
  expect(told).toEqual([
    ["token", "token-invalid", 1],
    ["token", "host-refused", 1],
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.slice(2)).toEqual([["token", "token-invalid", 9999]]);
  refusals.add("token-invalid");
  refusals.add("token-invalid");
  refusals.close();
  expect(told.slice(3)).toEqual([
    ["token", "token-invalid", 1],
    ["token", "token-invalid", 1],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
