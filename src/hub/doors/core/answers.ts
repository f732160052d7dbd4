import { systemClock } from "../../../link/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { TokenBudgets } from "../../../wire/index.ts";
import type { Door } from "../door.ts";

/** The client that wants an answer. */
export interface Asking {
  readonly principal: string;
  readonly allowed: TokenBudgets | undefined;
}

export interface Answers {
  readonly size: number;
  /** Throws if the principal or the hub is at its limit. Call the returned function when the answer ends. */
  begin(whose: Asking, model: string): (tokens: number, isDone: boolean) => void;
}

export function createAnswers({ limits, metrics, note, refusal }: Door): Answers {
  const running = new Map<string, number>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    begin({ principal, allowed }, model) {
      const refused = refusal();
      if (refused) throw new PagewireError("going-away", refused.message ?? "The hub is stopping.");
      const own = running.get(principal) ?? 0;
      const { answersPerPrincipal: max } = { ...limits, ...allowed };
      if (own >= max) {
        metrics.overBudget("answersPerPrincipal");
        throw new PagewireError(
          "calls-too-many",
          `${max} answers are being written already (limit answersPerPrincipal). Wait for one of them.`,
        );
      }
      running.set(principal, own + 1);
      size++;
      const begun = systemClock.now();
      return (tokens, isDone) => {
        const left = (running.get(principal) ?? 1) - 1;
        if (left > 0) running.set(principal, left);
        else running.delete(principal);
        size--;
        metrics.answered(isDone, tokens);
        note("info", "model-answered", { model, isDone, tokens, ms: Math.round(systemClock.now() - begun) });
      };
    },
  };
}
