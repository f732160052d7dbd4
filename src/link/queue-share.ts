/** One writer's share of a queue with many writers. */
export interface QueueShare {
  /** Bytes of this writer in the queue. */
  readonly waitingBytes: number;
  /** Adds to the queue. */
  write(put: () => void): void;
}

/** An entry of the queue, linked to the same writer's next one. */
interface Written {
  /** The total bytes ever written to the queue, including this entry. */
  readonly end: number;
  readonly bytes: number;
  next: Written | undefined;
}

/** A queue with many writers that empties in order. `queuedBytes` returns its size. */
export function createSharedQueue(queuedBytes: () => number): { openShare(): QueueShare } {
  /** Total bytes ever written to the queue. */
  let written = 0;
  return {
    openShare() {
      let oldest: Written | undefined;
      let newest: Written | undefined;
      let waitingBytes = 0;
      return {
        get waitingBytes() {
          const taken = written - queuedBytes();
          for (; oldest && oldest.end <= taken; oldest = oldest.next) waitingBytes -= oldest.bytes;
          return waitingBytes;
        },
        write(put) {
          const before = queuedBytes();
          put();
          const bytes = queuedBytes() - before;
          // It was sent at once, or never queued.
          if (bytes <= 0) return;
          written += bytes;
          waitingBytes += bytes;
          const last: Written = { end: written, bytes, next: undefined };
          if (oldest && newest) newest.next = last;
          else oldest = last;
          newest = last;
        },
      };
    },
  };
}
