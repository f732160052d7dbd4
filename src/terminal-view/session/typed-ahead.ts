/** What somebody types while there is no way to their shell. */
export interface TypedAhead {
  /** How many characters wait. */
  readonly length: number;
  /** Keeps a text, all of it or nothing; says whether there was room. */
  add(text: string): boolean;
  /** Gives what waits, and keeps it no longer. */
  take(): string;
}

/** So much is kept: a few lines, which somebody still knows that they typed. */
const most = 4096;

export function createTypedAhead(): TypedAhead {
  let kept = "";
  return {
    get length() {
      return kept.length;
    },
    add(text) {
      if (kept.length + text.length > most) return false;
      kept += text;
      return true;
    },
    take() {
      const all = kept;
      kept = "";
      return all;
    },
  };
}
