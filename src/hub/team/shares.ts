// The limits for all principals of an organisation together, so that one organisation cannot starve the others of a hub. The
// bounds are `organisationLimits`; the rules are in SPEC.md.
import { createRates } from "../../policy/index.ts";
import type { PolicyGate, Principal } from "../../switchboard/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { BudgetName, ErrorCode, OnOver, Outcome } from "../../wire/index.ts";
import { amountNames } from "../common/shared-use.ts";
import type { AmountName, Amounts, SharedUse } from "../common/shared-use.ts";
import type { EnteredShare } from "../common/use-counts.ts";
import type { OrganisationLimits } from "../options/team-options.ts";
import { organisationOf } from "../common/principals.ts";
import { shareWith } from "./principal-share.ts";
import type { PrincipalUse } from "./principal-share.ts";

export interface SharesOptions {
  readonly limitsOf: (organisation: string) => OrganisationLimits;
  /** For a hub that is one of several. */
  readonly use: SharedUse | undefined;
  readonly onOver: OnOver;
  /** Milliseconds, which never go back. */
  readonly now: () => number;
}

export interface Shares {
  /** Counts a principal's use. Returns a function that uncounts it. */
  add(principal: string, use: PrincipalUse): () => void;
  /** Throws a named error where its organisation would have too much with so much more. */
  admit(principal: string, name: "tabs" | "offeredBytes", more: number): void;
  /** Has a principal of the switchboard share in its organisation. */
  follow(name: string, principal: Principal): void;
  /** Counts one more thing of a principal's organisation; throws if there are too many. Returns a function that uncounts it. */
  enter(principal: string, name: EnteredShare): () => void;
  /** A gate that refuses calls of an organisation with too many. */
  gate(gate: PolicyGate): PolicyGate;
}

type ShareName = Exclude<keyof OrganisationLimits, "callRate" | "callBurst">;

interface Share {
  /** The budget of each principal that is about the same. */
  readonly budget: BudgetName;
  readonly code: ErrorCode;
  readonly what: string;
  readonly next: string;
}

const again = 1000;
const fewer = "Try again in a second";
const close = "Close some of them";

const shares: Readonly<Record<ShareName, Share>> = {
  calls: { budget: "callsPerPrincipal", code: "calls-too-many", what: "calls in flight", next: fewer },
  callBytes: { budget: "callBytesPerPrincipal", code: "calls-too-many", what: "bytes of calls in flight", next: fewer },
  answers: { budget: "answersPerPrincipal", code: "calls-too-many", what: "answers being written", next: fewer },
  sockets: { budget: "socketsPerPrincipal", code: "sockets-too-many", what: "sockets open", next: close },
  streams: { budget: "mcpStreamsPerPrincipal", code: "requests-too-many", what: "streams open", next: close },
  tabs: { budget: "tabsPerPrincipal", code: "tabs-too-many", what: "tabs open", next: close },
  offeredBytes: {
    ...{ budget: "offeredBytesPerPrincipal", code: "offers-too-large" },
    ...{ what: "bytes offered by its pages", next: "Close some of them, or offer less" },
  },
};

interface Organisation {
  /** Its name among the principals whose use hubs tell each other. */
  readonly account: string;
  readonly limits: OrganisationLimits;
  readonly uses: Set<Partial<Record<ShareName, number>>>;
  readonly entered: Record<EnteredShare, number>;
  /** At least what is used: a sum is counted again only when it is over the limit. */
  readonly sums: { [Name in ShareName]?: number };
  readonly amounts: Amounts;
}

export function createShares(options: SharesOptions): Shares {
  const { limitsOf, use, onOver, now } = options;
  const organisations = new Map<string, Organisation>();
  const rates = createRates(now);

  use?.onCounted((account, what, count) => {
    const organisation = accountForm.exec(account)?.[1];
    if (organisation !== undefined && what.startsWith("calls "))
      rates.take(account, refillOf(limitsOf(organisation)), count);
  });

  function of(principal: string): Organisation | undefined {
    const name = organisationOf(principal);
    if (name === undefined) return undefined;
    const known = organisations.get(name) ?? makeOrganisation(name, limitsOf(name));
    organisations.set(name, known);
    return known;
  }

  /** Whether there would be too much with so much more, which counts from now on if not. */
  function isOver(whose: Organisation, name: ShareName, more: number): boolean {
    const { account, limits, sums, amounts } = whose;
    const { budget } = shares[name];
    const max = limits[name];
    const elsewhere = isAmount(budget) ? (use?.elsewhere(account, budget, max) ?? 0) : 0;
    const isFull = () => (sums[name] ?? 0) + more + elsewhere > max;
    if (isFull()) sums[name] = sumOf(whose, name);
    if (isFull()) {
      onOver(budget);
      return true;
    }
    sums[name] = (sums[name] ?? 0) + more;
    use?.changed(account, amounts);
    return false;
  }

  function admit(whose: Organisation, name: ShareName, more: number): void {
    if (!isOver(whose, name, more)) return;
    throw new PagewireError(shares[name].code, wordsOf(whose, name), { retryAfter: again });
  }

  function callRefusal(principal: string, bytes: number): Outcome | undefined {
    const whose = of(principal);
    if (!whose) return undefined;
    const wait = rates.wait(whose.account, refillOf(whose.limits));
    if (wait > 0) return refusal(rateWords(whose), Math.min(wait, longestWait));
    if (isOver(whose, "calls", 1)) return refusal(wordsOf(whose, "calls"), again);
    return isOver(whose, "callBytes", bytes) ? refusal(wordsOf(whose, "callBytes"), again) : undefined;
  }

  function began(principal: string): void {
    const whose = of(principal);
    if (!whose) return;
    const { callRate, callBurst } = whose.limits;
    rates.take(whose.account, refillOf(whose.limits), 1);
    use?.count(whose.account, `calls ${callRate} ${callBurst}`, 1);
  }

  const add: Shares["add"] = (principal, used) => {
    const uses = of(principal)?.uses.add(used);
    return () => void uses?.delete(used);
  };
  const admitFor: Shares["admit"] = (principal, name, more) => {
    const whose = of(principal);
    if (whose) admit(whose, name, more);
  };

  return {
    add,
    admit: admitFor,
    follow: (name, principal) =>
      shareWith(principal, { add: (use) => add(name, use), admit: (what, more) => admitFor(name, what, more) }),
    enter(principal, name) {
      const whose = of(principal);
      if (!whose) return () => {};
      admit(whose, name, 1);
      whose.entered[name]++;
      return () => {
        whose.entered[name]--;
        use?.changed(whose.account, whose.amounts);
      };
    },
    gate: (gate) => ({
      ...gate,
      refusal: (found, caller) =>
        gate.refusal(found, caller) ?? callRefusal(caller.principal, "tab" in found ? found.arguments.length : 0),
      begun(aim, caller) {
        gate.begun(aim, caller);
        began(caller.principal);
      },
    }),
  };
}

const accountForm = /^(.+):all$/;
const longestWait = 60_000;

function makeOrganisation(name: string, limits: OrganisationLimits): Organisation {
  const entered = { answers: 0, sockets: 0, streams: 0 };
  const uses: Organisation["uses"] = new Set([entered]);
  const whose = { account: `${name}:all`, limits, uses, entered, sums: {} };
  const amounts = {};
  for (const [share, { budget }] of Object.entries(shares))
    if (isAmount(budget))
      Object.defineProperty(amounts, budget, { get: () => sumOf(whose, share as ShareName), enumerable: true });
  return { ...whose, amounts };
}

function sumOf({ uses }: Pick<Organisation, "uses">, name: ShareName): number {
  let sum = 0;
  for (const used of uses) sum += used[name] ?? 0;
  return sum;
}

function isAmount(budget: BudgetName): budget is AmountName {
  return amountNames.some((name) => name === budget);
}

function refillOf({ callRate, callBurst }: OrganisationLimits) {
  return { most: callBurst, each: 1000 / callRate };
}

function wordsOf({ limits }: Organisation, name: ShareName): string {
  const { what, next } = shares[name];
  return `Your organisation may have ${limits[name]} ${what} (limit ${name} of organisationLimits). ${next}, or ask the hub's operator for more.`;
}

function rateWords({ limits: { callRate, callBurst } }: Organisation): string {
  return `Your organisation may begin ${callRate} calls per second, after ${callBurst} at once (limits callRate and callBurst of organisationLimits). ${fewer}, or ask the hub's operator for more.`;
}

function refusal(message: string, retryAfter: number): Outcome {
  return { outcome: "rejected", ran: "no", code: "calls-too-many", message, retryAfter };
}
