export { createCallPolicy } from "./call-policy.ts";
export type { CallPolicy } from "./call-policy.ts";
export { findRule, whyNever } from "./find-rule.ts";
export { parsePolicy } from "./parse-policy.ts";
export { named, policyDoors, policyHints } from "./policy.ts";
export type { Policy, PolicyRule, PolicySubject } from "./policy.ts";
