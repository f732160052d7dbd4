// A policy: rules that decide whether a call may begin. The first that matches decides; if none does, the call begins.
import type { ToolAnnotations } from "../wire/index.ts";

/** Each is stricter than those before it. */
export const policyDecisions = ["allow", "ask", "deny"] as const;
export type PolicyDecision = (typeof policyDecisions)[number];

/** The doors of a hub, by their names in rules and the audit log. */
export const policyDoors = ["mcp", "http", "socket", "delegate", "model", "window"] as const;

/** The fields of a call that a rule can match, each against patterns of which one must match. */
export const policyFields = ["principal", "group", "agent", "door", "origin", "app", "tool"] as const;
export type PolicyField = (typeof policyFields)[number];

export const policyHints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
export type PolicyHint = (typeof policyHints)[number];

/** The facts about a call that rules use. Undefined matches no pattern. */
export interface PolicySubject {
  readonly principal: string;
  /** The groups of the principal, as its identity provider says; only in team mode. */
  readonly groups?: readonly string[] | undefined;
  /** The agent's name for itself; it is not verified. */
  readonly agent: string;
  readonly door?: string | undefined;
  /** Of the page that it goes to; undefined for one of the hub's own tools. */
  readonly origin?: string | undefined;
  readonly app?: string | undefined;
  /** The page's name for the tool; undefined for a resource, a prompt or a completion. */
  readonly tool?: string | undefined;
  /** The page's annotations of its tool. */
  readonly annotations?: ToolAnnotations | undefined;
}

/** A max number of calls per period. */
export interface PolicyRate {
  readonly calls: number;
  readonly milliseconds: number;
  /** As the file has it: 30/minute. */
  readonly text: string;
  /** Whether all whom the rule fits share it: those of one organisation, where there are some. */
  readonly isShared?: true;
}

export interface PolicyRule {
  /** Its own name, else its number: `rule 3`; of an organisation's policy after `organisation `. */
  readonly label: string;
  readonly decision: PolicyDecision;
  readonly when: Readonly<Partial<Record<PolicyField, readonly string[]>>>;
  readonly annotations: Readonly<Partial<Record<PolicyHint, boolean>>>;
  /** The rate limit of each principal, or of all together. */
  readonly rate: PolicyRate | undefined;
  /** The reason, as a message for the agent. */
  readonly reason: string | undefined;
  /** The rule of the other policy that matches the same call, and whose rate counts as well. */
  readonly beside?: PolicyRule;
}

const organisations = "organisation ";

/** A rule's name in a sentence. */
export function named(rule: PolicyRule): string {
  const own = isHubs(rule) ? rule.label : rule.label.slice(organisations.length);
  return own.startsWith("rule ") ? own : `rule "${own}"`;
}

export function isHubs({ label }: PolicyRule): boolean {
  return !label.startsWith(organisations);
}

/** Whose policy a rule is of, as the beginning of a sentence. */
export function whose(rule: PolicyRule): string {
  return isHubs(rule) ? "The hub's" : "Your organisation's";
}

/** An organisation's policy: its rules are kept apart from the hub's, and so are their rates. */
export function ofOrganisation({ rules, pin }: Policy): Policy {
  return { pin, rules: rules.map((rule) => ({ ...rule, label: `${organisations}${rule.label}` })) };
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  /** Patterns of the origins whose tools are shown to agents only as first seen. */
  readonly pin: readonly string[];
}

/**
 * Whether a text matches a pattern, in time proportional to their lengths' product at most. "*" matches any characters, also
 * none; everything else matches itself. There is no other wildcard.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  /** The position of the last star, and the end of the text it matches. */
  let star = -1;
  let held = 0;
  while (at < text.length) {
    if (pattern[from] === "*") {
      star = from++;
      held = at;
    } else if (from < pattern.length && pattern[from] === text[at]) {
      from++;
      at++;
    } else if (star >= 0) {
      from = star + 1;
      at = ++held;
    } else return false;
  }
  while (pattern[from] === "*") from++;
  return from === pattern.length;
}

/** Browsers omit a scheme's default port. */
const ownPort = /^(https:.*:443|http:.*:80)$/;
const originForm = /^[a-z][a-z0-9+.-]*:\/\/(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:(\*|[0-9]{1,5}))?$/;

/**
 * Whether this is a valid pattern of an origin: "*" alone, an origin, one with "*." before its host, or with "*" as its port.
 * A star elsewhere could match other hosts, such as shop.example.evil.com.
 */
export function isOriginPattern(pattern: string): boolean {
  return pattern === "*" || (originForm.test(pattern) && !ownPort.test(pattern));
}

/** The first rule that matches a call, which decides; undefined if none does. */
export function findRule({ rules }: Policy, subject: PolicySubject): PolicyRule | undefined {
  return rules.find((rule) => fits(rule, subject));
}

/** The rule that decides where two policies have one: the stricter, and of equals the first. */
export function stricter(first: PolicyRule | undefined, second: PolicyRule | undefined): PolicyRule | undefined {
  if (!first || !second) return first ?? second;
  const isSecond = policyDecisions.indexOf(second.decision) > policyDecisions.indexOf(first.decision);
  return isSecond ? { ...second, beside: first } : { ...first, beside: second };
}

function fits({ when, annotations }: PolicyRule, subject: PolicySubject): boolean {
  for (const field of policyFields) {
    const patterns = when[field];
    if (!patterns) continue;
    const isFit = field === "group" ? fitsGroups(subject.groups, patterns) : fitsOne(subject[field], patterns);
    if (!isFit) return false;
  }
  for (const hint of policyHints) {
    const wanted = annotations[hint];
    if (wanted !== undefined && !(subject.tool !== undefined && hintOf(subject, hint) === wanted)) return false;
  }
  return true;
}

function fitsOne(value: string | undefined, patterns: readonly string[]): boolean {
  return value !== undefined && patterns.some((pattern) => fitsPattern(value, pattern));
}

/** By groups and patterns, which stay the same objects from call to call: a person may be in many groups. */
const fitting = new WeakMap<readonly string[], WeakMap<readonly string[], boolean>>();

function fitsGroups(groups: readonly string[] | undefined, patterns: readonly string[]): boolean {
  if (!groups) return false;
  const known = fitting.get(groups) ?? new WeakMap<readonly string[], boolean>();
  const isFit = known.get(patterns) ?? groups.some((group) => fitsOne(group, patterns));
  fitting.set(groups, known.set(patterns, isFit));
  return isFit;
}

/** MCP's defaults for missing hints: a tool writes and may destroy. */
function hintOf({ annotations = {} }: PolicySubject, hint: PolicyHint): boolean {
  const isReadOnly = annotations.readOnlyHint === true;
  if (hint === "destructiveHint" && isReadOnly) return false;
  const given = annotations[hint];
  return typeof given === "boolean" ? given : hint === "destructiveHint" || hint === "openWorldHint";
}

/** Why a rule of a policy never decides on a call, in words that follow "because"; undefined if it may. */
export function whyNever({ rules }: Policy, rule: PolicyRule): string | undefined {
  if (rule.annotations.readOnlyHint && rule.annotations.destructiveHint)
    return "a tool that only reads counts as one that destroys nothing";
  const before = rules.slice(0, rules.indexOf(rule)).find((each) => covers(each, rule));
  return before && `${named(before)} stands before it and fits all that it fits`;
}

/** Whether a rule matches every call that another one matches. A pattern covers another if it matches that pattern's text. */
function covers(wide: PolicyRule, narrow: PolicyRule): boolean {
  const fields = policyFields.every((field) => {
    const patterns = wide.when[field];
    return !patterns || narrow.when[field]?.every((each) => patterns.some((one) => fitsPattern(each, one))) === true;
  });
  return fields && policyHints.every((hint) => [undefined, narrow.annotations[hint]].includes(wide.annotations[hint]));
}
