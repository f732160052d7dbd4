// The policy in force: it can be replaced during calls, and counts calls for its rates.
import type { Outcome } from "../wire/index.ts";
import { findRule, fitsPattern, named, isHubs, stricter, whose } from "./policy.ts";
import type { Policy, PolicyRate, PolicyRule, PolicySubject } from "./policy.ts";
import { createRates } from "./rates.ts";
import type { Refill } from "./rates.ts";

export interface CallPolicy {
  /** Whether there are no rules to evaluate. */
  readonly isOn: boolean;
  /** Whether an origin's tools are shown to a principal's agents only as first seen. */
  isPinned(origin: string, principal: string): boolean;
  /** The rule that decides on a call; undefined if none matches. */
  judge(subject: PolicySubject): PolicyRule | undefined;
  /** The outcome of a call that a rule denies. */
  denial(rule: PolicyRule, subject: PolicySubject): Outcome;
  /** Why this principal's call exceeds the rate of a rule that allows it; undefined if it does not. */
  overRate(rule: PolicyRule, principal: string): Outcome | undefined;
  count(rule: PolicyRule, principal: string): void;
  /** Counts calls that began at another hub towards the rate that it says. */
  countElsewhere(rate: string, principal: string, calls: number): void;
  replace(policy: Policy | undefined): void;
}

export interface CallPolicyOptions {
  /** Called for each call that counts towards a rule's rate, with what other hubs need to know of that. */
  readonly onCounted?: ((rate: string, principal: string) => void) | undefined;
  readonly organisations?: Organisations | undefined;
}

/** In team mode: what is known of principals and their organisations at the time of a call. */
export interface Organisations {
  /** Whose principals share a rate of all together; without it all of the hub do. */
  organisationOf(principal: string): string | undefined;
  groupsOf(principal: string): readonly string[] | undefined;
  /** The policy of a principal's organisation, which can only make the hub's stricter. */
  policyOf(principal: string): Policy | undefined;
}

/** `now` returns milliseconds, and never goes back. */
export function createCallPolicy(now: () => number, first?: Policy, options: CallPolicyOptions = {}): CallPolicy {
  const { onCounted, organisations } = options;
  let policy = first;
  /** By the rule's label and whose rate it is, so that a reload of the policy resets no rate. */
  const rates = createRates(now);
  // A label has neither separator.
  const keyOf = ({ label, rate }: Counted, principal: string) =>
    rate.isShared ? `${label}\t${organisations?.organisationOf(principal) ?? ""}` : `${label}\n${principal}`;

  return {
    get isOn() {
      return organisations !== undefined || (policy !== undefined && policy.rules.length > 0);
    },
    isPinned: (origin, principal) =>
      [policy, organisations?.policyOf(principal)].some((each) =>
        each?.pin.some((pattern) => fitsPattern(origin, pattern)),
      ),
    judge(given) {
      if (!organisations) return policy && findRule(policy, given);
      const subject = { ...given, groups: given.groups ?? organisations.groupsOf(given.principal) };
      const theirs = organisations.policyOf(given.principal);
      return stricter(policy && findRule(policy, subject), theirs && findRule(theirs, subject));
    },
    denial: denied,
    overRate(rule, principal) {
      for (const one of [rule, rule.beside]) {
        if (!isCounted(one)) continue;
        const wait = rates.wait(keyOf(one, principal), refillOf(one.rate));
        if (wait > 0) return tooOften(one, wait);
      }
      return undefined;
    },
    count(rule, principal) {
      for (const one of [rule, rule.beside]) {
        if (!isCounted(one)) continue;
        rates.take(keyOf(one, principal), refillOf(one.rate), 1);
        onCounted?.(showCounted(one), principal);
      }
    },
    countElsewhere(rate, principal, calls) {
      const counted = readCounted(rate);
      if (counted) rates.take(keyOf(counted, principal), refillOf(counted.rate), calls);
    },
    replace(next) {
      policy = next;
    },
  };
}

/** A rule with a rate. */
interface Counted {
  readonly label: string;
  readonly rate: Pick<PolicyRate, "calls" | "milliseconds" | "isShared">;
}

function isCounted(rule: PolicyRule | undefined): rule is PolicyRule & { readonly rate: PolicyRate } {
  return rule?.rate !== undefined;
}

/** With the numbers: another hub may not know the rule, such as one that the organisation does not use yet. */
function showCounted({ label, rate: { calls, milliseconds, isShared } }: Counted): string {
  return `${calls}/${milliseconds}/${isShared ? "together" : "each"} ${label}`;
}

const countedForm = /^(\d{1,6})\/(\d{1,8})\/(each|together) (.+)$/;

function readCounted(text: string): Counted | undefined {
  const [, calls, milliseconds, share, label] = countedForm.exec(text) ?? [];
  if (label === undefined || Number(calls) === 0) return undefined;
  const rate = { calls: Number(calls), milliseconds: Number(milliseconds) };
  return { label, rate: share === "together" ? { ...rate, isShared: true } : rate };
}

function refillOf({ calls, milliseconds }: Counted["rate"]): Refill {
  return { most: calls, each: milliseconds / calls };
}

function denied(rule: PolicyRule, { tool, origin }: PolicySubject): Outcome {
  const what = tool === undefined ? "this" : `"${tool}"`;
  const where = origin === undefined ? "" : ` of ${origin}`;
  const why = rule.reason === undefined ? "" : ` ${rule.reason}`;
  const owner = isHubs(rule) ? "the hub's owner" : "those who govern your organisation";
  const message = `${whose(rule)} policy does not let you use ${what}${where} (${named(rule)}).${why} Only ${owner} can change that.`;
  return { outcome: "rejected", ran: "no", code: "policy-denied", message, rule: rule.label };
}

function tooOften(rule: PolicyRule, retryAfter: number): Outcome {
  const seconds = Math.ceil(retryAfter / 1000);
  const message = `${whose(rule)} policy lets in ${rule.rate?.text} of such calls (${named(rule)}). Try again in ${seconds} s.`;
  return { outcome: "rejected", ran: "no", code: "policy-rate", message, retryAfter, rule: rule.label };
}
