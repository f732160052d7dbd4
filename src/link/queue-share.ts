/** How much of a queue that many fill is one writer's. */
export interface QueueShare {
  /** Bytes of this writer that are in the queue. */
  readonly waitingBytes: number;
  /** Puts something into the queue. */
  write(put: () => void): void;
}

/** Something that was put into the queue, and whatever the same writer put there next. */
interface Written {
  /** How much had been put into the queue when this was. */
  readonly end: number;
  readonly bytes: number;
  next: Written | undefined;
}

/** A queue that many fill and that empties in order. `queuedBytes` says how much is in it. */
export function createSharedQueue(queuedBytes: () => number): { openShare(): QueueShare } {
  /** How much was ever put into the queue. */
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
          // It was taken at once, or never queued.
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
