// A table of things that are done once: begun under an id, each is found under it again while it runs and once it ended.
// It owns what is kept and for how long. It has no timers and no storage, and it knows no calls.

/** Something that runs, or the result of something that ended. */
export interface Once<Work, Result> {
  /** The same id with another fingerprint is a conflict; an empty one fits all. */
  readonly fingerprint: string;
  /** Only while it runs. */
  readonly work: Work | undefined;
  /** Only once it ended. */
  readonly result: Result | undefined;
  /** When it began, and once it ended, when that was. */
  readonly at: number;
}

export interface OnceOptions<Result> {
  readonly now: () => number;
  /** How long after its end a result is kept. */
  readonly time: number;
  /** How much all together may weigh; beyond it the results that ended first are let go. */
  readonly size: number;
  /** How many ids are known to be used up after their results were let go. */
  readonly expired: number;
  /** Is called for each result that is let go because all together weigh too much. */
  readonly onSurplus?: () => void;
  readonly weigh: (id: string, fingerprint: string, result: Result | undefined) => number;
}

export interface OnceTable<Work, Result> {
  /** What is known of an id; undefined for one that is new. Without a fingerprint nothing is in conflict with it. */
  find(id: string, fingerprint?: string): Once<Work, Result> | "conflict" | "expired" | undefined;
  /** Something begins under an id that is new. It is never forgotten while it runs. */
  begin(id: string, fingerprint: string, work: Work): void;
  /** What runs under an id has ended. */
  end(id: string, result: Result): void;
  /** An id is as good as new. */
  forget(id: string): void;
  /** How much all together weigh. */
  readonly weight: number;
  /** Lets go of the result of what ended first; false where there is none. */
  letGo(): boolean;
  /** Lets go of what is too old. Returns in how many milliseconds that is so of the next. */
  trim(): number | undefined;
}

export function createOnceTable<Work, Result>(options: OnceOptions<Result>): OnceTable<Work, Result> {
  const { now, time, size, weigh } = options;
  const running = new Map<string, Once<Work, Result>>();
  /** In the order in which they ended. */
  const ended = new Map<string, Once<Work, Result>>();
  const expired = new Set<string>();
  let weight = 0;

  const weightOf = (id: string, { fingerprint, result }: Once<Work, Result>) => weigh(id, fingerprint, result);

  function put(id: string, entry: Once<Work, Result>): void {
    forget(id);
    (entry.result === undefined ? running : ended).set(id, entry);
    weight += weightOf(id, entry);
    trim();
  }

  function forget(id: string): void {
    const entry = running.get(id) ?? ended.get(id);
    if (entry) weight -= weightOf(id, entry);
    for (const part of [running, ended, expired]) part.delete(id);
  }

  function expire(id: string): void {
    forget(id);
    expired.add(id);
    for (const oldest of expired) {
      if (expired.size <= options.expired) return;
      expired.delete(oldest);
    }
  }

  function trim(): number | undefined {
    for (const [id, { at }] of ended) {
      const left = at + time - now();
      if (left > 0 && weight <= size) return left;
      if (left > 0) options.onSurplus?.();
      expire(id);
    }
    return undefined;
  }

  return {
    find(id, fingerprint) {
      const entry = running.get(id) ?? ended.get(id);
      if (!entry) return expired.has(id) ? "expired" : undefined;
      return fingerprint === undefined || !entry.fingerprint || entry.fingerprint === fingerprint ? entry : "conflict";
    },
    begin: (id, fingerprint, work) => put(id, { fingerprint, work, result: undefined, at: now() }),
    end(id, result) {
      const entry = running.get(id);
      if (entry) put(id, { fingerprint: entry.fingerprint, work: undefined, result, at: now() });
    },
    forget,
    get weight() {
      return weight;
    },
    letGo() {
      const [first] = ended.keys();
      if (first !== undefined) expire(first);
      return first !== undefined;
    },
    trim,
  };
}
