import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { check } from "./model-checker.test-helper.ts";
import { plans } from "./model-plan.test-helper.ts";
import { runWorld } from "./model.test-helper.ts";

vi.mock("./life.ts", async (importOriginal) => {
  const { wrapNextStep } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./life.ts")>();
  return { ...original, nextStep: wrapNextStep(original.nextStep) };
});
vi.mock("./ledger.ts", async (importOriginal) => {
  const { wrapLedger } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./ledger.ts")>();
  return { ...original, createLedger: wrapLedger(original.createLedger) };
});
vi.mock("./recall.ts", async (importOriginal) => {
  const { wrapRecall } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./recall.ts")>();
  return { ...original, createRecall: wrapRecall(original.createRecall) };
});
vi.mock("./calls.ts", async (importOriginal) => {
  const { wrapCalls } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./calls.ts")>();
  return { ...original, createCalls: wrapCalls(original.createCalls) };
});
vi.mock("./offer-pool.ts", async (importOriginal) => {
  const { wrapOfferPool } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./offer-pool.ts")>();
  return { ...original, createOfferPool: wrapOfferPool(original.createOfferPool) };
});

/** Far more than a run takes on a busy machine. */
const timeout = 3_000_000;

describe("calls in a hostile world", () => {
  test(
    "deep: whatever tabs, agents, the network and the hub go through, every promise about calls is kept",
    async () => {
      const keepsItsPromises = fc.asyncProperty(plans, async (plan) => {
        expect(check(await runWorld(plan))).toEqual([]);
      });
      await fc.assert(keepsItsPromises, { numRuns: 15000 });
    },
    timeout,
  );
});
