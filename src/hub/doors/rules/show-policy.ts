// The policy as one reader may see it, and what it does with a call.
import { hash } from "node:crypto";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { describePolicy, describeRule, findRule, policyDoors, policyHints } from "../../../policy/index.ts";
import type { Policy, PolicySubject } from "../../../policy/index.ts";
import type { HubSettings } from "../../options/options.ts";

interface Shown {
  readonly policy: Policy | undefined;
  /** Why the file cannot be used; empty if it can. */
  readonly problem: string;
  readonly settings: HubSettings | undefined;
  /** In jwt mode the principal who reads it, who sees no rule for others. */
  readonly reader: string | undefined;
  readonly mayChange: boolean;
}

export function showPolicy({ policy, problem, settings, reader, mayChange }: Shown): object {
  const isOwn = reader === undefined;
  const text = isOwn ? settings?.policyText() : undefined;
  return {
    source: settings && (policy ?? problem) ? "file" : policy ? "program" : "none",
    path: (isOwn && settings?.policyPath) || null,
    text: text ?? null,
    digest: isOwn && settings ? digestOf(text) : null,
    problem: isOwn && problem !== "" ? problem : null,
    ...described(policy, reader),
    mayChange,
  };
}

/** Whether a rule is idle takes time for a long policy, so that it is found out once for each. */
const known = new WeakMap<Policy, object>();

function described(policy: Policy | undefined, reader: string | undefined): object {
  const seen = visible(policy, reader);
  if (!seen) return { rules: [], pin: [] };
  if (reader !== undefined) return { rules: seen.rules.map(describeRule), pin: seen.pin };
  const before = known.get(seen) ?? describePolicy(seen);
  known.set(seen, before);
  return before;
}

/** A digest of the policy's text, to notice that it has changed meanwhile. */
export function digestOf(text: string | undefined): string {
  return hash("sha256", text ?? "").slice(0, 32);
}

/** A policy without the rules for other principals only, and without the names of those. */
function visible(policy: Policy | undefined, reader: string | undefined): Policy | undefined {
  if (!policy || reader === undefined) return policy;
  const rules = policy.rules.flatMap((rule) => {
    const { principal, ...when } = rule.when;
    if (principal === undefined) return [rule];
    const isFor = findRule(
      { rules: [{ ...rule, when: { principal }, annotations: {} }], pin: [] },
      { principal: reader, agent: "" },
    );
    return isFor ? [{ ...rule, when }] : [];
  });
  return { ...policy, rules };
}

const fields = ["principal", "agent", "door", "origin", "app", "tool"] as const;

interface Tested {
  readonly policy: Policy | undefined;
  readonly reader: string | undefined;
}

/** The decision about a call, and the rule that makes it. */
export function testCall(asked: JsonObject, { policy, reader }: Tested): object {
  const { annotations = {}, ...rest } = asked;
  const [unknown] = Object.keys(rest).filter((name) => !fields.some((field) => field === name));
  if (unknown !== undefined)
    throw malformed(`"${unknown.slice(0, 60)}" means nothing here. Known are: ${fields.join(", ")}.`);
  const texts = Object.entries(rest).map(([name, value]) => {
    if (typeof value === "string" && value.length <= 1024) return [name, value] as const;
    throw malformed(`"${name}" must be a text of at most 1024 characters.`);
  });
  const { principal = reader ?? "local", agent = "", door, ...more } = Object.fromEntries(texts);
  if (door !== undefined && !policyDoors.some((one) => one === door))
    throw malformed(`"door" is one of ${policyDoors.join(", ")}.`);
  if (reader !== undefined && principal !== reader) throw malformed('"principal" can only be your own here.');
  const subject: PolicySubject = { principal, agent, door, ...more, annotations: readHints(annotations) };
  const seen = visible(policy, reader);
  const rule = seen && findRule(seen, subject);
  return { decision: rule?.decision ?? "allow", rule: rule ? describeRule(rule) : null };
}

function readHints(given: unknown): PolicySubject["annotations"] {
  const isHint = ([name, value]: [string, unknown]) =>
    policyHints.some((hint) => hint === name) && typeof value === "boolean";
  if (isJsonObject(given) && Object.entries(given).every(isHint)) return given;
  throw malformed(`"annotations" may have ${policyHints.join(", ")}, each true or false.`);
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
