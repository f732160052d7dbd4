import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { check } from "./model-checker.test-helper.ts";
import { plantable } from "./model-planted.test-helper.ts";
import type { Planted } from "./model-planted.test-helper.ts";
import { plans } from "./model-plan.test-helper.ts";
import { runWorld } from "./model.test-helper.ts";

vi.mock("./call-life.ts", async (importOriginal) => {
  const { wrapNextStep } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./call-life.ts")>();
  return { ...original, nextStep: wrapNextStep(original.nextStep) };
});
vi.mock("./duplicates.ts", async (importOriginal) => {
  const { wrapDuplicates } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./duplicates.ts")>();
  return { ...original, createDuplicates: wrapDuplicates(original.createDuplicates) };
});
vi.mock("./begin-calls.ts", async (importOriginal) => {
  const { wrapBegin } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./begin-calls.ts")>();
  return { ...original, createBegin: wrapBegin(original.createBegin) };
});
vi.mock("./offers.ts", async (importOriginal) => {
  const { wrapOfferPool } = await import("./model-planted.test-helper.ts");
  const original = await importOriginal<typeof import("./offers.ts")>();
  return { ...original, createOfferPool: wrapOfferPool(original.createOfferPool) };
});

/** Seeds whose first plans find what few plans find. */
const seeds: Partial<Record<Planted, number>> = {
  "cancelled replayed": 9000,
  "ignores knows": 4000,
  "memory of keys off": 31_003,
};

/** A thousand plans; most bugs are found by the first few, and making all of them takes long. */
function* plansFor(planted: Planted) {
  const seed = seeds[planted] ?? 1;
  yield* fc.sample(plans, { seed, numRuns: 20 });
  yield* fc.sample(plans, { seed, numRuns: 1000 }).slice(20);
}

describe("calls in a hostile world", () => {
  test("B90: every promise about calls holds, whatever tabs, agents, the network and the hub do", async () => {
    const keepsItsPromises = fc.asyncProperty(plans, async (plan) => {
      expect(check(await runWorld(plan))).toEqual([]);
    });
    await fc.assert(keepsItsPromises, { numRuns: 500 });
  });

  test.each(Object.keys(plantable) as readonly Planted[])(
    "the checker finds a world with this planted bug: %s",
    async (planted) => {
      for (const plan of plansFor(planted)) {
        const broken = new Set<string>(check(await runWorld(plan, planted)).map(({ rule }) => rule));
        if (plantable[planted].some((rule) => broken.has(rule))) return;
      }
      expect.unreachable(`The bug "${planted}" was not found.`);
    },
  );
});
