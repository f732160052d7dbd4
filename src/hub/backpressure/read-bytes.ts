import type { Duplex } from "node:stream";

/** Internals of a Node stream: the bytes of started writes that are not sent yet. */
interface Writes {
  readonly bytesWritten?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** A number that changes whenever the peer reads, even within one large write. */
export function readBytesOf(stream: (Duplex & Writes) | null): number {
  if (!stream) return 0;
  return (stream.bytesWritten ?? 0) - stream.writableLength - (stream._handle?.writeQueueSize ?? 0);
}
