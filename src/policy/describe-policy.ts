// A policy for people and programs: each rule with what it says in words.
import { whyNever } from "./policy.ts";
import type { Policy, PolicyHint, PolicyRate, PolicyRule } from "./policy.ts";

/** A rule as JSON. */
export interface DescribedRule extends Pick<PolicyRule, "label" | "decision" | "when" | "annotations"> {
  readonly rate: string | undefined;
  readonly reason: string | undefined;
  /** The effect of the rule, in a sentence. */
  readonly words: string;
}

/** The rules of a policy, each with why it never decides where that is so, and the pinned origins. */
export function describePolicy(policy: Policy) {
  const rules = policy.rules.map((rule) => ({ ...describeRule(rule), never: whyNever(policy, rule) }));
  return { rules, pin: policy.pin };
}

export function describeRule(rule: PolicyRule): DescribedRule {
  const { label, decision, when, annotations, rate, reason } = rule;
  return { label, decision, when, annotations, rate: rate?.text, reason, words: explainRule(rule) };
}

const verbs = { allow: "Lets in", ask: "Asks a person about", deny: "Refuses" } as const;

const hintWords: Readonly<Record<PolicyHint, readonly [yes: string, no: string]>> = {
  readOnlyHint: ["that only read", "that change something"],
  destructiveHint: ["that may destroy something", "that destroy nothing"],
  idempotentHint: ["that do no more when called again", "that do more when called again"],
  openWorldHint: ["that reach beyond their page", "that stay within their page"],
};

/** The effect of a rule, in a sentence. */
function explainRule({ decision, when, annotations, rate }: PolicyRule): string {
  const hints = Object.entries(annotations).map(([hint, isSo]) => hintWords[hint as PolicyHint][isSo ? 0 : 1]);
  const tools = when.tool && `calls of ${oneOf(when.tool)}`;
  const what = hints.length === 0 ? (tools ?? "everything") : `${tools ?? "calls of tools"} ${hints.join(" and ")}`;
  const conditions = [
    when.origin && `in pages of ${oneOf(when.origin, "any origin")}`,
    when.app && `in the app ${oneOf(when.app)}`,
    when.agent && `by ${oneOf(when.agent, "any agent")}`,
    when.door && `through ${oneOf(when.door)}`,
    when.group && `for people in ${oneOf(when.group, "any group")}`,
    when.principal && `for ${oneOf(when.principal, "anybody")}`,
    rate && `at most ${rateWords(rate)}`,
  ].filter((condition) => condition !== undefined);
  return `${[verbs[decision], what, ...conditions].join(" ")}.`;
}

function rateWords({ text, isShared }: PolicyRate): string {
  const [count = "", period = ""] = text.split(/[/ ]/);
  return `${count} a ${period} for ${isShared ? "all users together" : "each user"}`;
}

function oneOf(patterns: readonly string[], any = "any tool"): string {
  return patterns.map((pattern) => (pattern === "*" ? any : pattern)).join(" or ");
}
