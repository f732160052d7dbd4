/** One line of bench/results.json. */
export interface Row {
  /** The family, such as "hub-hop". */
  readonly row: string;
  readonly size: string;
  /** The measured quantity, with its unit. */
  readonly metric: string;
  readonly pagewire: number;
  readonly floor: number | null;
  readonly peers: Readonly<Record<string, number>>;
  /** The median over rounds of pagewire's figure over the floor's in the same round. */
  readonly ratio: number | null;
  /** The 95 % confidence interval of that ratio, from the distribution of the rounds' ratios. */
  readonly interval?: readonly [low: number, high: number];
  /** How many rounds it took. */
  readonly rounds?: number;
  /** The most that `ratio` may be; where `ratio` is null, the most that `pagewire` may be. */
  readonly bar: number | null;
  readonly met: boolean | null;
}

/** The input of a family of rows. */
export interface Bench {
  /** Everything once and briefly: shows that it runs, not how fast. */
  readonly quick: boolean;
  /** How often each contestant takes its turn at the most, after one turn that does not count. */
  readonly rounds: number;
  /** The folder for CPU profiles of the hubs. */
  readonly profile: string | undefined;
  readonly chromium: string | undefined;
  /** The repository's folder. */
  readonly root: string;
}

/** Rows that are measured together. */
export interface RowFamily {
  readonly row: string;
  readonly title: string;
  /** How it is measured, for the reference. */
  readonly about: string;
  measure(bench: Bench): Promise<readonly Row[]>;
}
