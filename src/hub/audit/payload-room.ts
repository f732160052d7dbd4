// Holds copies of payloads until their digests are made, so that none of them is kept itself: one that is referenced when it
// has grown old in memory costs full garbage collections. Copying takes a tenth of the time of making a digest, and the
// memory is shared with the store's thread, so that nothing is copied twice.
import type { Payload } from "../../wire/index.ts";
import type { Undigested } from "../store/index.ts";

export interface PayloadRoom {
  /** Whether there is room for these; there always is for three where there are none. */
  has(...payloads: readonly (Payload | undefined)[]): boolean;
  /** Copies it, as far as it is to have a digest; returns how many bytes it has. */
  put(payload: Payload): number;
  /** Gives out what was put by now, if anything was. It is as it is until it is given back. */
  take(): Undigested | undefined;
  giveBack(taken: Undigested): void;
}

/** UTF-8 has no longer characters; one that would be cut is left out. */
const longestCharacter = 4;
/** How many bytes a unit of a text takes at the most. */
const bytesPerUnit = 3;
/** So many that were given back wait for their next use. */
const mostFree = 2;

/** With which key digests are made, and of how much of a payload. */
export function createPayloadRoom(key: string, most: number): PayloadRoom {
  const free: Buffer[] = [];
  let room = newRoom();
  let lengths: number[] = [];
  let end = 0;

  function newRoom(): Buffer {
    return free.pop() ?? Buffer.from(new SharedArrayBuffer(3 * most + 128 * 1024));
  }

  const mostOf = (payload: Payload | undefined) =>
    payload === undefined
      ? 0
      : Math.min(most, typeof payload === "string" ? payload.length * bytesPerUnit : payload.length);

  function copy(payload: Payload): number {
    if (typeof payload === "string") return room.write(payload, end, most);
    const size = payload.length > most ? startOfCharacter(payload, most) : payload.length;
    room.set(size === payload.length ? payload : payload.subarray(0, size), end);
    return size;
  }

  return {
    has: (...payloads) => payloads.reduce((sum, payload) => sum + mostOf(payload), end) <= room.length,
    put(payload) {
      const size = copy(payload);
      end += size;
      const bytes = size > most - longestCharacter ? bytesOf(payload) : size;
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
      if (free.length < mostFree) free.push(Buffer.from(bytes.buffer));
    },
  };
}

function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - longestCharacter && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function bytesOf(payload: Payload): number {
  return typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
}
