import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogRecord } from "./log.ts";
import { createRefusalLog } from "./log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (more: Partial<LogRecord> = {}): LogRecord => ({
  time: "",
  level: "warn",
  event: "request-refused",
  code: "token-invalid",
  route: "/mcp",
  ...more,
});

function setUp() {
  const told: LogRecord[] = [];
  return { told, ...createRefusalLog((record) => told.push(record)) };
}

test("the first refusal of a kind is logged at once, its repeats within a minute as one with their count", () => {
  const { told, log } = setUp();
  for (let index = 0; index < 17_000; index++) log(refusal({ address: `10.0.0.${index % 200}` }));
  log(refusal({ route: "/agent" }));
  log(refusal({ code: "token-required" }));
  expect(told).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  expect(told.slice(3)).toEqual([
    refusal({ time: expect.any(String) as string, count: 16_999, address: "10.0.0.199" }),
  ]);
  vi.advanceTimersByTime(600_000);
  log(refusal());
  expect(told).toHaveLength(5);
});

test("beyond a hundred kinds in a minute refusals are distinguished by their code only", () => {
  const { told, log, close } = setUp();
  for (let index = 0; index < 5000; index++)
    log(refusal({ event: "page-refused", origin: `https://${index}.example` }));
  expect(told).toHaveLength(101);
  close();
  expect(told.slice(101)).toMatchObject([{ event: "page-refused", code: "token-invalid", count: 4899 }]);
});

test("other events are logged each time, and a closed log has no pending timer", () => {
  const { told, log, close } = setUp();
  for (let index = 0; index < 3; index++) log(refusal({ level: "info", event: "page-connected" }));
  for (let index = 0; index < 3; index++) log(refusal({ level: "error", event: "request-failed" }));
  expect(told).toHaveLength(6);
  log(refusal());
  close();
  expect(vi.getTimerCount()).toBe(0);
});
