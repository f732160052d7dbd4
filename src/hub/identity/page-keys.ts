// The keys with which pages of the hub's own sign. It keeps nothing: what it asks follows from a key that ends with this
// run of the hub, so that what was signed for another run, or at another hub's asking, lets nobody in.
import { createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { pageKeyText } from "../../wire/index.ts";
import type { Limits, SignedToken } from "../../wire/index.ts";

export interface PageKeys {
  /** What a page is to sign, good for `proofTime`. */
  challenge(): string;
  /** Whether this is signed by a key, for the hub's pages of an origin, at the asking of this run. */
  isSigned(signed: SignedToken, key: string, origin: string): boolean;
}

export function createPageKeys({ proofTime }: Pick<Limits, "proofTime">, now: () => number): PageKeys {
  const runKey = randomBytes(32);
  const codeOf = (expiresAt: string) => createHmac("sha256", runKey).update(`page ${expiresAt}`).digest();

  function isOurs(challenge: string): boolean {
    const [expiresAt = "", code = ""] = challenge.split(".");
    const given = Buffer.from(code, "base64url");
    const expected = codeOf(expiresAt);
    return Number(expiresAt) > now() && given.length === expected.length && timingSafeEqual(given, expected);
  }

  return {
    challenge() {
      const expiresAt = `${now() + proofTime}`;
      return `${expiresAt}.${codeOf(expiresAt).toString("base64url")}`;
    },
    isSigned(signed, key, origin) {
      const publicKey = isOurs(signed.challenge) ? readKey(key) : undefined;
      if (!publicKey) return false;
      const text = Buffer.from(pageKeyText(origin, signed));
      const signature = Buffer.from(signed.signature, "base64url");
      return verify("sha256", text, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
    },
  };
}

/** Whether a text is a public key as pages send it: a point of P-256, uncompressed, in base64url. */
export function isPageKey(text: string): boolean {
  return readKey(text) !== undefined;
}

function readKey(text: string): KeyObject | undefined {
  const point = Buffer.from(text, "base64url");
  if (point.length !== 65 || point[0] !== 4) return undefined;
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  try {
    return createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  } catch {
    // It is no point of the curve.
    return undefined;
  }
}
