// The policy of a hub: read when it starts and whenever its file may be another one. One that cannot be used is refused, and
// the one before it holds.
import { hash } from "node:crypto";
import { createCallPolicy } from "../../policy/index.ts";
import type { CallPolicy, Policy } from "../../policy/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Note } from "../common/log.ts";

export interface KeptPolicy {
  readonly calls: CallPolicy;
  /** Whether what was read last is refused. */
  readonly isRefused: boolean;
  /** It may be another one; says whether it is. */
  review(): boolean;
}

export interface KeepPolicyOptions {
  /** What was read first. */
  readonly first: Policy | undefined;
  /** Throws what is wrong with it. */
  readonly read: () => Policy | undefined;
  readonly now: () => number;
  readonly note: Note;
  readonly record: Audit["record"];
}

export function keepPolicy({ first, read, now, note, record }: KeepPolicyOptions): KeptPolicy {
  const calls = createCallPolicy(now, first);
  let seen = digestOf(first);
  let problem = "";

  function tell(outcome: "changed" | "refused", details: { readonly [name: string]: string | number }): void {
    record({ kind: "policy", principal: "", name: "policy.json", outcome, details });
  }

  function refuse(why: string): false {
    if (why === problem) return false;
    problem = why;
    note("error", "policy-refused", { message: `${why} The policy before it holds.` });
    tell("refused", { problem: why.slice(0, 256) });
    return false;
  }

  return {
    calls,
    get isRefused() {
      return problem !== "";
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
      calls.replace(policy);
      const rules = policy?.rules.length ?? 0;
      note("info", "policy-changed", { rules });
      tell("changed", { rules, digest });
      return true;
    },
  };
}

function digestOf(policy: Policy | undefined): string {
  return hash("sha256", JSON.stringify(policy ?? null));
}
