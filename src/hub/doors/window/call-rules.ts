// The hub's policy on the calls of an agent's window, and their audit. The conversation's switchboard knows
// neither the tools nor their origins, so both are done here.
import { named, whose } from "../../../policy/index.ts";
import type { CallPolicy, PolicyRule, PolicySubject } from "../../../policy/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { Json, Tool } from "../../../wire/index.ts";
import type { Audit } from "../../audit/audit.ts";
import { waitOf } from "../../audit/call-steps.ts";
import type { OtherCall } from "../../audit/call-records.ts";
import { notAllowed } from "./call-errors.ts";

export interface ParentCall {
  readonly name: string;
  /** The page that offers the tool. */
  readonly origin: string | undefined;
  readonly arguments: unknown;
  /** The model's id for the call. */
  readonly callId: string;
  /** The grounds on which the call was allowed. */
  readonly decidedBy: string;
  /** How many milliseconds its user was asked for it. */
  readonly waited?: number | undefined;
  readonly signal: AbortSignal;
}

export interface CallRulesOptions {
  readonly principal: string;
  readonly audit: Pick<Audit, "call">;
  readonly policy: CallPolicy;
}

type CallEnd = Pick<OtherCall, "outcome" | "ran" | "code" | "milliseconds" | "trace"> & {
  readonly rule: PolicyRule | undefined;
};

/** The name of the hub's own model as an agent. */
export const modelName = "ai-agent";

/** A window tool as policy rules see it. */
export function windowSubject(
  { name, annotations }: Tool,
  origin: string | undefined,
): Omit<PolicySubject, "principal" | "agent"> {
  return { door: "window", origin, tool: name, annotations };
}

export class CallRules {
  readonly #options: CallRulesOptions;

  constructor(options: CallRulesOptions) {
    this.#options = options;
  }

  ruleFor({ name, origin }: ParentCall, tools: readonly Tool[]): PolicyRule | undefined {
    const { policy, principal } = this.#options;
    const tool = policy.isOn ? tools.find((one) => one.name === name) : undefined;
    return tool && policy.judge({ principal, agent: modelName, ...windowSubject(tool, origin) });
  }

  refusalBy(rule: PolicyRule | undefined, call: ParentCall): PagewireError | undefined {
    if (!rule) return undefined;
    if (rule.decision === "ask" && call.decidedBy !== "user")
      return notAllowed(call, `${whose(rule).toLowerCase()} policy wants the user to allow it (${named(rule)})`);
    const { policy, principal } = this.#options;
    const { name: tool, origin } = call;
    const end =
      rule.decision === "deny"
        ? policy.denial(rule, { principal, agent: modelName, tool, origin })
        : policy.overRate(rule, principal);
    return (
      end && new PagewireError(end.code ?? "policy-denied", end.message ?? "", { retryAfter: end.retryAfter ?? 0 })
    );
  }

  /** Counts a call that begins towards the rule's rate. */
  count(rule: PolicyRule | undefined): void {
    if (rule) this.#options.policy.count(rule, this.#options.principal);
  }

  recordEnd(call: ParentCall, { rule, ...end }: CallEnd, result?: Json): void {
    const { audit, principal } = this.#options;
    const { name, origin, arguments: given } = call;
    audit.call({
      principal,
      agent: modelName,
      door: "window",
      origin,
      name,
      decidedBy: rule && call.decidedBy === "not-asked" ? "policy" : call.decidedBy,
      ...end,
      steps: waitOf(call.waited),
      ...(rule && { details: { rule: rule.label } }),
      given: JSON.stringify(given ?? {}),
      result: result === undefined ? undefined : JSON.stringify(result),
    });
  }
}
