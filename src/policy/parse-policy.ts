// Parses a policy.json into a policy, or throws an error with the line and column. Nothing is guessed: an unknown
// word, such as a mistyped "origins", would leave a rule that matches more than intended.
import { parseLocatedJson, problemAt } from "./located-json.ts";
import type { LocatedJson, LocatedMember } from "./located-json.ts";
import { isOriginPattern, policyDecisions, policyDoors, policyFields, policyHints } from "./policy.ts";
import type { Policy, PolicyDecision, PolicyField, PolicyRate, PolicyRule } from "./policy.ts";

const maxDepth = 8;
const maxRules = 1000;
const maxPatterns = 1000;
const maxPatternLength = 256;
const maxReasonLength = 500;
const labelForm = /^[\w.-]{1,64}$/;
const rateForm = /^([1-9]\d{0,5})\/(second|minute|hour|day)( together)?$/;

const periods = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

type Members = ReadonlyMap<string, LocatedMember>;

/** Parses a policy; throws its first error. */
export function parsePolicy(text: string): Policy {
  return new PolicyParser(text).parse();
}

class PolicyParser {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Policy {
    const root = parseLocatedJson(this.#text, maxDepth);
    const members = this.#membersOf(root, ["rules", "pin"]);
    const [rules, pin] = [members.get("rules"), members.get("pin")];
    return {
      rules: rules ? this.#rulesOf(rules) : this.#problem(root.at, 'There is no "rules": [].'),
      // An empty list pins nothing; a rule with one would match nothing.
      pin: pin && !(pin.value.kind === "list" && pin.value.items.length === 0) ? this.#patternsOf("origin", pin) : [],
    };
  }

  #membersOf(value: LocatedJson, known: readonly string[]): Members {
    if (value.kind !== "object") return this.#problem(value.at, "Here an object should be: {…}.");
    for (const [name, { at }] of value.members) {
      if (!known.includes(name))
        this.#problem(at, `"${name.slice(0, 60)}" means nothing here. Known are: ${known.join(", ")}.`);
    }
    return value.members;
  }

  #textOf({ value, at }: LocatedMember, what: string, maxLength: number): string {
    if (value.kind !== "text") return this.#problem(at, `${what} must be a text.`);
    if (value.value === "" || value.value.length > maxLength)
      this.#problem(value.at, `${what} must have 1 to ${maxLength} characters.`);
    return value.value;
  }

  #patternsOf(field: PolicyField, { value, at }: LocatedMember): readonly string[] {
    const items = value.kind === "list" ? value.items : [value];
    if (items.length === 0 || items.length > maxPatterns)
      this.#problem(value.at, `"${field}" must name something, and at most ${maxPatterns}.`);
    return items.map((item) => {
      const pattern = this.#textOf(
        { at: value.kind === "list" ? item.at : at, value: item },
        `"${field}"`,
        maxPatternLength,
      );
      const wrong = patternProblem(field, pattern);
      return wrong === undefined ? pattern : this.#problem(item.at, wrong);
    });
  }

  #annotationsOf(member: LocatedMember | undefined): PolicyRule["annotations"] {
    const hints = member ? this.#membersOf(member.value, policyHints) : new Map<string, LocatedMember>();
    const entries = [...hints].map(([name, { at, value }]) => {
      const isFlag = value.kind === "other" && typeof value.value === "boolean";
      return [name, isFlag ? value.value : this.#problem(at, `"${name}" must be true or false.`)] as const;
    });
    return Object.fromEntries(entries);
  }

  #decisionOf(rule: LocatedJson, member: LocatedMember | undefined): PolicyDecision {
    if (!member) return this.#problem(rule.at, 'This rule has no "decision": "allow", "ask" or "deny".');
    const given = member.value.kind === "text" ? member.value.value : "";
    const decision = policyDecisions.find((each) => each === given);
    return decision ?? this.#problem(member.value.at, 'A "decision" is "allow", "ask" or "deny".');
  }

  #rateOf(member: LocatedMember | undefined, decision: PolicyDecision): PolicyRate | undefined {
    if (!member) return undefined;
    if (decision === "deny") this.#problem(member.at, 'A rule that denies lets no call in: leave out "rate".');
    const given = this.#textOf(member, '"rate"', maxPatternLength);
    const [, calls, period, together] = rateForm.exec(given) ?? [];
    if (!calls || !isPeriod(period))
      return this.#problem(
        member.value.at,
        'A "rate" is written as 30/minute: up to 999999, by second, minute, hour or day. It is of each user, or of all: 30/minute together.',
      );
    return {
      ...{ calls: Number(calls), milliseconds: periods[period], text: given },
      ...(together !== undefined && { isShared: true }),
    };
  }

  #labelOf(member: LocatedMember | undefined, number: number): string {
    if (!member) return `rule ${number}`;
    const label = this.#textOf(member, '"name"', 64);
    return labelForm.test(label)
      ? label
      : this.#problem(member.value.at, 'A "name" has letters, digits, dots, dashes and underscores only.');
  }

  #ruleOf(value: LocatedJson, index: number): PolicyRule {
    const members = this.#membersOf(value, ["name", ...policyFields, "annotations", "decision", "rate", "reason"]);
    const decision = this.#decisionOf(value, members.get("decision"));
    const reason = members.get("reason");
    const when = policyFields.flatMap((field) => {
      const member = members.get(field);
      return member ? [[field, this.#patternsOf(field, member)] as const] : [];
    });
    return {
      label: this.#labelOf(members.get("name"), index + 1),
      decision,
      when: Object.fromEntries(when),
      annotations: this.#annotationsOf(members.get("annotations")),
      rate: this.#rateOf(members.get("rate"), decision),
      reason: reason && this.#textOf(reason, '"reason"', maxReasonLength),
    };
  }

  #rulesOf({ value, at }: LocatedMember): readonly PolicyRule[] {
    if (value.kind !== "list") return this.#problem(at, '"rules" must be a list of rules: […].');
    if (value.items.length > maxRules) this.#problem(value.at, `There are more than ${maxRules} rules.`);
    const labels = new Set<string>();
    return value.items.map((item, index) => {
      const rule = this.#ruleOf(item, index);
      if (labels.has(rule.label)) this.#problem(item.at, `Two rules have the name "${rule.label}".`);
      labels.add(rule.label);
      return rule;
    });
  }

  #problem(at: number, problem: string): never {
    throw problemAt(this.#text, at, problem);
  }
}

function isPeriod(word: string | undefined): word is keyof typeof periods {
  return word !== undefined && word in periods;
}

/** Why this is an invalid pattern for a field, or one that never matches. */
function patternProblem(field: PolicyField, pattern: string): string | undefined {
  if (field === "door" && !policyDoors.some((door) => door === pattern))
    return `There is no door "${pattern.slice(0, 60)}". There are: ${policyDoors.join(", ")}.`;
  if (field === "origin" && !isOriginPattern(pattern))
    return `"${pattern.slice(0, 100)}" is no origin as browsers send it, such as https://shop.example, and no pattern of one: https://*.shop.example, http://localhost:* or *.`;
  return undefined;
}
