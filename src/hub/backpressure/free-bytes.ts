// Gives back the memory of bytes that nobody reads any more. Until a garbage collection it can be many times what is in use.
import { MessageChannel } from "node:worker_threads";

/** What is handed over to it is gone. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** Nobody may read these bytes any more: they have no length afterwards. Those that share their memory stay. */
export function freeBytes(bytes: readonly Uint8Array[]): void {
  const buffers = bytes.filter(ownsItsMemory).map(({ buffer }) => buffer);
  if (buffers.length > 0) nowhere.postMessage(undefined, [...new Set(buffers)]);
}

function ownsItsMemory(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength;
}
