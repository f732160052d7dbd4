/** The cost of some calls. */
export interface Cost {
  readonly calls: number;
  /** Tokens of the results that the model reads. */
  readonly read: number;
  /** Tokens of the calls that it writes: name and arguments. */
  readonly written: number;
  readonly milliseconds: number;
}

export const nothing: Cost = { calls: 0, read: 0, written: 0, milliseconds: 0 };

/** All of them together. */
export function sumOf(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((before, cost) => before + of(cost), 0);
  return {
    calls: sum(({ calls }) => calls),
    read: sum(({ read }) => read),
    written: sum(({ written }) => written),
    milliseconds: sum(({ milliseconds }) => milliseconds),
  };
}

/** Tokens of a list of tools, and what followed it, in order. */
export interface Conversation {
  readonly list: number;
  readonly parts: readonly Cost[];
}

/** Every token once. */
export function allIn({ list, parts }: Conversation): number {
  const { read, written } = sumOf(parts);
  return list + read + written;
}

/** A model's total input over all turns: at each, the list and all earlier messages. */
export function inputOverTurns({ list, parts }: Conversation): number {
  let input = 0;
  let context = list;
  for (const { calls, read, written } of parts) {
    for (let call = 0; call < calls; call++) {
      input += context;
      context += (read + written) / calls;
    }
  }
  // After the last result it answers the user.
  return Math.round(input + context);
}
