import type { Duplex } from "node:stream";

/** What Node knows of a stream's writes beyond its types: how much of those that it began has not left yet. */
interface Writes {
  readonly bytesWritten?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** Another number whenever the other side has read something, also in the middle of one large write. */
export function readBytesOf(stream: (Duplex & Writes) | null): number {
  if (!stream) return 0;
  return (stream.bytesWritten ?? 0) - stream.writableLength - (stream._handle?.writeQueueSize ?? 0);
}
