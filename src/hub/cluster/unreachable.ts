// The refusals of calls that may need another hub while none can be reached.
import type { PolicyGate, Returns } from "../../switchboard/index.ts";
import type { Outcome } from "../../wire/index.ts";

export const unreachable: Outcome = {
  outcome: "rejected",
  ran: "no",
  code: "bus-unavailable",
  message: "This hub cannot reach the others at the moment, and the tab is at one of them. Try again in a moment.",
  retryAfter: 1000,
};

export const overloaded = {
  outcome: "rejected",
  ran: "no",
  code: "calls-too-many",
  message: "The tab is at another hub, which does not take more of this user's calls yet. Try again in a moment.",
  retryAfter: 1000,
} as const satisfies Outcome;

/** A gate that refuses calls to tabs of other hubs, such as while they cannot be reached. */
export function gateWithin(
  gate: PolicyGate,
  refusal: (hub: string, principal: string) => Outcome | undefined,
): PolicyGate {
  return {
    ...gate,
    refusal: (found, caller) => {
      const { hub, principal = "" } = "tab" in found ? found.tab.identity : {};
      return (hub === undefined ? undefined : refusal(hub, principal)) ?? gate.refusal(found, caller);
    },
  };
}

/** Returns that say of a tab or tool that is not found that it may be at another hub, while those cannot be reached. */
export function returnsWithin(returns: Returns, refusal: () => Outcome | undefined): Returns {
  return {
    ...returns,
    asFarAsKnown(given, request) {
      const known = returns.asFarAsKnown(given, request);
      const isAbsent = known.ran === "no" && absences.includes(known.code ?? "");
      return (isAbsent ? refusal() : undefined) ?? known;
    },
  };
}

const absences: readonly string[] = ["tool-not-found", "offer-not-found", "tab-not-found", "tab-gone"];
