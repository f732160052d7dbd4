export { createCallPolicy } from "./call-policy.ts";
export type { CallPolicy, CallPolicyOptions } from "./call-policy.ts";
export { createRates } from "./rates.ts";
export { describePolicy, describeRule } from "./describe-policy.ts";
export { findRule, whyNever } from "./policy.ts";
export { parsePolicy } from "./parse-policy.ts";
export { named, policyDoors, policyHints } from "./policy.ts";
export type { Policy, PolicyRule, PolicySubject } from "./policy.ts";
