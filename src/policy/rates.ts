// Token buckets by key, which are full for keys that were not used for long. What was taken elsewhere may be taken here as
// well: a bucket can owe.

/** A bucket's size, and the milliseconds in which it gets one token. */
export interface Refill {
  readonly most: number;
  readonly each: number;
}

export interface Rates {
  /** Milliseconds until there is a token; zero if there is one. */
  wait(key: string, refill: Refill): number;
  take(key: string, refill: Refill, count: number): void;
}

interface Bucket {
  readonly refill: Refill;
  readonly left: number;
  readonly since: number;
}

/** Above this number, full buckets are dropped. */
const fewBuckets = 1000;
/** The max: beyond it the least recently used half is dropped, and those keys have a fresh rate. */
const mostBuckets = 100_000;

/** `now` returns milliseconds, and never goes back. */
export function createRates(now: () => number): Rates {
  const buckets = new Map<string, Bucket>();
  let sweepAt = fewBuckets;

  function leftIn(bucket: Bucket | undefined, { most, each }: Refill): number {
    if (!bucket) return most;
    const passed = now() - bucket.since;
    return Math.min(most, bucket.left + (passed > 0 ? passed / each : 0));
  }

  function sweep(): void {
    for (const [key, bucket] of buckets) if (leftIn(bucket, bucket.refill) >= bucket.refill.most) buckets.delete(key);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= mostBuckets / 2) break;
      buckets.delete(oldest);
    }
    sweepAt = Math.max(fewBuckets, 2 * buckets.size);
  }

  return {
    wait(key, refill) {
      const left = leftIn(buckets.get(key), refill);
      return left >= 1 ? 0 : Math.ceil((1 - left) * refill.each);
    },
    take(key, refill, count) {
      const left = leftIn(buckets.get(key), refill) - count;
      buckets.delete(key);
      buckets.set(key, { refill, left, since: now() });
      if (buckets.size > sweepAt) sweep();
    },
  };
}
