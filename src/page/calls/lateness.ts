/**
 * Estimates how late frames arrive without synchronized clocks: each frame has its send time, and the fastest one so far
 * is the baseline.
 */
export function createLateness(now: () => number): { reset(at: number): void; of(at: number): number } {
  let quickest = Infinity;
  const of = (at: number) => {
    const journey = now() - at;
    quickest = Math.min(quickest, journey);
    return journey - quickest;
  };
  return {
    of,
    /** Starts over with the clock of a new peer. */
    reset(at) {
      quickest = Infinity;
      of(at);
    },
  };
}
