// Copies payloads into shared buffers until the store's thread digests them. Holding the payloads themselves would promote
// them to the old generation and cost full garbage collections; copying takes a tenth of the time of digesting.
import type { Payload } from "../../wire/index.ts";
import type { Undigested } from "../store/index.ts";

export interface PayloadRoom {
  /** Whether these payloads fit. Three always fit into an empty buffer. */
  has(...payloads: readonly (Payload | undefined)[]): boolean;
  /** Copies the digested part of a payload; returns its full size in bytes. */
  put(payload: Payload): number;
  /** Hands out the filled buffer, if there is one. It is not reused until it is given back. */
  take(): Undigested | undefined;
  giveBack(taken: Undigested): void;
}

/** A character that would be cut is left out; none is longer than this. */
const maxCharacter = 4;
/** Max UTF-8 bytes of a UTF-16 unit. */
const bytesPerUnit = 3;
/** Max idle buffers kept for reuse. */
const maxFree = 2;

export function createPayloadRoom(key: string, max: number): PayloadRoom {
  const free: Buffer[] = [];
  let room = newRoom();
  let lengths: number[] = [];
  let end = 0;

  function newRoom(): Buffer {
    return free.pop() ?? Buffer.from(new SharedArrayBuffer(3 * max + 128 * 1024));
  }

  const maxOf = (payload: Payload | undefined) =>
    payload === undefined
      ? 0
      : Math.min(max, typeof payload === "string" ? payload.length * bytesPerUnit : payload.length);

  function copy(payload: Payload): number {
    if (typeof payload === "string") return room.write(payload, end, max);
    const size = payload.length > max ? startOfCharacter(payload, max) : payload.length;
    room.set(size === payload.length ? payload : payload.subarray(0, size), end);
    return size;
  }

  return {
    has: (...payloads) => payloads.reduce((sum, payload) => sum + maxOf(payload), end) <= room.length,
    put(payload) {
      const size = copy(payload);
      end += size;
      const bytes = size > max - maxCharacter ? bytesOf(payload) : size;
      lengths.push(bytes > size ? -size - 1 : size);
      return bytes;
    },
    take() {
      if (lengths.length === 0) return undefined;
      const taken = { key, lengths, bytes: room.subarray(0, end) };
      room = newRoom();
      lengths = [];
      end = 0;
      return taken;
    },
    giveBack({ bytes }) {
      if (free.length < maxFree) free.push(Buffer.from(bytes.buffer));
    },
  };
}

function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - maxCharacter && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function bytesOf(payload: Payload): number {
  return typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
}
