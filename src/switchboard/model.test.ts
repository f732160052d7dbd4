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
      for (const plan of fc.sample(plans, { seed: 1, numRuns: 1000 })) {
        const broken = new Set<string>(check(await runWorld(plan, planted)).map(({ rule }) => rule));
        if (plantable[planted].some((rule) => broken.has(rule))) return;
      }
      expect.unreachable(`The bug "${planted}" was not found.`);
    },
  );
});
