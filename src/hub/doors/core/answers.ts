import { systemClock } from "../../../link/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { TokenBudgets } from "../../../wire/index.ts";
import { createUseCounts } from "../../common/use-counts.ts";
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

export function createAnswers({ limits, metrics, note, refusal, cluster, enterShare }: Door): Answers {
  const onOver = metrics.overBudget;
  const counts = createUseCounts({
    ...{ name: "answersPerPrincipal", limits, onOver, use: cluster?.use, refusal: tooMany },
    share: enterShare && ((principal) => enterShare(principal, "answers")),
  });
  let size = 0;

  return {
    get size() {
      return size;
    },
    begin({ principal, allowed }, model) {
      const refused = refusal();
      if (refused) throw new PagewireError("going-away", refused.message ?? "The hub is stopping.");
      const leave = counts.enter({ principal, allowed });
      size++;
      const begun = systemClock.now();
      return (tokens, isDone) => {
        leave();
        size--;
        metrics.answered(isDone, tokens);
        note("info", "model-answered", { model, isDone, tokens, ms: Math.round(systemClock.now() - begun) });
      };
    },
  };
}

function tooMany(max: number): PagewireError {
  const message = `${max} answers are being written already (limit answersPerPrincipal). Wait for one of them.`;
  return new PagewireError("calls-too-many", message);
}
