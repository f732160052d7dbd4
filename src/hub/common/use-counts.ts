import type { PagewireError, Limits, OnOver, TokenBudgets } from "../../wire/index.ts";
import type { AmountName, SharedUse } from "./shared-use.ts";

/** Counts the things of one kind that each principal has. */
export interface UseCounts {
  /** Counts one more; throws if there are too many. Returns a function that uncounts it. */
  enter(whose: Counted): () => void;
}

interface Counted {
  readonly principal: string;
  readonly allowed?: TokenBudgets | undefined;
}

/** The kinds that count for a whole organisation too, in team mode. */
export type EnteredShare = "sockets" | "answers" | "streams";

/** Counts one more thing of a principal's organisation; throws if there are too many. Returns a function that uncounts it. */
export type EnterShare = (principal: string, name: EnteredShare) => () => void;

export interface UseCountsOptions<Name extends AmountName> {
  readonly name: Name;
  readonly limits: Pick<Limits, Name>;
  readonly onOver: OnOver;
  /** For a hub that is one of several: the things at the others count as well. */
  readonly use: SharedUse | undefined;
  /** In team mode: the share of its organisation. */
  readonly share?: ((principal: string) => () => void) | undefined;
  readonly refusal: (max: number) => PagewireError;
}

export function createUseCounts<Name extends AmountName>(options: UseCountsOptions<Name>): UseCounts {
  const { name, limits, onOver, use, share, refusal } = options;
  const counts = new Map<string, Record<AmountName, number>>();
  return {
    enter({ principal, allowed }) {
      const own = counts.get(principal) ?? ({ [name]: 0 } as Record<AmountName, number>);
      const max = allowed?.[name] ?? limits[name];
      if (own[name] + (use?.elsewhere(principal, name, max) ?? 0) >= max) {
        onOver(name);
        throw refusal(max);
      }
      const changeBy = (difference: number) => {
        own[name] += difference;
        if (own[name] > 0) counts.set(principal, own);
        else counts.delete(principal);
        use?.changed(principal, own);
      };
      const leaveShare = share?.(principal);
      changeBy(1);
      return () => {
        leaveShare?.();
        changeBy(-1);
      };
    },
  };
}
