import type { Socket } from "node:net";

/** The current faults of one direction; after a change, call the function of each lane concerned. */
export interface LaneFaults {
  paused: "hold" | "drop" | undefined;
  latency: number;
  bytesPerSecond: number;
}

// Without bytes it is the end of the stream.
interface Parcel {
  readonly bytes?: Buffer;
  readonly due: number;
}

// Past this a lane stops reading, so that the sender notices a receiver that does not read.
const queueLimit = 1024 * 1024;
const slicesPerSecond = 50;

/** Forwards one direction of a connection. Call the returned function when the faults have changed. */
export function carryBytes(source: Socket, sink: Socket, faults: LaneFaults): () => void {
  let queue: Parcel[] = [];
  let queuedBytes = 0;
  let lastDue = 0;
  let broken = false;
  let timer: NodeJS.Timeout | undefined;

  function enqueue(bytes?: Buffer): void {
    const length = bytes?.length ?? 0;
    lastDue = Math.max(lastDue, performance.now() + faults.latency) + (length / faults.bytesPerSecond) * 1000;
    queuedBytes += length;
    queue.push(bytes === undefined ? { due: lastDue } : { bytes, due: lastDue });
  }

  function deliver(): void {
    for (let next = queue[0]; next !== undefined && !sink.writableNeedDrain; next = queue[0]) {
      const early = next.due - performance.now();
      if (early > 0) {
        timer = setTimeout(pump, early);
        return;
      }
      queue.shift();
      queuedBytes -= next.bytes?.length ?? 0;
      if (next.bytes === undefined) sink.end();
      else sink.write(next.bytes);
    }
  }

  function pump(): void {
    clearTimeout(timer);
    if (faults.paused === "drop" || sink.destroyed) {
      queue = queue.filter(({ bytes }) => bytes === undefined);
      queuedBytes = 0;
    }
    if (faults.paused === undefined && !sink.destroyed) {
      if (broken) resetSocket(sink);
      else deliver();
    }
    if (queuedBytes < queueLimit) source.resume();
    else source.pause();
  }

  source.on("data", (bytes: Buffer) => {
    const slice = Math.max(1, Math.floor(faults.bytesPerSecond / slicesPerSecond));
    for (let start = 0; start < bytes.length; start += slice) enqueue(bytes.subarray(start, start + slice));
    pump();
  });
  source.on("end", () => {
    enqueue();
    pump();
  });
  source.on("error", () => {
    broken = true;
    pump();
  });
  sink.on("drain", pump);
  sink.on("close", pump);
  return pump;
}

/** A socket that has already ended cannot be reset: Node would fail to, and never close it. */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}
