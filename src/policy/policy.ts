// A policy: rules that decide whether a call may begin. The first that matches decides; if none does, the call begins.
import type { ToolAnnotations } from "../wire/index.ts";

export const policyDecisions = ["allow", "ask", "deny"] as const;
export type PolicyDecision = (typeof policyDecisions)[number];

/** The doors of a hub, by their names in rules and the audit log. */
export const policyDoors = ["mcp", "http", "socket", "delegate", "model", "window"] as const;

/** The fields of a call that a rule can match, each against patterns of which one must match. */
export const policyFields = ["principal", "agent", "door", "origin", "app", "tool"] as const;
export type PolicyField = (typeof policyFields)[number];

export const policyHints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
export type PolicyHint = (typeof policyHints)[number];

/** The facts about a call that rules use. Undefined matches no pattern. */
export interface PolicySubject {
  readonly principal: string;
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
}

export interface PolicyRule {
  /** Its own name, else its number: `rule 3`. */
  readonly label: string;
  readonly decision: PolicyDecision;
  readonly when: Readonly<Partial<Record<PolicyField, readonly string[]>>>;
  readonly annotations: Readonly<Partial<Record<PolicyHint, boolean>>>;
  /** The rate limit of each principal. */
  readonly rate: PolicyRate | undefined;
  /** The reason, as a message for the agent. */
  readonly reason: string | undefined;
}

/** A rule's name in a sentence. */
export function named({ label }: PolicyRule): string {
  return label.startsWith("rule ") ? label : `rule "${label}"`;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  /** Patterns of the origins whose tools are shown to agents only as first seen. */
  readonly pin: readonly string[];
}
