// Bounds that several principals share, such as those of one organisation.
import type { Payload } from "../wire/index.ts";
import type { PrincipalBudget } from "./principal-budget.ts";

/** A principal's use of now. Its owner changes it in place. */
export interface PrincipalUse {
  readonly tabs: number;
  readonly offeredBytes: number;
  readonly calls: number;
  readonly callBytes: number;
}

export interface Together {
  /** Counts a principal's use. Returns a function that uncounts it. */
  add(principal: string, use: PrincipalUse): () => void;
  /** Throws a named error where all of them would have too much with so much more. */
  admit(principal: string, name: "tabs" | "offeredBytes", more: number): void;
}

interface Shared {
  readonly name: string;
  readonly budget: PrincipalBudget;
  readonly together: Together | undefined;
}

/** A principal's budget, within that of all who share one. */
export function withinTogether({ name, budget, together }: Shared): PrincipalBudget {
  if (!together) return budget;
  const offered = (payload: Payload) => together.admit(name, "offeredBytes", payload.length);
  return {
    ...budget,
    admitTab(count, allowed) {
      budget.admitTab(count, allowed);
      together.admit(name, "tabs", 1);
    },
    take(payload, before, allowed) {
      offered(payload);
      return budget.take(payload, before, allowed);
    },
    change(offer, payload, allowed) {
      offered(payload);
      return budget.change(offer, payload, allowed);
    },
  };
}
