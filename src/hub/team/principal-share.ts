// A principal of the switchboard as a part of its organisation: what it uses counts there, and more is admitted only there.
import type { Principal } from "../../switchboard/index.ts";
import type { Payload } from "../../wire/index.ts";

/** The current use of a principal. Its owner changes it in place. */
export interface PrincipalUse {
  readonly tabs: number;
  readonly offeredBytes: number;
  readonly calls: number;
  readonly callBytes: number;
}

export interface PrincipalShare {
  /** Counts its use. Returns a function that uncounts it. */
  readonly add: (use: PrincipalUse) => () => void;
  /** Throws a named error where its organisation would have too much with so much more. */
  readonly admit: (name: "tabs" | "offeredBytes", more: number) => void;
}

export function shareWith(principal: Principal, { add, admit }: PrincipalShare): void {
  const { budget, close } = principal;
  const leave = add(useOf(principal));
  const offered = (payload: Payload) => admit("offeredBytes", payload.length);
  const within: Principal["budget"] = {
    ...budget,
    admitTab(count, allowed) {
      budget.admitTab(count, allowed);
      admit("tabs", 1);
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
  Object.assign(principal, {
    budget: within,
    close() {
      leave();
      close();
    },
  });
}

function useOf({ directory, budget, callBudget }: Principal): PrincipalUse {
  return {
    get tabs() {
      return directory.tabs.size;
    },
    get offeredBytes() {
      return budget.used.bytes;
    },
    get calls() {
      return callBudget.used.count;
    },
    get callBytes() {
      return callBudget.used.bytes;
    },
  };
}
