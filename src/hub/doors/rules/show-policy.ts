// The policy as one reader may see it, and what it does with a call.
import { hash } from "node:crypto";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { describePolicy, describeRule, findRule, policyDoors, policyHints, stricter } from "../../../policy/index.ts";
import type { Policy, PolicyRule, PolicySubject } from "../../../policy/index.ts";
import type { HubSettings } from "../../options/options.ts";

/** A principal, and in team mode its groups. */
export type Reader = Pick<PolicySubject, "principal" | "groups">;

interface Shown {
  readonly policy: Policy | undefined;
  /** Why the file cannot be used; empty if it can. */
  readonly problem: string;
  readonly settings: HubSettings | undefined;
  /** In jwt mode the principal who reads it, who sees no rule for others. */
  readonly reader: Reader | undefined;
  /** The policy of the reader's organisation. */
  readonly organisations?: Policy | undefined;
  readonly mayChange: boolean;
}

export function showPolicy({ policy, problem, settings, reader, organisations, mayChange }: Shown): object {
  const isOwn = reader === undefined;
  const text = isOwn ? settings?.policyText() : undefined;
  return {
    source: settings && (policy ?? problem) ? "file" : policy ? "program" : "none",
    path: (isOwn && settings?.policyPath) || null,
    text: text ?? null,
    digest: isOwn && settings ? digestOf(text) : null,
    problem: isOwn && problem !== "" ? problem : null,
    ...described(policy, reader),
    ...(organisations && { organisation: described(organisations, reader) }),
    mayChange,
  };
}

/** Whether a rule is idle takes time for a long policy, so that it is found out once for each. */
const known = new WeakMap<Policy, object>();

function described(policy: Policy | undefined, reader: Reader | undefined): object {
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

/** A policy without the rules for other principals and groups only, and without the names of those. */
function visible(policy: Policy | undefined, reader: Reader | undefined): Policy | undefined {
  if (!policy || reader === undefined) return policy;
  const rules = policy.rules.flatMap((rule) => {
    const { principal, group } = rule.when;
    const whom = { ...(principal && { principal }), ...(group && { group }) };
    const isFor = findRule({ rules: [{ ...rule, when: whom, annotations: {} }], pin: [] }, { ...reader, agent: "" });
    return isFor ? [withoutNames(rule)] : [];
  });
  return { ...policy, rules };
}

/** A rule as those may see it whom it fits. */
export function withoutNames(rule: PolicyRule): PolicyRule {
  const { principal: _, group: __, ...when } = rule.when;
  return { ...rule, when };
}

const fields = ["principal", "agent", "door", "origin", "app", "tool"] as const;

interface Tested {
  readonly policy: Policy | undefined;
  readonly reader: Reader | undefined;
  /** The policy of the reader's organisation. */
  readonly organisations?: Policy | undefined;
}

/** The decision about a call, and the rule that makes it. */
export function testCall(asked: JsonObject, { policy, reader, organisations }: Tested): object {
  const subject = { ...readCall(asked, reader?.principal ?? "local"), ...(reader && { groups: reader.groups }) };
  if (reader !== undefined && subject.principal !== reader.principal)
    throw malformed('"principal" can only be your own here.');
  const [seen, theirs] = [visible(policy, reader), visible(organisations, reader)];
  return showDecision(stricter(seen && findRule(seen, subject), theirs && findRule(theirs, subject)));
}

export function showDecision(rule: PolicyRule | undefined): object {
  return { decision: rule?.decision ?? "allow", rule: rule ? describeRule(rule) : null };
}

/** A call that is described to be tested. */
export function readCall(asked: JsonObject, usual: string): PolicySubject {
  const { annotations = {}, groups, ...rest } = asked;
  const [unknown] = Object.keys(rest).filter((name) => !fields.some((field) => field === name));
  if (unknown !== undefined)
    throw malformed(`"${unknown.slice(0, 60)}" means nothing here. Known are: ${fields.join(", ")}, groups.`);
  const texts = Object.entries(rest).map(([name, value]) => {
    if (typeof value === "string" && value.length <= 1024) return [name, value] as const;
    throw malformed(`"${name}" must be a text of at most 1024 characters.`);
  });
  const { principal = usual, agent = "", door, ...more } = Object.fromEntries(texts);
  if (door !== undefined && !policyDoors.some((one) => one === door))
    throw malformed(`"door" is one of ${policyDoors.join(", ")}.`);
  return { principal, agent, door, ...more, groups: readGroups(groups), annotations: readHints(annotations) };
}

function readGroups(given: unknown): readonly string[] | undefined {
  const isGroups = (value: unknown): value is string[] =>
    Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === "string" && one.length <= 256);
  if (given === undefined || isGroups(given)) return given;
  throw malformed('"groups" must be a list of at most 100 texts.');
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
