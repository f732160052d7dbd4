import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { check } from "./model-checker.test-helper.ts";
import { plans } from "./model-plan.test-helper.ts";
import { runWorld } from "./model.test-helper.ts";
vi.mock("./calls.ts", async (importOriginal) => {
  const { wrapCalls } = await import("./model-planted.test-helper.ts");
  const { createCalls } = await importOriginal<typeof import("./calls.ts")>();
  return { createCalls: wrapCalls(createCalls) };
});
vi.mock("./offer-pool.ts", async (importOriginal) => {
  const { wrapOfferPool } = await import("./model-planted.test-helper.ts");
  const { createOfferPool } = await importOriginal<typeof import("./offer-pool.ts")>();
  return { createOfferPool: wrapOfferPool(createOfferPool) };
});
test("deep", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      expect(check(await runWorld(plan))).toEqual([]);
    }),
    { numRuns: 4000 },
  );
}, 600000);
