// The same key has the same outcome, as long as the hub keeps it.
import type { Answer, Attempt } from "../history.ts";
import { nameOf } from "./case.ts";
import type { Case } from "./case.ts";

/** The hub's limit `keyTime`, less a margin for a busy machine. */
const kept = 9.5 * 60_000;

/**
 * Refusals that end as `outcome-unknown` because the key may have been used before: they are about this attempt only, and a
 * later one may have a definite outcome.
 */
const refusals: readonly (string | undefined)[] = [
  ...["tool-not-found", "tab-not-found", "offer-not-found", "tab-gone", "tool-ambiguous", "calls-too-many"],
  ...["going-away", "not-saved", "deadline-exceeded"],
];

export function wrongOutcomes({ call }: Case): readonly string[] {
  if (call.key === undefined) return [];
  const [first, ...others] = call.attempts.filter(isFinal).sort((one, other) => one.answer.at - other.answer.at);
  if (first === undefined) return [];
  return others.flatMap((attempt) => {
    if (attempt.answer.outcome === "expired" && attempt.sentAt - first.sentAt > kept) return [];
    const [before, now] = [describe(first.answer), describe(attempt.answer)];
    if (before === now) return [];
    return [`${nameOf(call, first)} was told ${before}, and ${nameOf(call, attempt)} ${now}.`];
  });
}

/** Whether the answer is about the key, and not only about this attempt, as after its own cancellation or timeout. */
function isFinal(attempt: Attempt): attempt is Attempt & { readonly answer: Answer } {
  const { answer, cancelledAt } = attempt;
  if (answer === undefined || answer.ran === "no") return false;
  if (answer.outcome === "deadline-exceeded" && !answer.isReplay) return false;
  if (answer.outcome === "cancelled" && cancelledAt !== undefined) return false;
  return !(answer.outcome === "outcome-unknown" && refusals.includes(answer.code));
}

function describe({ outcome, ran, code, result }: Answer): string {
  const more = outcome === "ok" ? `the result of run ${String(result?.run)}` : (code ?? "no code");
  return `${outcome}, ran: ${ran}, ${more}`;
}
