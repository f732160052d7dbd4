// A table of work that is done once: a repeated id finds the earlier work, both while it runs and after it ended.
// It decides what to keep and for how long. It has no timers and no storage, and does not know calls.

/** Running work, or the result of ended work. */
export interface Once<Work, Result> {
  /** The same id with another fingerprint is a conflict; an empty one matches all. */
  readonly fingerprint: string;
  /** Only while it runs. */
  readonly work: Work | undefined;
  /** Only once it ended. */
  readonly result: Result | undefined;
  /** When it began, or once it ended, when it ended. */
  readonly at: number;
}

export interface OnceOptions<Result> {
  readonly now: () => number;
  /** How long a result is kept after its end. */
  readonly time: number;
  /** The max weight of all together; beyond it the oldest results are evicted. */
  readonly size: number;
  /** The number of ids that are still known to be used up after their results were evicted. */
  readonly expired: number;
  /** Called for each result that is evicted because of the weight. */
  readonly onSurplus?: () => void;
  readonly weigh: (id: string, fingerprint: string, result: Result | undefined) => number;
}

export interface OnceTable<Work, Result> {
  /** The entry of an id; undefined for a new one. Without a fingerprint there is no conflict. */
  find(id: string, fingerprint?: string): Once<Work, Result> | "conflict" | "expired" | undefined;
  /** Work begins under a new id. It is never forgotten while it runs. */
  begin(id: string, fingerprint: string, work: Work): void;
  end(id: string, result: Result): void;
  /** The id may be used again. */
  forget(id: string): void;
  readonly weight: number;
  /** Evicts the oldest result; false if there is none. */
  letGo(): boolean;
  /** Drops expired results. Returns the milliseconds until the next one expires. */
  trim(): number | undefined;
}

export function createOnceTable<Work, Result>(options: OnceOptions<Result>): OnceTable<Work, Result> {
  const { now, time, size, weigh } = options;
  const running = new Map<string, Once<Work, Result>>();
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
