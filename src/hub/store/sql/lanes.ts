// Work that may be done side by side, but for what is in one lane: that is done one after the other.
export interface Lanes {
  /** Never rejects for what other work failed at. */
  run<Value>(lane: string | undefined, work: () => Promise<Value>): Promise<Value>;
  /** When nothing is left to do. */
  settled(): Promise<void>;
}

/** So much at one time; the rest waits. */
export function createLanes(most: number): Lanes {
  const lanes = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  const open = new Set<Promise<unknown>>();
  let running = 0;

  async function whenFree<Value>(work: () => Promise<Value>): Promise<Value> {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Its place goes on to the next.
      if (next) next();
      else running--;
    }
  }

  function inLane<Value>(lane: string, work: () => Promise<Value>): Promise<Value> {
    const free = () => whenFree(work);
    const done = (lanes.get(lane) ?? Promise.resolve()).then(free, free);
    lanes.set(lane, done);
    const forget = () => void (lanes.get(lane) === done && lanes.delete(lane));
    done.then(forget, forget);
    return done;
  }

  return {
    run(lane, work) {
      const done = lane === undefined ? whenFree(work) : inLane(lane, work);
      open.add(done);
      const close = () => void open.delete(done);
      done.then(close, close);
      return done;
    },
    async settled() {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}
