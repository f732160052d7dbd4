import { fitsPattern } from "./pattern.ts";
import { policyFields, policyHints } from "./policy.ts";
import type { Policy, PolicyHint, PolicyRule, PolicySubject } from "./policy.ts";

/** The first rule that fits a call, which decides; undefined where none does. */
export function findRule({ rules }: Policy, subject: PolicySubject): PolicyRule | undefined {
  return rules.find((rule) => fits(rule, subject));
}

function fits({ when, annotations }: PolicyRule, subject: PolicySubject): boolean {
  for (const field of policyFields) {
    const patterns = when[field];
    const value = subject[field];
    if (patterns && !(value !== undefined && patterns.some((pattern) => fitsPattern(value, pattern)))) return false;
  }
  for (const hint of policyHints) {
    const wanted = annotations[hint];
    if (wanted !== undefined && !(subject.tool !== undefined && hintOf(subject, hint) === wanted)) return false;
  }
  return true;
}

/** A hint as MCP reads one that is missing: a tool writes, and may destroy, unless it says otherwise. */
function hintOf({ annotations = {} }: PolicySubject, hint: PolicyHint): boolean {
  const isReadOnly = annotations.readOnlyHint === true;
  if (hint === "destructiveHint" && isReadOnly) return false;
  const given = annotations[hint];
  return typeof given === "boolean" ? given : hint === "destructiveHint" || hint === "openWorldHint";
}
