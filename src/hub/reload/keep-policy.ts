// The hub's policy, read again whenever its file may have changed. An invalid policy is refused, and the previous one stays in
// force.
import { hash } from "node:crypto";
import { createCallPolicy } from "../../policy/index.ts";
import type { CallPolicy, Organisations, Policy } from "../../policy/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Note } from "../common/log.ts";
import type { SharedUse } from "../common/shared-use.ts";

export interface KeptPolicy {
  readonly calls: CallPolicy;
  /** The policy in force. */
  readonly current: Policy | undefined;
  /** Why the file cannot be used, while the policy before it holds; empty if it can. */
  readonly problem: string;
  /** Reads the policy again; returns whether it changed. */
  review(): boolean;
}

export interface KeepPolicyOptions {
  readonly first: Policy | undefined;
  /** Throws for an invalid policy. */
  readonly read: () => Policy | undefined;
  readonly now: () => number;
  readonly note: Note;
  readonly record: Audit["record"];
  /** For a hub that is one of several: rates count the calls of all. */
  readonly use?: SharedUse | undefined;
  readonly organisations?: Organisations | undefined;
}

export function keepPolicy(options: KeepPolicyOptions): KeptPolicy {
  const { first, read, note, record } = options;
  const calls = createCalls(options);
  let current = first;
  let seen = digestOf(first);
  let problem = "";

  function recordChange(outcome: "changed" | "refused", details: { readonly [name: string]: string | number }): void {
    record({ kind: "policy", principal: "", name: "policy.json", outcome, details });
  }

  function refuse(why: string): false {
    if (why === problem) return false;
    problem = why;
    note("error", "policy-refused", { message: `${why} The policy before it holds.` });
    recordChange("refused", { problem: why.slice(0, 256) });
    return false;
  }

  return {
    calls,
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    review() {
      let policy: Policy | undefined;
      try {
        policy = read();
      } catch (error) {
        return refuse(messageOf(error));
      }
      problem = "";
      const digest = digestOf(policy);
      if (digest === seen) return false;
      seen = digest;
      current = policy;
      calls.replace(policy);
      const rules = policy?.rules.length ?? 0;
      note("info", "policy-changed", { rules });
      recordChange("changed", { rules, digest });
      return true;
    },
  };
}

function createCalls({ now, first, use, organisations }: KeepPolicyOptions): CallPolicy {
  const onCounted = use && ((rate: string, principal: string) => use.count(principal, `rule ${rate}`, 1));
  const calls = createCallPolicy(now, first, { onCounted, organisations });
  use?.onCounted((principal, what, count) => {
    if (what.startsWith(rulePrefix)) calls.countElsewhere(what.slice(rulePrefix.length), principal, count);
  });
  return calls;
}

const rulePrefix = "rule ";

function digestOf(policy: Policy | undefined): string {
  return hash("sha256", JSON.stringify(policy ?? null));
}
