// The policy in force: it can be replaced during calls, and counts calls for its rates.
import type { Outcome } from "../wire/index.ts";
import { findRule, fitsPattern, named } from "./policy.ts";
import type { Policy, PolicyRate, PolicyRule, PolicySubject } from "./policy.ts";
import { createRates } from "./rates.ts";
import type { Refill } from "./rates.ts";

export interface CallPolicy {
  /** Whether there are no rules to evaluate. */
  readonly isOn: boolean;
  /** Whether an origin's tools are shown only as first seen. */
  isPinned(origin: string): boolean;
  /** The rule that decides on a call; undefined if none matches. */
  judge(subject: PolicySubject): PolicyRule | undefined;
  /** The outcome of a call that a rule denies. */
  denial(rule: PolicyRule, subject: PolicySubject): Outcome;
  /** Why this principal's call exceeds the rate of a rule that allows it; undefined if it does not. */
  overRate(rule: PolicyRule, principal: string): Outcome | undefined;
  count(rule: PolicyRule, principal: string): void;
  /** Counts calls that began at another hub, by the label of the rule that they count for there. */
  countElsewhere(label: string, principal: string, calls: number): void;
  replace(policy: Policy | undefined): void;
}

/** Called for each call that counts towards a rule's rate. */
export type OnCounted = (label: string, principal: string) => void;

export interface CallPolicyOptions {
  readonly onCounted?: OnCounted;
  /** Whose principals share a rate of all together; by default all of the hub do. */
  readonly organisationOf?: ((principal: string) => string | undefined) | undefined;
}

/** `now` returns milliseconds, and never goes back. */
export function createCallPolicy(now: () => number, first?: Policy, options: CallPolicyOptions = {}): CallPolicy {
  const { onCounted, organisationOf } = options;
  let policy = first;
  /** By the rule's label and whose rate it is, so that a reload of the policy resets no rate. */
  const rates = createRates(now);
  // A label has neither separator.
  const keyOf = ({ label, rate }: PolicyRule, principal: string) =>
    rate?.isShared ? `${label}\t${organisationOf?.(principal) ?? ""}` : `${label}\n${principal}`;

  return {
    get isOn() {
      return policy !== undefined && policy.rules.length > 0;
    },
    isPinned: (origin) => policy?.pin.some((pattern) => fitsPattern(origin, pattern)) === true,
    judge: (subject) => policy && findRule(policy, subject),
    denial: denied,
    overRate(rule, principal) {
      const { rate } = rule;
      const wait = rate ? rates.wait(keyOf(rule, principal), refillOf(rate)) : 0;
      return wait > 0 ? tooOften(rule, wait) : undefined;
    },
    count(rule, principal) {
      const { label, rate } = rule;
      if (!rate) return;
      rates.take(keyOf(rule, principal), refillOf(rate), 1);
      onCounted?.(label, principal);
    },
    countElsewhere(label, principal, calls) {
      const rule = policy?.rules.find((each) => each.label === label);
      if (rule?.rate) rates.take(keyOf(rule, principal), refillOf(rule.rate), calls);
    },
    replace(next) {
      policy = next;
    },
  };
}

function refillOf({ calls, milliseconds }: PolicyRate): Refill {
  return { most: calls, each: milliseconds / calls };
}

function denied(rule: PolicyRule, { tool, origin }: PolicySubject): Outcome {
  const what = tool === undefined ? "this" : `"${tool}"`;
  const where = origin === undefined ? "" : ` of ${origin}`;
  const why = rule.reason === undefined ? "" : ` ${rule.reason}`;
  const message = `The hub's policy does not let you use ${what}${where} (${named(rule)}).${why} Only the hub's owner can change that.`;
  return { outcome: "rejected", ran: "no", code: "policy-denied", message, rule: rule.label };
}

function tooOften(rule: PolicyRule, retryAfter: number): Outcome {
  const seconds = Math.ceil(retryAfter / 1000);
  const message = `The hub's policy lets in ${rule.rate?.text} of such calls (${named(rule)}). Try again in ${seconds} s.`;
  return { outcome: "rejected", ran: "no", code: "policy-rate", message, retryAfter, rule: rule.label };
}
