// What an adversary does to a world, as plain data: the same plan always makes the same history.
import fc from "fast-check";
import type { Errand } from "./model-agents.test-helper.ts";
import type { Chaos } from "./model-network.test-helper.ts";
import { tabDeeds } from "./model-tab.test-helper.ts";
import type { TabDeed } from "./model-tab.test-helper.ts";

export type Step =
  | { readonly do: "call"; readonly errand: Omit<Errand, "tab"> & { readonly tab: number } }
  | { readonly do: "repeat"; readonly operation: number; readonly agent: number }
  | { readonly do: "cancel"; readonly operation: number }
  | { readonly do: "cut agent"; readonly agent: number; readonly back: number }
  | { readonly do: "tab"; readonly tab: number; readonly deed: TabDeed }
  | { readonly do: "forge"; readonly tab: number; readonly operation: number }
  | { readonly do: "restart hub"; readonly isKilled: boolean; readonly back: number }
  | { readonly do: "wait"; readonly milliseconds: number };

export interface Plan {
  readonly seed: number;
  readonly chaos: Chaos;
  readonly steps: readonly Step[];
}

const index = fc.nat(7);

const behaviour = fc.record({
  time: fc.constantFrom(0, 5, 300, 1500, 2500, 9000),
  end: fc.constantFrom("ok" as const, "ok" as const, "error" as const, "never" as const),
  isDeaf: fc.boolean(),
  words: fc.nat(2),
  asks: fc.constantFrom(false, false, true),
});

const errand = fc.record({
  agent: index,
  tool: fc.nat(3),
  tab: index,
  aim: fc.constantFrom("none" as const, "none" as const, "request" as const, "argument" as const, "call_tab_tool" as const),
  isKeyed: fc.boolean(),
  left: fc.constantFrom(0, 50, 1000, 5000, 8000),
  behaviour,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("call" as const), errand }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const), operation: index, agent: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), operation: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("cut agent" as const),
      agent: index,
      back: fc.constantFrom(0, 500, 1999, 2500, 9000, 12_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("tab" as const), tab: index, deed: fc.constantFrom(...tabDeeds) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forge" as const), tab: index, operation: index }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("restart hub" as const),
      isKilled: fc.boolean(),
      back: fc.constantFrom(0, 100, 3000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      milliseconds: fc.constantFrom(1, 10, 60, 250, 900, 2100, 5500, 11_000),
    }),
  },
);

export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  chaos: fc.record({
    delay: fc.constantFrom(0, 5, 80, 700),
    duplicates: fc.constantFrom(0, 15, 40),
    reorders: fc.constantFrom(0, 15, 40),
  }),
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: "max" }),
});
