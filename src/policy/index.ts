export { createCallPolicy } from "./call-policy.ts";
export type { CallPolicy, Organisations } from "./call-policy.ts";
export { createRates } from "./rates.ts";
export { describePolicy, describeRule } from "./describe-policy.ts";
export { findRule, ofOrganisation, stricter, whyNever } from "./policy.ts";
export { parsePolicy } from "./parse-policy.ts";
export { named, policyDoors, policyHints, whose } from "./policy.ts";
export type { Policy, PolicyRule, PolicySubject } from "./policy.ts";
