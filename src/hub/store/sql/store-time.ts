/** A clock that never goes back, in milliseconds since 1970: when the machine's is set back, it goes on as time passes. */
export interface StoreTime {
  now(): number;
  /** Later than everything that it gave before: what is ordered by it stays in order. */
  next(): number;
}

/** The time so many milliseconds ago, which is no time before all times. */
export function agesAgo({ now }: StoreTime, age: number): number {
  return Math.max(0, now() - age);
}

export interface StoreTimeOptions {
  /** The latest time that is known. */
  readonly latest: number;
  readonly wallClock?: () => number;
  /** Milliseconds since whenever; never goes back. */
  readonly steadyClock?: () => number;
}

export function createStoreTime(options: StoreTimeOptions): StoreTime {
  const { wallClock = Date.now, steadyClock = () => performance.now() } = options;
  let latest = options.latest;
  let readAt = steadyClock();

  function now(): number {
    const steady = steadyClock();
    const onward = latest + steady - readAt;
    const wall = wallClock();
    if (wall >= onward) [latest, readAt] = [wall, steady];
    // The rest of a millisecond counts the next time.
    else if (onward >= latest + 1) [latest, readAt] = [Math.floor(onward), readAt + Math.floor(onward) - latest];
    return latest;
  }

  return {
    now,
    next() {
      const before = latest;
      return now() > before ? latest : ++latest;
    },
  };
}
