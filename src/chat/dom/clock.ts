/** Time, as the talk needs it. */
export interface TalkClock {
  /** Milliseconds. */
  now(): number;
  /** Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const browserClock: TalkClock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
