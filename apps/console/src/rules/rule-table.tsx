import { showInvisible } from "pagewire/wire";
import { Badge } from "../../../common/src/ui/index.ts";
import type { Tone } from "../../../common/src/ui/index.ts";

/** A rule as the hub describes it. */
export interface ShownRule {
  readonly label: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly words: string;
  readonly reason?: string | undefined;
  /** Why it never decides, where that is so. */
  readonly never?: string | undefined;
}

export const decisionTones: Readonly<Record<ShownRule["decision"], Tone>> = { allow: "ok", ask: "wait", deny: "bad" };

interface RuleTableProps {
  readonly rules: readonly ShownRule[];
  readonly label?: string;
}

/** Rules in their order, with what each does in words. */
export function RuleTable({ rules, label = "Rules in their order" }: RuleTableProps) {
  if (rules.length === 0) return null;
  return (
    <div class="box rules-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="rules-table">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Decision</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ label, decision, words, reason, never }) => (
            <tr key={label}>
              <th scope="row">{showInvisible(label)}</th>
              <td>
                <Badge tone={decisionTones[decision]}>{decision}</Badge>
              </td>
              <td>
                <span>{showInvisible(words)}</span>
                {reason !== undefined && <p class="hint">Reason: {showInvisible(reason)}</p>}
                {never !== undefined && <p class="problem">It never decides, because {showInvisible(never)}.</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
