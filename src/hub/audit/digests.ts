// Digests for the audit, which tell equal arguments, results and keys from others and do not let anybody find out what
// they are by trying: HMAC-SHA256 (RFC 2104) with a key of the installation's own. It is put together from two one-shot
// hashes, which cost half of what Node's `createHmac` does.
import { hash } from "node:crypto";
import type { Payload, Tool } from "../../wire/index.ts";

export interface Digests {
  /** In hex; of what is longer than the limit, the digest of its beginning, which begins with "~". */
  of(payload: Payload): string;
  /** Plain SHA-256 of a tool's definition, which is no secret. */
  ofDefinition(tool: Tool): string;
}

const blockBytes = 64;
const digestBytes = 32;

/** The key is any text with enough chance in it; `most` is how many bytes have a digest. */
export function createDigests(key: string, most: number): Digests {
  const inner = paddedKey(key, 0x36, most);
  const outer = paddedKey(key, 0x5c, digestBytes);
  const definitions = new WeakMap<Tool, string>();

  /** Puts it behind the key, as far as it is digested; returns how many bytes of it there are. */
  function put(payload: Payload): number {
    if (typeof payload === "string") return inner.write(payload, blockBytes);
    const size = payload.length > most ? startOfCharacter(payload, most) : payload.length;
    inner.set(size === payload.length ? payload : payload.subarray(0, size), blockBytes);
    return size;
  }

  return {
    of(payload) {
      const size = put(payload);
      outer.write(hash("sha256", inner.subarray(0, blockBytes + size), "binary"), blockBytes, "binary");
      const digest = hash("sha256", outer);
      return size > most - longestCharacter && size < bytesOf(payload) ? `~${digest}` : digest;
    },
    ofDefinition(tool) {
      const known = definitions.get(tool);
      if (known !== undefined) return known;
      const made = hash("sha256", JSON.stringify(tool));
      definitions.set(tool, made);
      return made;
    },
  };
}

/** UTF-8 has no longer ones; one that would be cut is left out. */
const longestCharacter = 4;

function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - longestCharacter && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function bytesOf(payload: Payload): number {
  return typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
}

/** The key, as HMAC mixes it with a byte, with room behind it. */
function paddedKey(key: string, mixed: number, room: number): Buffer {
  const bytes = Buffer.alloc(blockBytes + room);
  const given = Buffer.from(key);
  bytes.set(given.length > blockBytes ? Buffer.from(hash("sha256", key), "hex") : given);
  for (let at = 0; at < blockBytes; at++) bytes[at] = (bytes[at] ?? 0) ^ mixed;
  return bytes;
}
