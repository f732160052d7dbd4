// Writes input to a pseudo terminal, and queues it while the program does not read. The packages' own writes block the whole
// process in that case; writes to their non-blocking descriptor do not.
import { writeSync } from "node:fs";
import type { Clock } from "../../link/index.ts";
import { systemCode } from "../shell/system-code.ts";

export interface InputWriter {
  /** Bytes that the program has not read yet. */
  readonly waitingBytes: number;
  write(text: string): void;
  /** Drops queued input. */
  close(): void;
}

export interface InputWriterOptions {
  readonly fd: number;
  readonly clock: Clock;
  /** Whether the descriptor is still that of the pseudo terminal. */
  readonly isOpen: () => boolean;
  readonly writeTo?: (fd: number, bytes: Uint8Array) => number;
}

/** Retry delays while the program reads nothing. */
const retryDelays = [0, 0, 0, 0, 1, 2, 5, 10, 20, 50];
const maxWrite = 65_536;

const encoder = new TextEncoder();

export function createInputWriter(options: InputWriterOptions): InputWriter {
  const { fd, clock, isOpen, writeTo = writeSync } = options;
  const queue: Uint8Array[] = [];
  let waitingBytes = 0;
  let tries = 0;
  let stopWaiting: (() => void) | undefined;

  function close(): void {
    stopWaiting?.();
    queue.length = 0;
    waitingBytes = 0;
  }

  /** The number of bytes written; 0 if the buffer is full. */
  function writeSome(bytes: Uint8Array): number {
    try {
      return writeTo(fd, bytes.subarray(0, maxWrite));
    } catch (error) {
      const code = systemCode(error);
      if (code === "EAGAIN" || code === "EINTR") return 0;
      throw error;
    }
  }

  function flush(): void {
    stopWaiting = undefined;
    try {
      for (let [next] = queue; next !== undefined && isOpen(); [next] = queue) {
        const taken = writeSome(next);
        if (taken === 0) return wait();
        tries = 0;
        waitingBytes -= taken;
        if (taken < next.length) queue[0] = next.subarray(taken);
        else queue.shift();
      }
    } catch {
      // The other side is closed: there is no reader.
      close();
    }
    if (!isOpen()) close();
  }

  function wait(): void {
    const delay = retryDelays[Math.min(tries++, retryDelays.length - 1)] ?? 0;
    stopWaiting = clock.after(delay, flush);
  }

  return {
    get waitingBytes() {
      return waitingBytes;
    },
    write(text) {
      const bytes = encoder.encode(text);
      if (bytes.length === 0) return;
      queue.push(bytes);
      waitingBytes += bytes.length;
      if (!stopWaiting) flush();
    },
    close,
  };
}
