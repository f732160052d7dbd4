// The policy in force: it can be replaced during calls, and counts calls for its rates.
import type { Outcome } from "../wire/index.ts";
import { findRule, fitsPattern, named } from "./policy.ts";
import type { Policy, PolicyRate, PolicyRule, PolicySubject } from "./policy.ts";

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
  replace(policy: Policy | undefined): void;
}

/** A principal's token bucket for a rule's rate. */
interface Bucket {
  left: number;
  since: number;
}

/** Above this number, full buckets are dropped. */
const fewBuckets = 1000;
/** The max: beyond it the least recently used half is dropped, and those principals have a fresh rate. */
const mostBuckets = 100_000;

/** `now` returns milliseconds, and never goes back. */
export function createCallPolicy(now: () => number, first?: Policy): CallPolicy {
  let policy = first;
  /** By the rule's label and the principal, so that a reload of the policy resets no rate. */
  const buckets = new Map<string, Bucket & { readonly rate: PolicyRate }>();
  let sweepAt = fewBuckets;

  function leftOf({ left, since }: Bucket, { calls, milliseconds }: PolicyRate): number {
    return Math.min(calls, left + ((now() - since) * calls) / milliseconds);
  }

  function sweep(): void {
    for (const [key, bucket] of buckets) if (leftOf(bucket, bucket.rate) >= bucket.rate.calls) buckets.delete(key);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= mostBuckets / 2) break;
      buckets.delete(oldest);
    }
    sweepAt = Math.max(fewBuckets, 2 * buckets.size);
  }

  return {
    get isOn() {
      return policy !== undefined && policy.rules.length > 0;
    },
    isPinned: (origin) => policy?.pin.some((pattern) => fitsPattern(origin, pattern)) === true,
    judge: (subject) => policy && findRule(policy, subject),
    denial: denied,
    overRate(rule, principal) {
      const { rate, label } = rule;
      const bucket = rate && buckets.get(keyOf(label, principal));
      const left = bucket ? leftOf(bucket, rate) : 1;
      if (!rate || left >= 1) return undefined;
      return tooOften(rule, Math.ceil(((1 - left) * rate.milliseconds) / rate.calls));
    },
    count({ label, rate }, principal) {
      if (!rate) return;
      const key = keyOf(label, principal);
      const bucket = buckets.get(key);
      buckets.delete(key);
      buckets.set(key, { rate, left: (bucket ? leftOf(bucket, rate) : rate.calls) - 1, since: now() });
      if (buckets.size > sweepAt) sweep();
    },
    replace(next) {
      policy = next;
    },
  };
}

function keyOf(label: string, principal: string): string {
  return `${label}\n${principal}`;
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
