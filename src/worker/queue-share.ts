/** How much of a queue that many fill is one writer's. */
export interface QueueShare {
  /** Puts something into the queue, and says how many bytes of this writer are in it then. */
  write(put: () => void): number;
}

/** A queue that many fill and that empties in order. `queuedBytes` says how much is in it. */
export function createSharedQueue(queuedBytes: () => number): { openShare(): QueueShare } {
  /** How much was ever put into the queue. */
  let written = 0;
  return {
    openShare() {
      const waiting: { readonly end: number; readonly bytes: number }[] = [];
      let bytesWaiting = 0;
      return {
        write(put) {
          const before = queuedBytes();
          put();
          const queued = queuedBytes();
          const bytes = Math.max(0, queued - before);
          written += bytes;
          waiting.push({ end: written, bytes });
          bytesWaiting += bytes;
          while (waiting[0] && waiting[0].end <= written - queued) bytesWaiting -= waiting.shift()?.bytes ?? 0;
          return bytesWaiting;
        },
      };
    },
  };
}
