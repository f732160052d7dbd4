// Frees buffers early: until a garbage collection, unused ones can take many times the memory of used ones.
import { MessageChannel } from "node:worker_threads";

/** Transferring a buffer to a closed port frees it. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** Detaches buffers, which must not be read any more. Views of a shared buffer are skipped. */
export function freeBytes(bytes: readonly Uint8Array[]): void {
  const buffers = bytes.filter(ownsItsMemory).map(({ buffer }) => buffer);
  if (buffers.length > 0) nowhere.postMessage(undefined, [...new Set(buffers)]);
}

function ownsItsMemory(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength;
}
