import { createHash, timingSafeEqual } from "node:crypto";

/** A secret that may change at any time, with what every request would otherwise work out of it anew. */
export interface KnownSecret {
  /** Stands for the secret, and is none. */
  readonly credential: string;
  /** Whether this is the secret; an empty one is nobody's. */
  matches(text: string): boolean;
}

/** Knows the secret that `read` gives, whichever it is at the moment. */
export function createKnownSecret(read: () => string): KnownSecret {
  let known = describe("");
  const current = () => {
    const text = read();
    if (text !== known.text) known = describe(text);
    return known;
  };
  return {
    get credential() {
      return current().credential;
    },
    matches(text) {
      const { bytes } = current();
      const given = Buffer.from(text);
      return bytes.length > 0 && given.length === bytes.length && timingSafeEqual(given, bytes);
    },
  };
}

function describe(text: string): { readonly text: string; readonly bytes: Buffer; readonly credential: string } {
  return { text, bytes: Buffer.from(text), credential: shortDigest(text) };
}

/** Tells texts apart without telling what they are. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
