/**
 * Tells how late frames arrive, without trusting that two clocks agree: every frame says when it was sent, and the
 * quickest one so far stands for a journey without delay.
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
    /** The other side is new, and so is its clock. */
    reset(at) {
      quickest = Infinity;
      of(at);
    },
  };
}
