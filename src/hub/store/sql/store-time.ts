/** A monotonic clock in milliseconds since 1970: it keeps running if the system clock is set back. */
export interface StoreTime {
  now(): number;
  /** Strictly increasing, for use as a sort key. */
  next(): number;
}

/** The time a number of milliseconds ago; never negative. */
export function agesAgo({ now }: StoreTime, age: number): number {
  return Math.max(0, now() - age);
}

export interface StoreTimeOptions {
  /** The latest stored time. */
  readonly latest: number;
  readonly wallClock?: () => number;
  /** Monotonic milliseconds. */
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
    // Keeps the fraction for the next call.
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
