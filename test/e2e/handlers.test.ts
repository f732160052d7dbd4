// The effects that a tool's handler can have on its callers.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { countsOf, createWorld, started } from "./support/world.ts";
import type { HttpOutcome, World } from "./support/world.ts";
import type { Tab } from "./support/tab.ts";

let world: World;
let tab: Tab;

beforeAll(async () => {
  world = await createWorld();
  tab = await world.openShop();
});

afterAll(() => world.close());

function note(fault: string, { outcome, ran }: HttpOutcome): void {
  recordFault("handlers", { fault, expected: "one honest outcome", observed: `${outcome}, ran: ${ran}`, count: 1 });
}

test("P23: a handler that never returns ends at its deadline, and its signal is aborted", async () => {
  const ended = await world.call("never", { tag: "endless" }, { timeout: 3 });
  expect(ended).toMatchObject({ status: 504, outcome: "deadline-exceeded", ran: "maybe" });
  await tab.waitFor("localStorage.getItem('aborted:endless') === '1'");
  note("handler that never returns", ended);
});

test("a handler that throws is a tool error with its message and no stack", async () => {
  const failed = await world.call("fail", { tag: "A" });
  expect(failed).toMatchObject({ status: 200, outcome: "tool-error", result: { isError: true } });
  expect(failed.result?.content[0]?.text).toContain("The shelf A is empty.");
  expect(JSON.stringify(failed)).not.toMatch(/\bat .*:\d+/);
  note("handler that throws", failed);
});

test("two megabytes arrive whole", async () => {
  const big = await world.call("big", { tag: "big", ms: 2_000_000 });
  expect(big.result?.content[0]?.text).toBe("x".repeat(2_000_000));
  note("handler that returns 2 MB", big);
});

test("a result larger than a frame is a tool error that names the limit", async () => {
  const huge = await world.call("big", { tag: "huge", ms: 17 * 1024 * 1024 });
  expect(huge).toMatchObject({ outcome: "tool-error" });
  expect(huge.result?.content[0]?.text).toMatch(/limit|larger/i);
  expect(await world.call("echo", { tag: "after-huge" })).toMatchObject({ outcome: "ok" });
  note("handler that returns more than a frame holds", huge);
});

test("a result that JSON cannot represent is a tool error that says where and why", async () => {
  const circular = await world.call("circular", { tag: "round" });
  const bigint = await world.call("bigint", { tag: "amount" });
  for (const outcome of [circular, bigint]) expect(outcome).toMatchObject({ outcome: "tool-error" });
  expect(bigint.result?.content[0]?.text).toContain("amount");
  note("handler that returns a circular object", circular);
  note("handler that returns a BigInt", bigint);
});

test("P22: a call that waits behind a busy main thread past its time is refused and never runs", async () => {
  const blocking = world.call("block", { tag: "busy" });
  await world.call("echo", { tag: "probe" }, { timeout: 0.01 }).catch(() => undefined);
  const late = await world.call("echo", { tag: "late" }, { timeout: 0.4 });
  expect(late).toMatchObject({ outcome: "deadline-exceeded" });
  world.pages.release("busy");
  expect(await blocking).toMatchObject({ outcome: "ok" });
  expect(await world.call("echo", { tag: "prompt" })).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "late")).toEqual({ ran: 0, aborted: 0 });
  note("main thread busy past a call's time", late);
});

test("input that does not match the schema is refused by path before the handler runs", async () => {
  const refused = await world.call("echo", { tag: 7, extra: true });
  expect(refused).toMatchObject({ status: 422, outcome: "rejected", ran: "no", error: { code: "input-invalid" } });
  expect(refused.error?.message).toContain("/tag");
  note("input that does not match the schema", refused);
});

test("a caller that disconnects reaches the handler's signal, at once for a tool that only reads", async () => {
  const leaving = new AbortController();
  const call = world.call("look", { tag: "left", ms: 60_000 }, { signal: leaving.signal });
  await started(tab, "left");
  leaving.abort();
  await expect(call).rejects.toThrow();
  await tab.waitFor("localStorage.getItem('aborted:left') === '1'");
  recordFault("handlers", {
    fault: "caller of a read-only tool disconnects",
    expected: "the handler is aborted",
    observed: "the handler is aborted",
    count: 1,
  });
});
