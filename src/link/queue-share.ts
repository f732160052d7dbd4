import type { SwitchboardLimits } from "../wire/index.ts";

/** One writer's share of a queue with many writers. */
export interface QueueShare {
  /** Bytes of this writer in the queue. */
  readonly waitingBytes: number;
  /**
   * Whether this many more bytes may be added. Each writer may have `queuedBytes`, as in a queue of its own, but all together
   * that is too much for one peer. So no writer may have more in the queue than it leaves free: with any number of slow
   * writers, those with little waiting still have room.
   */
  hasRoom(bytes: number): boolean;
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
export function createSharedQueue(
  queuedBytes: () => number,
  limits: Pick<SwitchboardLimits, "queuedBytes" | "sharedBytes">,
): { openShare(): QueueShare } {
  /** Total bytes ever written to the queue. */
  let written = 0;
  return {
    openShare() {
      let oldest: Written | undefined;
      let newest: Written | undefined;
      let waitingBytes = 0;
      const share: QueueShare = {
        get waitingBytes() {
          const taken = written - queuedBytes();
          for (; oldest && oldest.end <= taken; oldest = oldest.next) waitingBytes -= oldest.bytes;
          return waitingBytes;
        },
        hasRoom(bytes) {
          const waiting = share.waitingBytes;
          return waiting <= limits.queuedBytes && waiting + bytes <= limits.sharedBytes - queuedBytes() - bytes;
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
      return share;
    },
  };
}
